--liquibase formatted sql logicalFilePath:migrations/0007-budgets.sql

-- Budgets (contract §15). The version before reads none of it: its calls are not covered.

--changeset memory-gateway:own-budgets
ALTER TABLE api_keys
  ADD COLUMN budgets TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON: terms of budgets by name, where they differ from the configuration';
ALTER TABLE projects
  ADD COLUMN budgets TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON: as of api_keys';
--rollback ALTER TABLE api_keys DROP COLUMN budgets;
--rollback ALTER TABLE projects DROP COLUMN budgets;

--changeset memory-gateway:budget-windows
CREATE TABLE budget_windows (
  id         BIGINT      NOT NULL COMMENT 'first half of the hash of owner, name, unit, window and start',
  owner      VARCHAR(8)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'key or project',
  owner_id   BIGINT      NOT NULL COMMENT 'api_keys.id or projects.id',
  name       VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  unit       VARCHAR(8)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'tokens or usd',
  start_ms   BIGINT      NOT NULL COMMENT 'database time, milliseconds since the epoch, here and below',
  end_ms     BIGINT      NOT NULL COMMENT 'excluded; the greatest number: never',
  since_ms   BIGINT      NOT NULL COMMENT 'when the first call was held: earlier ones were not covered',
  max_amount BIGINT      NOT NULL COMMENT 'the limit at the last hold, in tokens or pico-dollars, as all amounts',
  settled    BIGINT      NOT NULL DEFAULT 0 COMMENT 'what calls did use',
  held       BIGINT      NOT NULL DEFAULT 0 COMMENT 'what calls in flight may use',
  reserved   BIGINT      NOT NULL DEFAULT 0 COMMENT 'what whole answers without a limit may use beyond what is held',
  threshold  TINYINT     NOT NULL DEFAULT 0 COMMENT 'the highest share of the limit, in percent, that was told',
  PRIMARY KEY (id),
  INDEX budget_windows_by_end (end_ms),
  INDEX budget_windows_by_owner (owner, owner_id, end_ms)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE budget_windows;

--changeset memory-gateway:budget-calls
CREATE TABLE budget_calls (
  id         BIGINT       NOT NULL COMMENT 'request_log.id of its last attempt',
  started_at DATETIME(3)  NOT NULL COMMENT 'request_log.started_at of it',
  expires_ms BIGINT       NOT NULL COMMENT 'database time; moved on by its node; after it, another node settles the call',
  project_id BIGINT       NOT NULL,
  key_id     BIGINT       NOT NULL,
  request_id VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  thread_hash BINARY(16)  NULL,
  endpoint   VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  provider   VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  model      VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  stream     BOOLEAN      NOT NULL,
  input_tokens  BIGINT    NOT NULL COMMENT 'seen so far, as of what follows',
  output_tokens BIGINT    NOT NULL,
  cost       BIGINT       NULL COMMENT 'pico-dollars; null: unknown',
  PRIMARY KEY (id),
  INDEX budget_calls_by_expiry (expires_ms)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin COMMENT = 'calls in flight that a budget covers';
CREATE TABLE budget_holds (
  call_id    BIGINT NOT NULL COMMENT 'budget_calls.id',
  window_id  BIGINT NOT NULL COMMENT 'budget_windows.id',
  amount     BIGINT NOT NULL COMMENT 'its part of held',
  reserved   BIGINT NOT NULL COMMENT 'its part of reserved',
  PRIMARY KEY (call_id, window_id),
  INDEX budget_holds_by_window (window_id)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin COMMENT = 'what calls in flight hold of budgets';
--rollback DROP TABLE budget_holds;
--rollback DROP TABLE budget_calls;

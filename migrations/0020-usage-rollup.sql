--liquibase formatted sql logicalFilePath:migrations/0020-usage-rollup.sql

-- Totals over the request log for the console (contract §12), and indexes for its filters. The version before goes on writing
-- the request log; its rows are rolled up afterwards, see request_log.rolled_up.

--changeset memory-gateway:request-log-rolled-up
-- The column is added without copying the table.
ALTER TABLE request_log
  ADD COLUMN rolled_up TINYINT NOT NULL DEFAULT 0 COMMENT '1: counted in usage_hours, usage_traffic and usage_days, by the transaction that set it; 0: not yet';
--rollback ALTER TABLE request_log DROP COLUMN rolled_up;

--changeset memory-gateway:request-log-filters
-- One pass over the table, which may take minutes on a large one; rows are written meanwhile.
ALTER TABLE request_log
  ADD KEY request_log_key (key_id, started_at),
  ADD KEY request_log_project (project_id, started_at),
  ADD KEY request_log_model (model, started_at),
  ADD KEY request_log_status (status, started_at),
  ADD KEY request_log_request (request_id),
  ADD KEY request_log_thread (thread_hash, started_at),
  ALGORITHM = INPLACE, LOCK = NONE;
--rollback ALTER TABLE request_log DROP KEY request_log_key, DROP KEY request_log_project, DROP KEY request_log_model, DROP KEY request_log_status, DROP KEY request_log_request, DROP KEY request_log_thread;

-- Totals in the two forms that pages read: of everything by hour, and of few things by five minutes. At ten million calls a
-- month, everything by five minutes would be hardly less than the calls themselves.

--changeset memory-gateway:usage-hours
CREATE TABLE usage_hours (
  started_at           DATETIME     NOT NULL COMMENT 'begin of the hour in which the attempts began',
  project_id           BIGINT       NOT NULL,
  key_id               BIGINT       NOT NULL,
  endpoint             VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  provider             VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  model                VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  status               SMALLINT     NOT NULL,
  error_type           VARCHAR(32)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'empty: none',
  calls                BIGINT       NOT NULL,
  errors               BIGINT       NOT NULL COMMENT 'those of the calls whose status is 400 or more',
  failed_attempts      BIGINT       NOT NULL COMMENT 'attempts that another one followed',
  calls_without_tokens BIGINT       NOT NULL,
  input_tokens         BIGINT       NOT NULL,
  output_tokens        BIGINT       NOT NULL,
  cached_tokens        BIGINT       NOT NULL,
  duration_ms          BIGINT       NOT NULL COMMENT 'of the calls together',
  PRIMARY KEY (started_at, project_id, key_id, endpoint, provider, model, status, error_type)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE usage_hours;

--changeset memory-gateway:usage-traffic
CREATE TABLE usage_traffic (
  started_at           DATETIME     NOT NULL COMMENT 'begin of the five minutes in which the attempts began',
  provider             VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  status               SMALLINT     NOT NULL,
  error_type           VARCHAR(32)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'empty: none',
  calls                BIGINT       NOT NULL,
  errors               BIGINT       NOT NULL,
  failed_attempts      BIGINT       NOT NULL,
  calls_without_tokens BIGINT       NOT NULL,
  input_tokens         BIGINT       NOT NULL,
  output_tokens        BIGINT       NOT NULL,
  cached_tokens        BIGINT       NOT NULL,
  duration_ms          BIGINT       NOT NULL,
  PRIMARY KEY (started_at, provider, status, error_type)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE usage_traffic;

--changeset memory-gateway:usage-days
CREATE TABLE usage_days (
  started_at           DATETIME     NOT NULL COMMENT 'begin of the day, UTC',
  project_id           BIGINT       NOT NULL,
  key_id               BIGINT       NOT NULL,
  endpoint             VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  provider             VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  model                VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  status               SMALLINT     NOT NULL,
  error_type           VARCHAR(32)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'empty: none',
  calls                BIGINT       NOT NULL,
  errors               BIGINT       NOT NULL,
  failed_attempts      BIGINT       NOT NULL,
  calls_without_tokens BIGINT       NOT NULL,
  input_tokens         BIGINT       NOT NULL,
  output_tokens        BIGINT       NOT NULL,
  cached_tokens        BIGINT       NOT NULL,
  duration_ms          BIGINT       NOT NULL,
  PRIMARY KEY (started_at, project_id, key_id, endpoint, provider, model, status, error_type)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE usage_days;

--changeset memory-gateway:usage-rollup
-- How far the request log has been searched for rows that are not rolled up: one row.
CREATE TABLE usage_rollup (
  id       TINYINT     NOT NULL COMMENT '1',
  swept_to DATETIME(3) NOT NULL COMMENT 'there are none at this time and before',
  PRIMARY KEY (id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE usage_rollup;

--changeset memory-gateway:usage-rollup-row
INSERT INTO usage_rollup (id, swept_to) VALUES (1, '1970-01-01 00:00:00');
--rollback DELETE FROM usage_rollup;

--changeset memory-gateway:rate-limit-refusals
-- Requests that a rate limit refused, by minute, and by node so that each adds up its own.
CREATE TABLE rate_limit_refusals (
  minute          DATETIME     NOT NULL COMMENT 'begin of the minute, by the clock of the node',
  key_id          BIGINT       NOT NULL,
  rule            VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  scope           VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'X-RateLimit-Scope',
  node            CHAR(36)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'chosen by each process when it starts',
  limited_to      BIGINT       NOT NULL COMMENT 'requests in a window, as it was for the key',
  window_seconds  INT          NOT NULL,
  refused         BIGINT       NOT NULL,
  last_at         DATETIME(3)  NOT NULL,
  last_request_id VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'X-Request-Id',
  PRIMARY KEY (minute, key_id, rule, scope, node),
  KEY rate_limit_refusals_key (key_id, minute)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE rate_limit_refusals;

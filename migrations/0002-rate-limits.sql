--liquibase formatted sql logicalFilePath:migrations/0002-rate-limits.sql

--changeset memory-gateway:rate-limit-slots
CREATE TABLE rate_limit_slots (
  slot           INT          NOT NULL COMMENT 'start_N and used_N in rate_limit_windows',
  rule           VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'null: free',
  window_seconds INT          NULL,
  seen_at        DATETIME(3)  NULL COMMENT 'when a node last used it; free again two days later',
  PRIMARY KEY (slot),
  UNIQUE KEY rate_limit_slots_rule (rule, window_seconds)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT 'Which rule counts in which columns of rate_limit_windows';
--rollback DROP TABLE rate_limit_slots;

--changeset memory-gateway:rate-limit-slots-free
INSERT INTO rate_limit_slots (slot) VALUES
  (0), (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11),
  (12), (13), (14), (15), (16), (17), (18), (19), (20), (21), (22), (23);
--rollback DELETE FROM rate_limit_slots;

--changeset memory-gateway:rate-limit-windows
CREATE TABLE rate_limit_windows (
  key_id        BIGINT NOT NULL COMMENT 'api_keys.id; 0 is no key: nodes warm up and probe with it',
  touched_at    BIGINT NOT NULL COMMENT 'database time, milliseconds since the epoch, here and in start_N',
  granted_llm   INT    NOT NULL DEFAULT 0 COMMENT 'what the last batch got, by kind of request',
  granted_read  INT    NOT NULL DEFAULT 0,
  granted_write INT    NOT NULL DEFAULT 0,
  granted_other INT    NOT NULL DEFAULT 0,
  start_0  BIGINT NULL, used_0  BIGINT NULL,
  start_1  BIGINT NULL, used_1  BIGINT NULL,
  start_2  BIGINT NULL, used_2  BIGINT NULL,
  start_3  BIGINT NULL, used_3  BIGINT NULL,
  start_4  BIGINT NULL, used_4  BIGINT NULL,
  start_5  BIGINT NULL, used_5  BIGINT NULL,
  start_6  BIGINT NULL, used_6  BIGINT NULL,
  start_7  BIGINT NULL, used_7  BIGINT NULL,
  start_8  BIGINT NULL, used_8  BIGINT NULL,
  start_9  BIGINT NULL, used_9  BIGINT NULL,
  start_10 BIGINT NULL, used_10 BIGINT NULL,
  start_11 BIGINT NULL, used_11 BIGINT NULL,
  start_12 BIGINT NULL, used_12 BIGINT NULL,
  start_13 BIGINT NULL, used_13 BIGINT NULL,
  start_14 BIGINT NULL, used_14 BIGINT NULL,
  start_15 BIGINT NULL, used_15 BIGINT NULL,
  start_16 BIGINT NULL, used_16 BIGINT NULL,
  start_17 BIGINT NULL, used_17 BIGINT NULL,
  start_18 BIGINT NULL, used_18 BIGINT NULL,
  start_19 BIGINT NULL, used_19 BIGINT NULL,
  start_20 BIGINT NULL, used_20 BIGINT NULL,
  start_21 BIGINT NULL, used_21 BIGINT NULL,
  start_22 BIGINT NULL, used_22 BIGINT NULL,
  start_23 BIGINT NULL, used_23 BIGINT NULL,
  PRIMARY KEY (key_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT 'One row per key: every counter and its window; a null counter takes no room';
--rollback DROP TABLE rate_limit_windows;

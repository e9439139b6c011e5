--liquibase formatted sql logicalFilePath:migrations/0004-observations.sql

--changeset memory-gateway:observation-states
-- What observational memory knows of a thread besides its records. No row: nothing was set and nothing was observed.
CREATE TABLE observation_states (
  thread_id              BIGINT      NOT NULL,
  message_tokens         INT         NULL COMMENT 'own threshold of the observer; null: the default',
  observation_tokens     INT         NULL COMMENT 'own threshold of the reflector; null: the default',
  pending_tokens         BIGINT      NOT NULL DEFAULT 0 COMMENT 'tokens of messages not yet observed',
  observed_seq           BIGINT      NOT NULL DEFAULT -1 COMMENT 'messages.seq up to which all is observed',
  observing_until        DATETIME(3) NULL COMMENT 'leases: a node that dies does not leave the work marked as running',
  reflecting_until       DATETIME(3) NULL,
  buffering_until        DATETIME(3) NULL,
  buffering_reflection_until DATETIME(3) NULL,
  PRIMARY KEY (thread_id),
  CONSTRAINT observation_states_thread FOREIGN KEY (thread_id) REFERENCES threads (id) ON DELETE CASCADE
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE observation_states;

--changeset memory-gateway:observation-records
-- One row a generation; the highest is the current record, the others are its history.
CREATE TABLE observation_records (
  thread_id                 BIGINT      NOT NULL,
  generation                INT         NOT NULL COMMENT '0, then one more with every reflection',
  public_id                 CHAR(36)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'UUIDv7',
  origin_type               VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'initial, observation, reflection',
  observations              LONGTEXT    CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  observation_tokens        BIGINT      NOT NULL,
  total_tokens_observed     BIGINT      NOT NULL,
  last_observed_at          DATETIME(3) NULL,
  config                    LONGTEXT    CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'a JSON object: thresholds and observer in force',
  reflection                LONGTEXT    CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'prepared, not yet in force',
  reflection_tokens         BIGINT      NULL,
  reflection_input_tokens   BIGINT      NULL,
  created_at                DATETIME(3) NOT NULL,
  updated_at                DATETIME(3) NOT NULL,
  PRIMARY KEY (thread_id, generation),
  UNIQUE KEY observation_records_public_id (public_id),
  CONSTRAINT observation_records_thread FOREIGN KEY (thread_id) REFERENCES threads (id) ON DELETE CASCADE
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE observation_records;

--changeset memory-gateway:observation-chunks
-- Observations prepared in the background, in the order in which they will be appended to the current record.
CREATE TABLE observation_chunks (
  thread_id              BIGINT      NOT NULL,
  last_seq               BIGINT      NOT NULL COMMENT 'messages.seq of the last message that the chunk covers',
  public_id              CHAR(36)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  cycle_id               VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  observations           LONGTEXT    CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  token_count            BIGINT      NOT NULL,
  message_ids            LONGTEXT    CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'a JSON array of strings',
  message_tokens         BIGINT      NOT NULL,
  suggested_continuation TEXT        CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  current_task           TEXT        CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  thread_title           TEXT        CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  last_observed_at       DATETIME(3) NOT NULL,
  created_at             DATETIME(3) NOT NULL,
  PRIMARY KEY (thread_id, last_seq),
  UNIQUE KEY observation_chunks_cycle (thread_id, cycle_id),
  CONSTRAINT observation_chunks_thread FOREIGN KEY (thread_id) REFERENCES threads (id) ON DELETE CASCADE
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE observation_chunks;

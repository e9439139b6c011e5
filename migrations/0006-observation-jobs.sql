--liquibase formatted sql logicalFilePath:migrations/0006-observation-jobs.sql

-- The observer's work (contract §8).

--changeset memory-gateway:observation-jobs
-- A row for each thread that is to be looked at, by whichever node takes it first.
CREATE TABLE observation_jobs (
  thread_id    BIGINT      NOT NULL,
  due_at       DATETIME(3) NOT NULL COMMENT 'when it may be taken; of a taken one, the end of the lease',
  owner        CHAR(36)    CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'who holds the lease; another one for each taking',
  renewals     INT         NOT NULL DEFAULT 0 COMMENT 'how often the lease was prolonged',
  attempts     INT         NOT NULL DEFAULT 0 COMMENT 'failures in a row',
  requested_at DATETIME(3) NOT NULL COMMENT 'since when it is wanted',
  PRIMARY KEY (thread_id),
  KEY observation_jobs_due (due_at),
  CONSTRAINT observation_jobs_thread FOREIGN KEY (thread_id) REFERENCES threads (id) ON DELETE CASCADE
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE observation_jobs;

--changeset memory-gateway:observation-state-marks
ALTER TABLE observation_states
  ADD COLUMN current_task           TEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'what was being worked on when observed last',
  ADD COLUMN suggested_continuation TEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  ADD COLUMN reflect_from           BIGINT NOT NULL DEFAULT 0 COMMENT 'tokens of observations below which no reflection is tried, because one was just made or failed';
--rollback ALTER TABLE observation_states DROP COLUMN current_task, DROP COLUMN suggested_continuation, DROP COLUMN reflect_from;

--changeset memory-gateway:observation-record-marks
ALTER TABLE observation_records
  ADD COLUMN reflection_input_length INT NULL COMMENT 'UTF-16 units of the observations that the prepared reflection stands for: their beginning',
  ADD COLUMN reflection_by_model     TINYINT NULL COMMENT '1: a model made it; 0: the extractive observer';
--rollback ALTER TABLE observation_records DROP COLUMN reflection_input_length, DROP COLUMN reflection_by_model;

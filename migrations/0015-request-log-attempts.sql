--liquibase formatted sql logicalFilePath:migrations/0015-request-log-attempts.sql

-- A row for each attempt of a proxied call (contract §10). The columns are added without copying the table; the version
-- before goes on writing rows without them: each of its calls is one attempt.

--changeset memory-gateway:request-log-attempts
ALTER TABLE request_log
  ADD COLUMN attempt TINYINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'number of the attempt in its call, from 1',
  ADD COLUMN outcome VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'answered' COMMENT 'answered: its answer, or error, was the call''s; failed_over: another attempt followed';
--rollback ALTER TABLE request_log DROP COLUMN attempt, DROP COLUMN outcome;

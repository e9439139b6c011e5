--liquibase formatted sql logicalFilePath:migrations/0022-attempts.sql

-- The last attempt's own status and time: status and duration_ms of its row are those of the call. The columns are added without
-- copying the table; the version before goes on writing rows without them.

--changeset memory-gateway:request-log-own-status
ALTER TABLE request_log
  ADD COLUMN attempt_status SMALLINT NULL COMMENT 'of the attempt itself; null: as status',
  ADD COLUMN attempt_ms     INT      NULL COMMENT 'of the attempt itself; null: as duration_ms';
--rollback ALTER TABLE request_log DROP COLUMN attempt_status, DROP COLUMN attempt_ms;

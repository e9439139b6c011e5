--liquibase formatted sql logicalFilePath:migrations/0013-audit-outbox-time.sql

-- When acts were done whose records are moved to the audit log later.

--changeset memory-gateway:audit-outbox-time
ALTER TABLE audit_outbox
  ADD COLUMN at DATETIME(3) NULL COMMENT 'when it was done, by the clock of the database; null of rows that are older than this column';
--rollback ALTER TABLE audit_outbox DROP COLUMN at;

--liquibase formatted sql logicalFilePath:migrations/0002-counted.sql

-- Who counted the tokens of a call. The version before leaves it null, and reads no column that it does not know.

--changeset memory-gateway:request-log-counted
ALTER TABLE request_log
  ADD COLUMN counted VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'who counted the tokens: reported, by the upstream; estimated, by the gateway where that said nothing';
--rollback ALTER TABLE request_log DROP COLUMN counted;

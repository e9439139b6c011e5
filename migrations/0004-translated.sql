--liquibase formatted sql logicalFilePath:migrations/0004-translated.sql

-- What a call was translated for, and what its model was called. The version before leaves both null, and reads no column that
-- it does not know.

--changeset memory-gateway:request-log-translated
ALTER TABLE request_log
  ADD COLUMN target_endpoint VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'of the target that a call was translated for; null: that of the call',
  ADD COLUMN alias VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'by which the call asked for its model; null: it named a target or a route';
--rollback ALTER TABLE request_log DROP COLUMN alias, DROP COLUMN target_endpoint;

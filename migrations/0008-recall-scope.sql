--liquibase formatted sql logicalFilePath:migrations/0008-recall-scope.sql

-- Whose messages are quoted in a turn of a thread. The version before leaves it null, and reads no column that it does not know.

--changeset memory-gateway:observation-states-recall-scope
ALTER TABLE observation_states
  ADD COLUMN recall_scope VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'thread or resource; null: the default';
--rollback ALTER TABLE observation_states DROP COLUMN recall_scope;

--liquibase formatted sql logicalFilePath:migrations/0014-context.sql

-- What a thread says of its context (contract §8 and §11). The columns are added without copying the table, and the version
-- before goes on writing rows without them.

--changeset memory-gateway:context-of-threads
ALTER TABLE observation_states
  ADD COLUMN recall_tokens INT         NULL COMMENT 'most tokens of old messages that are quoted in a turn, 0 for none; null: the default',
  ADD COLUMN time_marks    TINYINT     NULL COMMENT '1: user messages go upstream with their date behind a gap in time; 0: without; null: the default',
  ADD COLUMN time_zone     VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'zone of these dates; null: the default';
--rollback ALTER TABLE observation_states DROP COLUMN recall_tokens, DROP COLUMN time_marks, DROP COLUMN time_zone;

--liquibase formatted sql logicalFilePath:migrations/0015-told-ends.sql

--changeset memory-gateway:told-ends
-- How the answer ended that a call gets which is sent again (contract §7). Nodes of the version before leave it as it is, so it says of which
-- turn it is.
ALTER TABLE thread_heads
  ADD COLUMN call_told TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'the answer without its messages, behind call_end and a blank; of no meaning behind another number';
--rollback ALTER TABLE thread_heads DROP COLUMN call_told;

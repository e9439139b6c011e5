--liquibase formatted sql logicalFilePath:migrations/0005-turns.sql

-- What turns of proxied calls and their observation need to know (contract §7 and §8).

--changeset memory-gateway:head-marks
ALTER TABLE thread_heads
  ADD COLUMN version      BIGINT NOT NULL DEFAULT 0 COMMENT 'one more with every change of messages or observations; nodes keep what they have read by it',
  ADD COLUMN stored_bytes BIGINT NOT NULL DEFAULT 0 COMMENT 'UTF-8 bytes of content ever stored; no token is shorter than a byte',
  ADD COLUMN observe_at   BIGINT NOT NULL DEFAULT 0 COMMENT 'the observer is to look at the thread once stored_bytes comes to this';
--rollback ALTER TABLE thread_heads DROP COLUMN version, DROP COLUMN stored_bytes, DROP COLUMN observe_at;

--changeset memory-gateway:message-marks
ALTER TABLE messages
  ADD COLUMN incomplete TINYINT NOT NULL DEFAULT 0 COMMENT '1: of a turn that broke off',
  ADD COLUMN superseded TINYINT NOT NULL DEFAULT 0 COMMENT '1: an answer that was asked for again; shown, but no longer part of the conversation',
  ADD COLUMN tokens     INT     NULL COMMENT 'counted by the observer; null: not yet';
--rollback ALTER TABLE messages DROP COLUMN incomplete, DROP COLUMN superseded, DROP COLUMN tokens;

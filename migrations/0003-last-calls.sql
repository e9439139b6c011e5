--liquibase formatted sql logicalFilePath:migrations/0003-last-calls.sql

--changeset memory-gateway:last-calls
-- By which a call that is sent again gets the answer that it has already (contract §7).
ALTER TABLE thread_heads
  ADD COLUMN call_hash   BINARY(32) NULL COMMENT 'SHA-256 of the call whose turn was stored last; of no meaning unless call_end is next_seq, as of what follows',
  ADD COLUMN call_again  TINYINT    NOT NULL DEFAULT 0 COMMENT '1: its caller said that it was a retry',
  ADD COLUMN call_answer BIGINT     NOT NULL DEFAULT 0 COMMENT 'seq of the first message of its answer',
  ADD COLUMN call_end    BIGINT     NOT NULL DEFAULT 0 COMMENT 'next_seq behind its turn',
  ADD COLUMN call_state  TINYINT    NOT NULL DEFAULT 0 COMMENT '1: the end of its answer went to its caller; 2: and the same call was made once more; written up to a second later';
--rollback ALTER TABLE thread_heads DROP COLUMN call_hash, DROP COLUMN call_again, DROP COLUMN call_answer, DROP COLUMN call_end, DROP COLUMN call_state;

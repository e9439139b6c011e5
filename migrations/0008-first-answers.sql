--liquibase formatted sql logicalFilePath:migrations/0008-first-answers.sql

-- A repeated Idempotency-Key gets the first answer again, also when messages of it have been changed since (contract §5).

--changeset memory-gateway:answered-versions
ALTER TABLE idempotency_keys
  ADD COLUMN thread_version BIGINT NULL COMMENT 'thread_heads.version that the messages of the answer were read at; null: there are none, or it was not noted';
--rollback ALTER TABLE idempotency_keys DROP COLUMN thread_version;

--changeset memory-gateway:answered-versions-of-threads
ALTER TABLE idempotency_keys
  DROP KEY idempotency_keys_thread,
  ADD KEY idempotency_keys_thread (thread_id, thread_version, created_at);
--rollback ALTER TABLE idempotency_keys DROP KEY idempotency_keys_thread, ADD KEY idempotency_keys_thread (thread_id);

--changeset memory-gateway:former-messages
-- What messages were before they were changed. Kept only of threads with first answers that may be asked for again, and no
-- longer than these; gone with the message.
CREATE TABLE former_messages (
  thread_id     BIGINT      NOT NULL,
  seq           BIGINT      NOT NULL COMMENT 'of the message',
  until_version BIGINT      NOT NULL COMMENT 'the first thread_heads.version at which the message is another',
  type          VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  content       LONGTEXT    CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'JSON, spelt as it came',
  incomplete    TINYINT     NOT NULL,
  superseded    TINYINT     NOT NULL,
  needed_until  DATETIME(3) NOT NULL COMMENT 'when the last key that it may be needed for is forgotten',
  PRIMARY KEY (thread_id, seq, until_version),
  KEY former_messages_age (needed_until),
  CONSTRAINT former_messages_thread FOREIGN KEY (thread_id) REFERENCES threads (id) ON DELETE CASCADE
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE former_messages;

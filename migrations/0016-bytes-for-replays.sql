--liquibase formatted sql logicalFilePath:migrations/0016-bytes-for-replays.sql

-- What is stored for replays of Idempotency-Keys counts for limits.storage as well. The columns are added without copying a
-- table, and the keys while it is written to; what the version before writes does not count, and is gone after a day.

--changeset memory-gateway:bytes-of-former-messages
ALTER TABLE former_messages
  ADD COLUMN project_id BIGINT NOT NULL DEFAULT 0 COMMENT '0: stored by a version that did not note it',
  ADD COLUMN bytes      BIGINT NOT NULL DEFAULT 0 COMMENT 'UTF-8 bytes of content';
--rollback ALTER TABLE former_messages DROP COLUMN project_id, DROP COLUMN bytes;

--changeset memory-gateway:bytes-of-former-messages-of-projects
ALTER TABLE former_messages
  ADD KEY former_messages_held (project_id, bytes);
--rollback ALTER TABLE former_messages DROP KEY former_messages_held;

--changeset memory-gateway:bytes-of-stored-responses
ALTER TABLE idempotency_keys
  ADD COLUMN body_bytes INT NOT NULL DEFAULT 0 COMMENT 'UTF-8 bytes of body';
--rollback ALTER TABLE idempotency_keys DROP COLUMN body_bytes;

--changeset memory-gateway:bytes-of-stored-responses-of-projects
ALTER TABLE idempotency_keys
  ADD KEY idempotency_keys_held (project_id, body_bytes);
--rollback ALTER TABLE idempotency_keys DROP KEY idempotency_keys_held;

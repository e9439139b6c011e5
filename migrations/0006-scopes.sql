--liquibase formatted sql logicalFilePath:migrations/0006-scopes.sql

-- What a key may do. The version before leaves it null, and reads no column that it does not know.

--changeset memory-gateway:api-keys-scopes
ALTER TABLE api_keys
  ADD COLUMN scopes JSON NULL COMMENT 'what the key may do: {"models": ["vllm/*"], "memory": "read"}; null: all';
--rollback ALTER TABLE api_keys DROP COLUMN scopes;

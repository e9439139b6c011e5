--liquibase formatted sql logicalFilePath:migrations/0018-admin-tokens.sql

--changeset memory-gateway:admin-tokens
-- What scripts show to the admin port (contract §12).
CREATE TABLE admin_tokens (
  id          BIGINT       NOT NULL AUTO_INCREMENT,
  public_id   CHAR(36)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'UUIDv7, names the token to operators',
  name        VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  role        VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'viewer, operator, owner',
  prefix      CHAR(8)      CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'msa_ and four characters, for display',
  secret_hash BINARY(32)   NOT NULL COMMENT 'SHA-256 of the whole token',
  created_at  DATETIME(3)  NOT NULL,
  expires_at  DATETIME(3)  NOT NULL,
  revoked_at  DATETIME(3)  NULL,
  PRIMARY KEY (id),
  UNIQUE KEY admin_tokens_public_id (public_id),
  UNIQUE KEY admin_tokens_secret_hash (secret_hash)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE admin_tokens;

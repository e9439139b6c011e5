--liquibase formatted sql logicalFilePath:migrations/0001-projects-and-keys.sql

--changeset memory-gateway:projects
CREATE TABLE projects (
  id         BIGINT       NOT NULL AUTO_INCREMENT,
  public_id  CHAR(36)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'UUIDv7, what clients see',
  name       VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  created_at DATETIME(3)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY projects_public_id (public_id),
  UNIQUE KEY projects_name (name)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE projects;

--changeset memory-gateway:api-keys
CREATE TABLE api_keys (
  id           BIGINT       NOT NULL AUTO_INCREMENT,
  public_id    CHAR(36)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'UUIDv7, names the key to operators',
  project_id   BIGINT       NOT NULL,
  name         VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  prefix       CHAR(8)      CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'msk_ and four characters, for display',
  secret_hash  BINARY(32)   NOT NULL COMMENT 'SHA-256 of the whole key',
  limits       JSON         NULL COMMENT 'per-rule overrides: {"memory_read": 100}',
  created_at   DATETIME(3)  NOT NULL,
  expires_at   DATETIME(3)  NULL,
  revoked_at   DATETIME(3)  NULL,
  last_used_at DATETIME(3)  NULL,
  PRIMARY KEY (id),
  UNIQUE KEY api_keys_public_id (public_id),
  UNIQUE KEY api_keys_secret_hash (secret_hash),
  KEY api_keys_project (project_id),
  CONSTRAINT api_keys_project FOREIGN KEY (project_id) REFERENCES projects (id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE api_keys;

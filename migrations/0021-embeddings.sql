--liquibase formatted sql logicalFilePath:migrations/0021-embeddings.sql

-- Vectors of messages, for a search by meaning (contract §11). New tables only: the version before knows nothing of them, and
-- goes on. No foreign keys; rows of deleted messages are removed with them.

--changeset memory-gateway:embedding-models
CREATE TABLE embedding_models (
  id         INT          NOT NULL AUTO_INCREMENT,
  name       VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'provider/model, as configured',
  dimensions INT          NOT NULL COMMENT 'numbers of a vector, as the model was seen to answer',
  PRIMARY KEY (id),
  UNIQUE KEY embedding_models_name (name, dimensions)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE embedding_models;

--changeset memory-gateway:embedding-threads
-- How far each thread has been embedded. Clustered by resource, so that a search reads one range.
CREATE TABLE embedding_threads (
  project_id    BIGINT     NOT NULL,
  resource_hash BINARY(16) NOT NULL COMMENT 'first half of SHA-256 of the resource id',
  thread_id     BIGINT     NOT NULL COMMENT 'threads.id',
  model_id      INT        NOT NULL COMMENT 'embedding_models.id',
  next_seq      BIGINT     NOT NULL COMMENT 'every message below has a vector of this model, or has nothing to embed',
  revision      BIGINT     NOT NULL COMMENT 'one more when vectors are dropped because a message or the model changed',
  PRIMARY KEY (project_id, resource_hash, thread_id),
  UNIQUE KEY embedding_threads_thread (thread_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE embedding_threads;

--changeset memory-gateway:message-vectors
CREATE TABLE message_vectors (
  project_id    BIGINT          NOT NULL,
  resource_hash BINARY(16)      NOT NULL,
  thread_id     BIGINT          NOT NULL,
  seq           BIGINT          NOT NULL COMMENT 'messages.seq',
  model_id      INT             NOT NULL COMMENT 'embedding_models.id',
  vector        VARBINARY(8192) NOT NULL COMMENT 'a signed byte a number, scaled so that the largest is 127',
  PRIMARY KEY (project_id, resource_hash, thread_id, seq)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE message_vectors;

--liquibase formatted sql logicalFilePath:migrations/0009-sizes-and-removal.sql

-- Pages are bounded in bytes, and a thread is deleted and cloned at the same price whatever its size (contract §5). The new
-- columns are added without copying a table, and the version before goes on writing rows without them.

--changeset memory-gateway:content-bytes
-- Known without reading the content, which for large messages stands on pages of its own.
ALTER TABLE messages
  ADD COLUMN content_bytes INT NULL COMMENT 'UTF-8 bytes of content; null: stored by a version that did not note them';
--rollback ALTER TABLE messages DROP COLUMN content_bytes;

--changeset memory-gateway:changed-versions
ALTER TABLE thread_heads
  ADD COLUMN changed_version BIGINT NOT NULL DEFAULT 0 COMMENT 'version of the last change of messages other than storing new ones at the end';
--rollback ALTER TABLE thread_heads DROP COLUMN changed_version;

--changeset memory-gateway:removed-threads
-- Threads without a head: invisible to everybody. Their rows are removed in the background, in batches. A thread that is
-- being copied is entered here as well, with a later due_at, until the copy is whole: so what a crash leaves is removed.
CREATE TABLE removed_threads (
  thread_id   BIGINT      NOT NULL COMMENT 'threads.id',
  project_id  BIGINT      NOT NULL,
  due_at      DATETIME(3) NOT NULL COMMENT 'when its rows may be removed',
  removing    TINYINT     NOT NULL DEFAULT 0 COMMENT '1: rows are missing already',
  PRIMARY KEY (thread_id),
  KEY removed_threads_due (due_at)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE removed_threads;

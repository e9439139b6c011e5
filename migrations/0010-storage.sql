--liquibase formatted sql logicalFilePath:migrations/0010-storage.sql

-- What the threads of a project hold can be added up (limits.storage). The columns are added without copying a table, and
-- the version before goes on writing rows without them: until it is gone, what it deletes or replaces still counts, and
-- titles and metadata that it writes do not.

--changeset memory-gateway:held-bytes
ALTER TABLE thread_heads
  ADD COLUMN removed_bytes   BIGINT NOT NULL DEFAULT 0 COMMENT 'of stored_bytes, those of content that was deleted or replaced since',
  ADD COLUMN described_bytes BIGINT NOT NULL DEFAULT 0 COMMENT 'UTF-8 bytes of title and metadata';
--rollback ALTER TABLE thread_heads DROP COLUMN removed_bytes, DROP COLUMN described_bytes;

--changeset memory-gateway:held-bytes-of-projects
-- Covers the sum: 100,000 threads are added up from some megabytes of index instead of 100,000 rows in random order.
ALTER TABLE thread_heads
  ADD KEY thread_heads_held (project_id, stored_bytes, removed_bytes, described_bytes, message_count);
--rollback ALTER TABLE thread_heads DROP KEY thread_heads_held;

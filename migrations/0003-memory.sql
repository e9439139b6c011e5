--liquibase formatted sql logicalFilePath:migrations/0003-memory.sql

-- Ids that clients give are VARBINARY: their UTF-8 bytes, 255 characters of up to four bytes each. Text columns would take
-- "a" and "a " for the same id, because the comparison that both servers share pads with blanks.
-- JSON of clients is text, never of type JSON: MySQL's would spell 1.10 as 1.1 and reorder members.

--changeset memory-gateway:threads
CREATE TABLE threads (
  id            BIGINT          NOT NULL AUTO_INCREMENT,
  project_id    BIGINT          NOT NULL,
  public_id     VARBINARY(1020) NOT NULL COMMENT 'UTF-8 of the id that clients see',
  resource_id   VARBINARY(1020) NOT NULL COMMENT 'UTF-8 of the resource that the thread is bound to',
  title         TEXT            CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  metadata      LONGTEXT        CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'a JSON object, spelt as it came',
  created_at    DATETIME(3)     NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY threads_public_id (project_id, public_id),
  CONSTRAINT threads_project FOREIGN KEY (project_id) REFERENCES projects (id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE threads;

--changeset memory-gateway:thread-heads
-- What changes with every message. Not part of threads: MySQL cannot track the dependencies of a transaction that changes
-- a table which others refer to, so replicas apply it alone, and 9.7 spends a millisecond on each such commit.
CREATE TABLE thread_heads (
  thread_id     BIGINT          NOT NULL,
  project_id    BIGINT          NOT NULL COMMENT 'as in threads; never changes, nor do the next two',
  public_id     VARBINARY(1020) NOT NULL,
  resource_id   VARBINARY(1020) NOT NULL,
  base_seq      BIGINT          NOT NULL COMMENT 'seq of position 0, as long as nothing is deleted',
  next_seq      BIGINT          NOT NULL COMMENT 'seq of the message that is stored next',
  message_count BIGINT          NOT NULL COMMENT 'how many there are: next_seq - base_seq unless some were deleted',
  updated_at    DATETIME(3)     NOT NULL,
  PRIMARY KEY (thread_id),
  UNIQUE KEY thread_heads_public_id (project_id, public_id),
  KEY thread_heads_listed (project_id, updated_at DESC, public_id),
  KEY thread_heads_of_resource (project_id, resource_id, updated_at DESC, public_id),
  CONSTRAINT thread_heads_thread FOREIGN KEY (thread_id) REFERENCES threads (id) ON DELETE CASCADE
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE thread_heads;

--changeset memory-gateway:thread-counts
-- How many threads a project has, and each of its resources, spread over slots so that callers who make threads at the same
-- time do not wait for each other.
CREATE TABLE thread_counts (
  project_id  BIGINT          NOT NULL,
  resource_id VARBINARY(1020) NOT NULL COMMENT 'empty: the whole project',
  slot        TINYINT         NOT NULL COMMENT 'threads.id modulo 8',
  threads     BIGINT          NOT NULL,
  PRIMARY KEY (project_id, resource_id, slot),
  CONSTRAINT thread_counts_project FOREIGN KEY (project_id) REFERENCES projects (id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE thread_counts;

--changeset memory-gateway:messages
-- Clustered by thread and order of storing, so that a page is one range.
CREATE TABLE messages (
  thread_id  BIGINT          NOT NULL,
  seq        BIGINT          NOT NULL COMMENT 'order of storing, given under the lock of the thread; never used twice',
  public_id  VARBINARY(1020) NOT NULL COMMENT 'UTF-8 of the id that clients see',
  role       VARCHAR(16)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  type       VARCHAR(16)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  content    LONGTEXT        CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'JSON, spelt as it came',
  created_at DATETIME(3)     NOT NULL COMMENT 'shown, never sorted by',
  PRIMARY KEY (thread_id, seq),
  UNIQUE KEY messages_public_id (thread_id, public_id),
  CONSTRAINT messages_thread FOREIGN KEY (thread_id) REFERENCES threads (id) ON DELETE CASCADE
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE messages;

--changeset memory-gateway:message-gaps
-- Only threads that lost messages have rows here. From them an offset is turned into a seq without counting messages.
CREATE TABLE message_gaps (
  thread_id BIGINT NOT NULL,
  block     BIGINT NOT NULL COMMENT 'seq divided by 512',
  deleted   INT    NOT NULL COMMENT 'how many of the block are gone, from base_seq on',
  PRIMARY KEY (thread_id, block),
  CONSTRAINT message_gaps_thread FOREIGN KEY (thread_id) REFERENCES threads (id) ON DELETE CASCADE
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE message_gaps;

--changeset memory-gateway:idempotency-keys
-- The first answers to writes that carried an Idempotency-Key, for 24 hours. Messages are not copied here: the row names them
-- and they are read again, so nothing of a deleted message stays behind.
CREATE TABLE idempotency_keys (
  project_id   BIGINT      NOT NULL,
  key_hash     BINARY(32)  NOT NULL COMMENT 'SHA-256 of the Idempotency-Key',
  request_hash BINARY(32)  NOT NULL COMMENT 'SHA-256 of method, path, query and body',
  status       SMALLINT    NOT NULL COMMENT '0 inside the transaction that claims the key; 404 once its thread is deleted',
  thread_id    BIGINT      NULL COMMENT 'threads.id of the thread that the answer speaks of',
  body         LONGTEXT    CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'the answer, without its messages',
  message_seqs TEXT        CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'messages of the answer: 12-14,17',
  created_at   DATETIME(3) NOT NULL,
  PRIMARY KEY (project_id, key_hash),
  KEY idempotency_keys_age (created_at),
  KEY idempotency_keys_thread (thread_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE idempotency_keys;

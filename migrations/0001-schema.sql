--liquibase formatted sql logicalFilePath:migrations/0001-schema.sql

-- The schema of version 1. Every table has a primary key, and no foreign key cascades: Group Replication refuses both where several
-- members take writes (contract §13). Rows of deleted threads are removed in batches, under the lock of their thread.
--
-- Ids that clients give are VARBINARY: their UTF-8 bytes, 255 characters of up to four bytes each. Text columns would take
-- "a" and "a " for the same id, because the comparison that both servers share pads with blanks.
-- JSON of clients is text, never of type JSON: MySQL's would spell 1.10 as 1.1 and reorder members.

--changeset memory-gateway:changelog-key
--preconditions onFail:MARK_RAN onError:HALT
--precondition-sql-check expectedResult:0 SELECT COUNT(*) FROM information_schema.table_constraints WHERE table_schema = DATABASE() AND LOWER(table_name) = 'databasechangelog' AND constraint_type = 'PRIMARY KEY'
ALTER TABLE DATABASECHANGELOG ENGINE = InnoDB, ROW_FORMAT = DYNAMIC, ADD PRIMARY KEY (ID, AUTHOR, FILENAME);
--rollback SELECT 1;

--changeset memory-gateway:projects
CREATE TABLE projects (
  id         BIGINT       NOT NULL AUTO_INCREMENT,
  public_id  CHAR(36)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'UUIDv7, what clients see',
  name       VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  created_at DATETIME(3)  NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY projects_public_id (public_id),
  UNIQUE KEY projects_name (name)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
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
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE api_keys;

--changeset memory-gateway:rate-limit-slots
CREATE TABLE rate_limit_slots (
  slot           INT          NOT NULL COMMENT 'start_N and used_N in rate_limit_windows',
  rule           VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'null: free',
  window_seconds INT          NULL,
  seen_at        DATETIME(3)  NULL COMMENT 'when a node last used it; free again two days later',
  PRIMARY KEY (slot),
  UNIQUE KEY rate_limit_slots_rule (rule, window_seconds)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT 'Which rule counts in which columns of rate_limit_windows';
--rollback DROP TABLE rate_limit_slots;

--changeset memory-gateway:rate-limit-slots-free
INSERT INTO rate_limit_slots (slot) VALUES
  (0), (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11),
  (12), (13), (14), (15), (16), (17), (18), (19), (20), (21), (22), (23);
--rollback DELETE FROM rate_limit_slots;

--changeset memory-gateway:rate-limit-windows
CREATE TABLE rate_limit_windows (
  key_id        BIGINT NOT NULL COMMENT 'api_keys.id; 0 is no key: nodes warm up and probe with it',
  touched_at    BIGINT NOT NULL COMMENT 'database time, milliseconds since the epoch, here and in start_N',
  granted_llm   INT    NOT NULL DEFAULT 0 COMMENT 'what the last batch got, by kind of request',
  granted_read  INT    NOT NULL DEFAULT 0,
  granted_write INT    NOT NULL DEFAULT 0,
  granted_other INT    NOT NULL DEFAULT 0,
  start_0  BIGINT NULL, used_0  BIGINT NULL,
  start_1  BIGINT NULL, used_1  BIGINT NULL,
  start_2  BIGINT NULL, used_2  BIGINT NULL,
  start_3  BIGINT NULL, used_3  BIGINT NULL,
  start_4  BIGINT NULL, used_4  BIGINT NULL,
  start_5  BIGINT NULL, used_5  BIGINT NULL,
  start_6  BIGINT NULL, used_6  BIGINT NULL,
  start_7  BIGINT NULL, used_7  BIGINT NULL,
  start_8  BIGINT NULL, used_8  BIGINT NULL,
  start_9  BIGINT NULL, used_9  BIGINT NULL,
  start_10 BIGINT NULL, used_10 BIGINT NULL,
  start_11 BIGINT NULL, used_11 BIGINT NULL,
  start_12 BIGINT NULL, used_12 BIGINT NULL,
  start_13 BIGINT NULL, used_13 BIGINT NULL,
  start_14 BIGINT NULL, used_14 BIGINT NULL,
  start_15 BIGINT NULL, used_15 BIGINT NULL,
  start_16 BIGINT NULL, used_16 BIGINT NULL,
  start_17 BIGINT NULL, used_17 BIGINT NULL,
  start_18 BIGINT NULL, used_18 BIGINT NULL,
  start_19 BIGINT NULL, used_19 BIGINT NULL,
  start_20 BIGINT NULL, used_20 BIGINT NULL,
  start_21 BIGINT NULL, used_21 BIGINT NULL,
  start_22 BIGINT NULL, used_22 BIGINT NULL,
  start_23 BIGINT NULL, used_23 BIGINT NULL,
  PRIMARY KEY (key_id)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT 'One row per key: every counter and its window; a null counter takes no room';
--rollback DROP TABLE rate_limit_windows;

--changeset memory-gateway:threads
CREATE TABLE threads (
  id          BIGINT          NOT NULL AUTO_INCREMENT,
  project_id  BIGINT          NOT NULL,
  public_id   VARBINARY(1020) NOT NULL COMMENT 'UTF-8 of the id that clients see',
  resource_id VARBINARY(1020) NOT NULL COMMENT 'UTF-8 of the resource that the thread is bound to',
  title       TEXT            CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  metadata    LONGTEXT        CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'a JSON object, spelt as it came',
  created_at  DATETIME(3)     NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY threads_public_id (project_id, public_id),
  CONSTRAINT threads_project FOREIGN KEY (project_id) REFERENCES projects (id)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE threads;

--changeset memory-gateway:thread-heads
-- What changes with every message. Not part of threads: MySQL cannot track the dependencies of a transaction that changes
-- a table which others refer to, so replicas apply it alone, and 9.7 spends a millisecond on each such commit.
-- thread_heads_held covers the sum of what a project holds: 100,000 threads are added up from some megabytes of index.
CREATE TABLE thread_heads (
  thread_id       BIGINT          NOT NULL,
  project_id      BIGINT          NOT NULL COMMENT 'as in threads; never changes, nor do the next two',
  public_id       VARBINARY(1020) NOT NULL,
  resource_id     VARBINARY(1020) NOT NULL,
  base_seq        BIGINT          NOT NULL COMMENT 'seq of position 0, as long as nothing is deleted',
  next_seq        BIGINT          NOT NULL COMMENT 'seq of the message that is stored next',
  message_count   BIGINT          NOT NULL COMMENT 'how many there are: next_seq - base_seq unless some were deleted',
  updated_at      DATETIME(3)     NOT NULL,
  version         BIGINT          NOT NULL DEFAULT 0 COMMENT 'one more with every change of messages or observations; nodes keep what they have read by it',
  stored_bytes    BIGINT          NOT NULL DEFAULT 0 COMMENT 'UTF-8 bytes of content ever stored; no token is shorter than a byte',
  observe_at      BIGINT          NOT NULL DEFAULT 0 COMMENT 'the observer is to look at the thread once stored_bytes comes to this',
  changed_version BIGINT          NOT NULL DEFAULT 0 COMMENT 'version of the last change of messages other than storing new ones at the end',
  removed_bytes   BIGINT          NOT NULL DEFAULT 0 COMMENT 'of stored_bytes, those of content that was deleted or replaced since',
  described_bytes BIGINT          NOT NULL DEFAULT 0 COMMENT 'UTF-8 bytes of title and metadata',
  PRIMARY KEY (thread_id),
  UNIQUE KEY thread_heads_public_id (project_id, public_id),
  KEY thread_heads_listed (project_id, updated_at DESC, public_id),
  KEY thread_heads_of_resource (project_id, resource_id, updated_at DESC, public_id),
  KEY thread_heads_held (project_id, stored_bytes, removed_bytes, described_bytes, message_count)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
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
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE thread_counts;

--changeset memory-gateway:messages
-- Clustered by thread and order of storing, so that a page is one range.
CREATE TABLE messages (
  thread_id     BIGINT          NOT NULL,
  seq           BIGINT          NOT NULL COMMENT 'order of storing, given under the lock of the thread; never used twice',
  public_id     VARBINARY(1020) NOT NULL COMMENT 'UTF-8 of the id that clients see',
  role          VARCHAR(16)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  type          VARCHAR(16)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  content       LONGTEXT        CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'JSON, spelt as it came',
  created_at    DATETIME(3)     NOT NULL COMMENT 'shown, never sorted by',
  incomplete    TINYINT         NOT NULL DEFAULT 0 COMMENT '1: of a turn that broke off',
  superseded    TINYINT         NOT NULL DEFAULT 0 COMMENT '1: an answer that was asked for again; shown, but no longer part of the conversation',
  tokens        INT             NULL COMMENT 'counted by the observer; null: not yet',
  content_bytes INT             NOT NULL COMMENT 'UTF-8 bytes of content: known without reading it, which for large messages stands on pages of its own',
  PRIMARY KEY (thread_id, seq),
  UNIQUE KEY messages_public_id (thread_id, public_id)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE messages;

--changeset memory-gateway:message-gaps
-- Only threads that lost messages have rows here. From them an offset is turned into a seq without counting messages.
CREATE TABLE message_gaps (
  thread_id BIGINT NOT NULL,
  block     BIGINT NOT NULL COMMENT 'seq divided by 512',
  deleted   INT    NOT NULL COMMENT 'how many of the block are gone, from base_seq on',
  PRIMARY KEY (thread_id, block)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE message_gaps;

--changeset memory-gateway:idempotency-keys
-- The first answers to writes that carried an Idempotency-Key, for 24 hours. Messages are not copied here: the row names them
-- and they are read again, so nothing of a deleted message stays behind.
CREATE TABLE idempotency_keys (
  project_id     BIGINT      NOT NULL,
  key_hash       BINARY(32)  NOT NULL COMMENT 'SHA-256 of the Idempotency-Key',
  request_hash   BINARY(32)  NOT NULL COMMENT 'SHA-256 of method, path, query and body',
  status         SMALLINT    NOT NULL COMMENT '0 inside the transaction that claims the key; 404 once its thread is deleted',
  thread_id      BIGINT      NULL COMMENT 'threads.id of the thread that the answer speaks of',
  body           LONGTEXT    CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'the answer, without its messages',
  message_seqs   TEXT        CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'messages of the answer: 12-14,17',
  created_at     DATETIME(3) NOT NULL,
  thread_version BIGINT      NULL COMMENT 'thread_heads.version that the messages of the answer were read at; null: there are none',
  body_bytes     INT         NOT NULL DEFAULT 0 COMMENT 'UTF-8 bytes of body',
  PRIMARY KEY (project_id, key_hash),
  KEY idempotency_keys_age (created_at),
  KEY idempotency_keys_thread (thread_id, thread_version, created_at),
  KEY idempotency_keys_held (project_id, body_bytes)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE idempotency_keys;

--changeset memory-gateway:observation-states
-- What observational memory knows of a thread besides its records. No row: nothing was set and nothing was observed.
CREATE TABLE observation_states (
  thread_id                  BIGINT      NOT NULL,
  message_tokens             INT         NULL COMMENT 'own threshold of the observer; null: the default',
  observation_tokens         INT         NULL COMMENT 'own threshold of the reflector; null: the default',
  observed_seq               BIGINT      NOT NULL DEFAULT -1 COMMENT 'messages.seq up to which all is observed',
  observing_until            DATETIME(3) NULL COMMENT 'leases: a node that dies does not leave the work marked as running',
  reflecting_until           DATETIME(3) NULL,
  buffering_until            DATETIME(3) NULL,
  buffering_reflection_until DATETIME(3) NULL,
  current_task               TEXT        CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'what was being worked on when observed last',
  suggested_continuation     TEXT        CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  reflect_from               BIGINT      NOT NULL DEFAULT 0 COMMENT 'tokens of observations below which no reflection is tried, because one was just made or failed',
  recall_tokens              INT         NULL COMMENT 'most tokens of old messages that are quoted in a turn, 0 for none; null: the default',
  time_marks                 TINYINT     NULL COMMENT '1: user messages go upstream with their date behind a gap in time; 0: without; null: the default',
  time_zone                  VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'zone of these dates; null: the default',
  PRIMARY KEY (thread_id)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE observation_states;

--changeset memory-gateway:observation-records
-- One row a generation; the highest is the current record, the others are its history.
CREATE TABLE observation_records (
  thread_id               BIGINT      NOT NULL,
  generation              INT         NOT NULL COMMENT '0, then one more with every reflection',
  public_id               CHAR(36)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'UUIDv7',
  origin_type             VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'initial, observation, reflection',
  observations            LONGTEXT    CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  observation_tokens      BIGINT      NOT NULL,
  total_tokens_observed   BIGINT      NOT NULL,
  last_observed_at        DATETIME(3) NULL,
  config                  LONGTEXT    CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'a JSON object: thresholds and observer in force',
  reflection              LONGTEXT    CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'prepared, not yet in force',
  reflection_tokens       BIGINT      NULL,
  reflection_input_tokens BIGINT      NULL,
  created_at              DATETIME(3) NOT NULL,
  updated_at              DATETIME(3) NOT NULL,
  reflection_input_length INT         NULL COMMENT 'UTF-16 units of the observations that the prepared reflection stands for: their beginning',
  reflection_by_model     TINYINT     NULL COMMENT '1: a model made it; 0: the extractive observer',
  PRIMARY KEY (thread_id, generation),
  UNIQUE KEY observation_records_public_id (public_id)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE observation_records;

--changeset memory-gateway:observation-chunks
-- Observations prepared in the background, in the order in which they will be appended to the current record.
CREATE TABLE observation_chunks (
  thread_id              BIGINT      NOT NULL,
  last_seq               BIGINT      NOT NULL COMMENT 'messages.seq of the last message that the chunk covers',
  public_id              CHAR(36)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  cycle_id               VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  observations           LONGTEXT    CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  token_count            BIGINT      NOT NULL,
  message_ids            LONGTEXT    CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'a JSON array of strings',
  message_tokens         BIGINT      NOT NULL,
  suggested_continuation TEXT        CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  current_task           TEXT        CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  thread_title           TEXT        CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  last_observed_at       DATETIME(3) NOT NULL,
  created_at             DATETIME(3) NOT NULL,
  PRIMARY KEY (thread_id, last_seq),
  UNIQUE KEY observation_chunks_cycle (thread_id, cycle_id)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE observation_chunks;

--changeset memory-gateway:observation-jobs
-- A row for each thread that is to be looked at, by whichever node takes it first.
CREATE TABLE observation_jobs (
  thread_id    BIGINT      NOT NULL,
  due_at       DATETIME(3) NOT NULL COMMENT 'when it may be taken; of a taken one, the end of the lease',
  owner        CHAR(36)    CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'who holds the lease; another one for each taking',
  renewals     INT         NOT NULL DEFAULT 0 COMMENT 'how often the lease was prolonged',
  attempts     INT         NOT NULL DEFAULT 0 COMMENT 'failures in a row',
  requested_at DATETIME(3) NOT NULL COMMENT 'since when it is wanted',
  PRIMARY KEY (thread_id),
  KEY observation_jobs_due (due_at)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE observation_jobs;

--changeset memory-gateway:request-log
-- A row for each attempt of a proxied call (contract §10). No foreign keys: it is written in the background and must hold nobody up. In the order of
-- time, so that a report and the removal of old rows are one range each; the id is given by the node, so that a batch that
-- is written again after a lost connection counts once.
CREATE TABLE request_log (
  started_at     DATETIME(3)      NOT NULL COMMENT 'by the clock of the node',
  id             BIGINT           NOT NULL COMMENT 'random',
  project_id     BIGINT           NOT NULL,
  key_id         BIGINT           NOT NULL,
  request_id     VARCHAR(128)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'X-Request-Id',
  thread_hash    BINARY(16)       NULL COMMENT 'first half of SHA-256 of project_id, a slash and the id that clients see; the id itself is not kept',
  endpoint       VARCHAR(16)      CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  provider       VARCHAR(64)      CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  model          VARCHAR(255)     CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  status         SMALLINT         NOT NULL COMMENT 'as the client saw it; 499: it left',
  stream         BOOLEAN          NOT NULL,
  input_tokens   BIGINT           NULL COMMENT 'as the upstream counted them; null: it did not say',
  output_tokens  BIGINT           NULL,
  cached_tokens  BIGINT           NULL COMMENT 'those of the input that came from a cache',
  duration_ms    INT              NOT NULL,
  upstream_ms    INT              NULL,
  first_byte_ms  INT              NULL,
  error_type     VARCHAR(32)      CHARACTER SET ascii COLLATE ascii_bin NULL,
  attempt        TINYINT UNSIGNED NOT NULL COMMENT 'number of the attempt in its call, from 1',
  outcome        VARCHAR(16)      CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'answered: its answer, or error, was the call''s; failed_over: another attempt followed',
  attempt_status SMALLINT         NOT NULL COMMENT 'of the attempt itself: status and duration_ms are those of the call',
  attempt_ms     INT              NOT NULL,
  PRIMARY KEY (started_at, id),
  KEY request_log_key (key_id, started_at),
  KEY request_log_project (project_id, started_at),
  KEY request_log_model (model, started_at),
  KEY request_log_status (status, started_at),
  KEY request_log_request (request_id),
  KEY request_log_thread (thread_hash, started_at)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE request_log;

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
  project_id    BIGINT      NOT NULL,
  bytes         BIGINT      NOT NULL COMMENT 'UTF-8 bytes of content',
  PRIMARY KEY (thread_id, seq, until_version),
  KEY former_messages_age (needed_until),
  KEY former_messages_held (project_id, bytes)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE former_messages;

--changeset memory-gateway:removed-threads
-- Threads without a head: invisible to everybody. Their rows are removed in the background, in batches. A thread that is
-- being copied is entered here as well, with a later due_at, until the copy is whole: so what a crash leaves is removed.
CREATE TABLE removed_threads (
  thread_id  BIGINT      NOT NULL COMMENT 'threads.id',
  project_id BIGINT      NOT NULL,
  due_at     DATETIME(3) NOT NULL COMMENT 'when its rows may be removed',
  removing   TINYINT     NOT NULL DEFAULT 0 COMMENT '1: rows are missing already',
  PRIMARY KEY (thread_id),
  KEY removed_threads_due (due_at)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE removed_threads;

--changeset memory-gateway:turn-claims
-- Who is answering a call with such a key. Gone when the call is over, and of no account once the lease has run out; what was
-- answered stands in idempotency_keys, whose key is what keeps a turn from being stored twice.
CREATE TABLE turn_claims (
  project_id   BIGINT      NOT NULL,
  key_hash     BINARY(32)  NOT NULL COMMENT 'SHA-256 of the Idempotency-Key',
  request_hash BINARY(32)  NOT NULL COMMENT 'SHA-256 of path, query, thread, resource and body',
  owner        CHAR(36)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'another one for each call',
  lease_until  DATETIME(3) NOT NULL COMMENT 'by the clock of the database',
  PRIMARY KEY (project_id, key_hash),
  KEY turn_claims_lease (lease_until)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE turn_claims;

--changeset memory-gateway:leases
CREATE TABLE leases (
  name       VARCHAR(64) NOT NULL COMMENT 'of the work',
  owner      CHAR(36)    NOT NULL COMMENT 'made anew each time that the lease is taken',
  expires_at DATETIME(3) NOT NULL COMMENT 'by the clock of the database; from then on anybody may take it',
  PRIMARY KEY (name)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE leases;

--changeset memory-gateway:audit-log
CREATE TABLE audit_log (
  seq           BIGINT       NOT NULL COMMENT 'from 1 on, without a gap',
  at            DATETIME(3)  NOT NULL COMMENT 'by the clock of the database',
  actor         VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'who: a user, the name of a token',
  role          VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  source        VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'from where: an address, or a command on a host',
  request_id    VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NULL,
  action        VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  subject       TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'what was acted on, such as the id of a key',
  outcome       VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'done, failed, refused',
  before_state  MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'JSON, without secrets',
  after_state   MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'likewise',
  previous_hash BINARY(32)   NOT NULL COMMENT 'hash of the row before; zeros in the first one',
  hash          BINARY(32)   NOT NULL COMMENT 'SHA-256 of all other columns',
  PRIMARY KEY (seq),
  KEY audit_log_at (at)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE audit_log;

--changeset memory-gateway:audit-head
-- The end of the chain: one row, which every node locks before it adds to the chain.
CREATE TABLE audit_head (
  id   TINYINT    NOT NULL COMMENT '1',
  seq  BIGINT     NOT NULL COMMENT 'of the last row; 0: there is none',
  hash BINARY(32) NOT NULL COMMENT 'of the last row',
  PRIMARY KEY (id)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE audit_head;

--changeset memory-gateway:audit-head-row
INSERT INTO audit_head (id, seq, hash) VALUES (1, 0, UNHEX(REPEAT('00', 32)));
--rollback DELETE FROM audit_head;

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
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE admin_tokens;

--changeset memory-gateway:usage-hours
-- Totals in the two forms that pages read: of everything by hour and by day, and of few things by five minutes. At ten million
-- calls a month, everything by five minutes would be hardly less than the calls themselves.
CREATE TABLE usage_hours (
  started_at           DATETIME     NOT NULL COMMENT 'begin of the hour in which the attempts began',
  project_id           BIGINT       NOT NULL,
  key_id               BIGINT       NOT NULL,
  endpoint             VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  provider             VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  model                VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  status               SMALLINT     NOT NULL,
  error_type           VARCHAR(32)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'empty: none',
  calls                BIGINT       NOT NULL,
  errors               BIGINT       NOT NULL COMMENT 'those of the calls whose status is 400 or more',
  failed_attempts      BIGINT       NOT NULL COMMENT 'attempts that another one followed',
  calls_without_tokens BIGINT       NOT NULL,
  input_tokens         BIGINT       NOT NULL,
  output_tokens        BIGINT       NOT NULL,
  cached_tokens        BIGINT       NOT NULL,
  duration_ms          BIGINT       NOT NULL COMMENT 'of the calls together',
  PRIMARY KEY (started_at, project_id, key_id, endpoint, provider, model, status, error_type)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE usage_hours;

--changeset memory-gateway:usage-traffic
CREATE TABLE usage_traffic (
  started_at           DATETIME    NOT NULL COMMENT 'begin of the five minutes in which the attempts began',
  provider             VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  status               SMALLINT    NOT NULL,
  error_type           VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'empty: none',
  calls                BIGINT      NOT NULL,
  errors               BIGINT      NOT NULL,
  failed_attempts      BIGINT      NOT NULL,
  calls_without_tokens BIGINT      NOT NULL,
  input_tokens         BIGINT      NOT NULL,
  output_tokens        BIGINT      NOT NULL,
  cached_tokens        BIGINT      NOT NULL,
  duration_ms          BIGINT      NOT NULL,
  PRIMARY KEY (started_at, provider, status, error_type)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE usage_traffic;

--changeset memory-gateway:usage-days
CREATE TABLE usage_days (
  started_at           DATETIME     NOT NULL COMMENT 'begin of the day, UTC',
  project_id           BIGINT       NOT NULL,
  key_id               BIGINT       NOT NULL,
  endpoint             VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  provider             VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  model                VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  status               SMALLINT     NOT NULL,
  error_type           VARCHAR(32)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'empty: none',
  calls                BIGINT       NOT NULL,
  errors               BIGINT       NOT NULL,
  failed_attempts      BIGINT       NOT NULL,
  calls_without_tokens BIGINT       NOT NULL,
  input_tokens         BIGINT       NOT NULL,
  output_tokens        BIGINT       NOT NULL,
  cached_tokens        BIGINT       NOT NULL,
  duration_ms          BIGINT       NOT NULL,
  PRIMARY KEY (started_at, project_id, key_id, endpoint, provider, model, status, error_type)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE usage_days;

--changeset memory-gateway:rate-limit-refusals
-- Requests that a rate limit refused, by minute, and by node so that each adds up its own.
CREATE TABLE rate_limit_refusals (
  minute          DATETIME     NOT NULL COMMENT 'begin of the minute, by the clock of the node',
  key_id          BIGINT       NOT NULL,
  rule            VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  scope           VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'X-RateLimit-Scope',
  node            CHAR(36)     CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'chosen by each process when it starts',
  limited_to      BIGINT       NOT NULL COMMENT 'requests in a window, as it was for the key',
  window_seconds  INT          NOT NULL,
  refused         BIGINT       NOT NULL,
  last_at         DATETIME(3)  NOT NULL,
  last_request_id VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'X-Request-Id',
  PRIMARY KEY (minute, key_id, rule, scope, node),
  KEY rate_limit_refusals_key (key_id, minute)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE rate_limit_refusals;

--changeset memory-gateway:embedding-models
CREATE TABLE embedding_models (
  id         INT          NOT NULL AUTO_INCREMENT,
  name       VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'provider/model, as configured',
  dimensions INT          NOT NULL COMMENT 'numbers of a vector, as the model was seen to answer',
  PRIMARY KEY (id),
  UNIQUE KEY embedding_models_name (name, dimensions)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
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
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
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
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE message_vectors;

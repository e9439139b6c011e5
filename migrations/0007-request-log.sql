--liquibase formatted sql logicalFilePath:migrations/0007-request-log.sql

--changeset memory-gateway:request-log
-- A row for each proxied call. No foreign keys: it is written in the background and must hold nobody up. In the order of
-- time, so that a report and the removal of old rows are one range each; the id is given by the node, so that a batch that
-- is written again after a lost connection counts once.
CREATE TABLE request_log (
  started_at    DATETIME(3)  NOT NULL COMMENT 'by the clock of the node',
  id            BIGINT       NOT NULL COMMENT 'random',
  project_id    BIGINT       NOT NULL,
  key_id        BIGINT       NOT NULL,
  request_id    VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'X-Request-Id',
  thread_hash   BINARY(16)   NULL COMMENT 'first half of SHA-256 of project_id, a slash and the id that clients see; the id itself is not kept',
  endpoint      VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  provider      VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  model         VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  status        SMALLINT     NOT NULL COMMENT 'as the client saw it; 499: it left',
  stream        BOOLEAN      NOT NULL,
  input_tokens  BIGINT       NULL COMMENT 'as the upstream counted them; null: it did not say',
  output_tokens BIGINT       NULL,
  cached_tokens BIGINT       NULL COMMENT 'those of the input that came from a cache',
  duration_ms   INT          NOT NULL,
  upstream_ms   INT          NULL,
  first_byte_ms INT          NULL,
  error_type    VARCHAR(32)  CHARACTER SET ascii COLLATE ascii_bin NULL,
  PRIMARY KEY (started_at, id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE request_log;

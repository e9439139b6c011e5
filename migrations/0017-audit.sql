--liquibase formatted sql logicalFilePath:migrations/0017-audit.sql

-- What operators did (contract §12). Rows are only ever added. Each holds the hash of the one before, so that a row that is
-- changed, removed or moved is found out.

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
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE audit_log;

--changeset memory-gateway:audit-head
-- The end of the chain: one row, which every node locks before it adds to the chain.
CREATE TABLE audit_head (
  id   TINYINT    NOT NULL COMMENT '1',
  seq  BIGINT     NOT NULL COMMENT 'of the last row; 0: there is none',
  hash BINARY(32) NOT NULL COMMENT 'of the last row',
  PRIMARY KEY (id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE audit_head;

--changeset memory-gateway:audit-head-row
INSERT INTO audit_head (id, seq, hash) VALUES (1, 0, UNHEX(REPEAT('00', 32)));
--rollback DELETE FROM audit_head;

--liquibase formatted sql logicalFilePath:migrations/0012-audit-outbox.sql

-- Records of acts that change rows of a home, until they are moved to the audit log. The version before adds them to the log with the change.

--changeset memory-gateway:audit-outbox
CREATE TABLE audit_outbox (
  id            BIGINT       NOT NULL COMMENT 'of what was changed, with its home: threads.id',
  actor         VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'this and the rest as in audit_log',
  role          VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  source        VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  request_id    VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NULL,
  action        VARCHAR(64)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  subject       TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  outcome       VARCHAR(16)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  before_state  MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  after_state   MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
  PRIMARY KEY (id)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE audit_outbox;

--changeset memory-gateway:audit-log-outbox
ALTER TABLE audit_log
  ADD COLUMN outbox_id BIGINT NULL COMMENT 'of the row of audit_outbox that it was; not in the hash',
  ADD UNIQUE KEY audit_log_outbox (outbox_id);
--rollback ALTER TABLE audit_log DROP KEY audit_log_outbox, DROP COLUMN outbox_id;

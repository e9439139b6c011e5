--liquibase formatted sql logicalFilePath:migrations/0011-turns-once.sql

-- A proxied call with an Idempotency-Key is made once (contract §7).

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
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE turn_claims;

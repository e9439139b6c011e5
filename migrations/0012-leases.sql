--liquibase formatted sql logicalFilePath:migrations/0012-leases.sql

-- Work that one node at a time does, as the removal of old rows. Rows instead of the server's named locks, which clusters
-- refuse. The version before goes on with named locks: what two nodes then do at once, they do without harm.

--changeset memory-gateway:leases
CREATE TABLE leases (
  name       VARCHAR(64) NOT NULL COMMENT 'of the work',
  owner      CHAR(36)    NOT NULL COMMENT 'made anew each time that the lease is taken',
  expires_at DATETIME(3) NOT NULL COMMENT 'by the clock of the database; from then on anybody may take it',
  PRIMARY KEY (name)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE leases;

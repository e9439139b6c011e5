--liquibase formatted sql logicalFilePath:migrations/0009-resource-records.sql

-- What is known of a resource (contract §8). The version before neither writes nor sends it; what it deletes of a thread is noticed
-- by what is left in resource_sources.

--changeset memory-gateway:resource-records
-- One row a generation; the highest is the current record, some before it are its history.
CREATE TABLE resource_records (
  project_id            BIGINT          NOT NULL,
  resource_id           VARBINARY(1020) NOT NULL,
  generation            INT             NOT NULL COMMENT '0, then one more each time that it is condensed',
  public_id             CHAR(36)        CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'UUIDv7',
  observations          MEDIUMTEXT      CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  observation_tokens    BIGINT          NOT NULL,
  total_tokens_observed BIGINT          NOT NULL COMMENT 'of the observations of threads that were condensed',
  config                TEXT            CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'a JSON object: bound and reflector in force',
  sources               INT             NOT NULL COMMENT 'threads that it came from; fewer in resource_sources: it is made anew without the others',
  created_at            DATETIME(3)     NOT NULL,
  PRIMARY KEY (project_id, resource_id, generation)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE resource_records;

--changeset memory-gateway:resource-sources
-- How much of a thread's observations has gone into the record of its resource.
CREATE TABLE resource_sources (
  thread_id   BIGINT          NOT NULL,
  project_id  BIGINT          NOT NULL,
  resource_id VARBINARY(1020) NOT NULL,
  since       INT             NOT NULL COMMENT 'the first resource_records.generation that it went into',
  generation  INT             NOT NULL COMMENT 'observation_records.generation of what was condensed last',
  length      INT             NOT NULL COMMENT 'UTF-16 units of the observations, prepared ones included, up to which they were',
  tokens      BIGINT          NOT NULL COMMENT 'of the same',
  PRIMARY KEY (thread_id),
  KEY resource_sources_of_resource (project_id, resource_id)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE resource_sources;

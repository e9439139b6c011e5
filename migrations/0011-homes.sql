--liquibase formatted sql logicalFilePath:migrations/0011-homes.sql

-- Ids of projects, keys and threads are given by the gateway and carry the home of their project in their upper 16 bits. Of home 0, it
-- gives those from 2^46 to 2^47. The version before goes on with AUTO_INCREMENT, from 2^47 on, so that no id is given by both.

--changeset memory-gateway:id-blocks
CREATE TABLE id_blocks (
  home_id BIGINT NOT NULL COMMENT 'the least id of the home: its number times 2^48',
  next_id BIGINT NOT NULL COMMENT 'what the next block begins with; each has 65,536 ids',
  PRIMARY KEY (home_id)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE id_blocks;

--changeset memory-gateway:counted-ids-of-projects
ALTER TABLE projects AUTO_INCREMENT = 140737488355328;
--rollback SELECT 1;

--changeset memory-gateway:counted-ids-of-keys
ALTER TABLE api_keys AUTO_INCREMENT = 140737488355328;
--rollback SELECT 1;

--changeset memory-gateway:counted-ids-of-threads
ALTER TABLE threads AUTO_INCREMENT = 140737488355328;
--rollback SELECT 1;

--changeset memory-gateway:traffic-by-home
-- The version before adds to the rows of home 0, which all its projects are in.
ALTER TABLE usage_traffic
  ADD COLUMN home_id BIGINT NOT NULL DEFAULT 0 COMMENT 'the least id of the home of the projects' AFTER error_type,
  DROP PRIMARY KEY,
  ADD PRIMARY KEY (started_at, provider, status, error_type, home_id);
--rollback DELETE FROM usage_traffic WHERE home_id > 0;
--rollback ALTER TABLE usage_traffic DROP PRIMARY KEY, ADD PRIMARY KEY (started_at, provider, status, error_type), DROP COLUMN home_id;

--changeset memory-gateway:threads-without-reference
-- A shard has threads of projects that are elsewhere. No project is ever deleted.
ALTER TABLE threads DROP FOREIGN KEY threads_project;
--rollback ALTER TABLE threads ADD CONSTRAINT threads_project FOREIGN KEY (project_id) REFERENCES projects (id);

--changeset memory-gateway:thread-counts-without-reference
ALTER TABLE thread_counts DROP FOREIGN KEY thread_counts_project;
--rollback ALTER TABLE thread_counts ADD CONSTRAINT thread_counts_project FOREIGN KEY (project_id) REFERENCES projects (id);

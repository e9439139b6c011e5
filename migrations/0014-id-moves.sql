--liquibase formatted sql logicalFilePath:migrations/0014-id-moves.sql

-- Projects that are moved to another home, and their keys: what their ids were, and are to be. A row stays when its move is done, and says
-- that a home may have rows of a project that is no longer there.

--changeset memory-gateway:id-moves
CREATE TABLE id_moves (
  owner      VARCHAR(8)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'project or key',
  id         BIGINT      NOT NULL COMMENT 'projects.id or api_keys.id before the move',
  project_id BIGINT      NOT NULL COMMENT 'projects.id before the move',
  new_id     BIGINT      NOT NULL,
  step       VARCHAR(8)  CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'closed, copying; moved: the ids are the new ones; done',
  closed_at  DATETIME(3) NOT NULL COMMENT 'by the clock of the database',
  PRIMARY KEY (owner, id),
  KEY id_moves_project (project_id),
  KEY id_moves_new (new_id)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE id_moves;

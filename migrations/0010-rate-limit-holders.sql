--liquibase formatted sql logicalFilePath:migrations/0010-rate-limit-holders.sql

-- Which nodes hold permits of a key ahead of requests, so that a node that finds a window full can call them back. The version before
-- writes no rows and holds only where thousands are left.

--changeset memory-gateway:rate-limit-holders
CREATE TABLE rate_limit_holders (
  key_id      BIGINT NOT NULL,
  node        BIGINT NOT NULL COMMENT 'chosen by each process when it starts',
  slots       INT    NOT NULL COMMENT 'bits: the slots in which it may hold permits',
  recalled_at BIGINT NOT NULL DEFAULT 0 COMMENT 'milliseconds since the epoch since which they are asked back; 0: not',
  PRIMARY KEY (key_id, node),
  KEY rate_limit_holders_node (node, recalled_at)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
--rollback DROP TABLE rate_limit_holders;

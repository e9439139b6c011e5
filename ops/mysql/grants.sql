-- The schema and its three accounts, none of which may do more than it needs. Run once, as an administrator:
--   mysql -u root -p < ops/mysql/grants.sql
-- It prints a password for each account that it makes, once. An account that exists keeps its password.
-- For another schema or host, replace memory_gateway or '%' throughout.

CREATE DATABASE IF NOT EXISTS memory_gateway CHARACTER SET utf8mb4;

-- The gateway itself and its commands but "db": DATABASE_USER of every node. Reads and writes rows, changes no table.
CREATE USER IF NOT EXISTS 'memory_gateway'@'%' IDENTIFIED BY RANDOM PASSWORD REQUIRE SSL;
GRANT SELECT, INSERT, UPDATE, DELETE ON memory_gateway.* TO 'memory_gateway'@'%';
-- On Group Replication: whether a server has joined its group. Until then, what is written there is lost.
GRANT SELECT ON performance_schema.replication_group_members TO 'memory_gateway'@'%';

-- "db migrate", before each new version: DATABASE_USER of that one command.
CREATE USER IF NOT EXISTS 'memory_gateway_migrations'@'%' IDENTIFIED BY RANDOM PASSWORD REQUIRE SSL;
GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, DROP, INDEX, REFERENCES
  ON memory_gateway.* TO 'memory_gateway_migrations'@'%';

-- ops/mysql/backup: reads the schema, and the server's binary logs, which hold the changes of every schema.
CREATE USER IF NOT EXISTS 'memory_gateway_backup'@'%' IDENTIFIED BY RANDOM PASSWORD REQUIRE SSL;
GRANT SELECT, SHOW VIEW, TRIGGER ON memory_gateway.* TO 'memory_gateway_backup'@'%';
GRANT RELOAD, REPLICATION CLIENT, REPLICATION SLAVE ON *.* TO 'memory_gateway_backup'@'%';

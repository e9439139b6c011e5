-- The schema and its three accounts on MariaDB, as grants.sql makes them on MySQL. Run once, as an administrator:
--   mariadb -u root -p < ops/mysql/grants-mariadb.sql
-- It prints a password for each account that it makes, once. An account that exists keeps its password.
-- For another schema or host, replace memory_gateway or '%' throughout.

CREATE DATABASE IF NOT EXISTS memory_gateway CHARACTER SET utf8mb4;

-- The gateway itself and its commands but "db": DATABASE_USER of every node. Reads and writes rows, changes no table.
SET @account = 'memory_gateway', @secret = LOWER(HEX(RANDOM_BYTES(16)));
SET @is_new = (SELECT COUNT(*) = 0 FROM mysql.global_priv WHERE user = @account AND host = '%');
SET @create = CONCAT('CREATE USER IF NOT EXISTS ', QUOTE(@account), '@''%'' IDENTIFIED BY ', QUOTE(@secret), ' REQUIRE SSL');
EXECUTE IMMEDIATE @create;
SELECT @account AS user, '%' AS host, @secret AS `generated password` FROM DUAL WHERE @is_new;
GRANT SELECT, INSERT, UPDATE, DELETE ON memory_gateway.* TO 'memory_gateway'@'%';

-- "db migrate", before each new version: DATABASE_USER of that one command.
SET @account = 'memory_gateway_migrations', @secret = LOWER(HEX(RANDOM_BYTES(16)));
SET @is_new = (SELECT COUNT(*) = 0 FROM mysql.global_priv WHERE user = @account AND host = '%');
SET @create = CONCAT('CREATE USER IF NOT EXISTS ', QUOTE(@account), '@''%'' IDENTIFIED BY ', QUOTE(@secret), ' REQUIRE SSL');
EXECUTE IMMEDIATE @create;
SELECT @account AS user, '%' AS host, @secret AS `generated password` FROM DUAL WHERE @is_new;
GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, DROP, INDEX, REFERENCES
  ON memory_gateway.* TO 'memory_gateway_migrations'@'%';

-- Backups: reads the schema, and the server's binary logs, which hold the changes of every schema.
SET @account = 'memory_gateway_backup', @secret = LOWER(HEX(RANDOM_BYTES(16)));
SET @is_new = (SELECT COUNT(*) = 0 FROM mysql.global_priv WHERE user = @account AND host = '%');
SET @create = CONCAT('CREATE USER IF NOT EXISTS ', QUOTE(@account), '@''%'' IDENTIFIED BY ', QUOTE(@secret), ' REQUIRE SSL');
EXECUTE IMMEDIATE @create;
SELECT @account AS user, '%' AS host, @secret AS `generated password` FROM DUAL WHERE @is_new;
GRANT SELECT, SHOW VIEW, TRIGGER, LOCK TABLES ON memory_gateway.* TO 'memory_gateway_backup'@'%';
GRANT RELOAD, BINLOG MONITOR, REPLICATION SLAVE ON *.* TO 'memory_gateway_backup'@'%';

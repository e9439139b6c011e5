--liquibase formatted sql logicalFilePath:migrations/0005-cost.sql

-- What calls cost. The version before leaves null where nothing is known, and reads no column that it does not know; its calls,
-- and those before, are the ones of the totals that are not counted in calls_with_cost.

--changeset memory-gateway:request-log-cost
ALTER TABLE request_log
  ADD COLUMN cost BIGINT NULL COMMENT 'in pico-dollars; null: not known';
--rollback ALTER TABLE request_log DROP COLUMN cost;

--changeset memory-gateway:usage-cost
ALTER TABLE usage_hours
  ADD COLUMN cost            BIGINT NULL COMMENT 'in pico-dollars, of those whose cost is known; null: of none',
  ADD COLUMN calls_with_cost BIGINT NOT NULL DEFAULT 0 COMMENT 'those of the calls without an error whose cost is known';
ALTER TABLE usage_traffic
  ADD COLUMN cost            BIGINT NULL,
  ADD COLUMN calls_with_cost BIGINT NOT NULL DEFAULT 0;
ALTER TABLE usage_days
  ADD COLUMN cost            BIGINT NULL,
  ADD COLUMN calls_with_cost BIGINT NOT NULL DEFAULT 0;
--rollback ALTER TABLE usage_days DROP COLUMN calls_with_cost, DROP COLUMN cost;
--rollback ALTER TABLE usage_traffic DROP COLUMN calls_with_cost, DROP COLUMN cost;
--rollback ALTER TABLE usage_hours DROP COLUMN calls_with_cost, DROP COLUMN cost;

--liquibase formatted sql logicalFilePath:migrations/0019-clusters.sql

-- What clusters of the database ask for (contract §13): a primary key on every table, and no foreign key that cascades, which
-- Group Replication refuses where several members take writes. Only definitions change; no table is copied. Rows of deleted
-- threads have been removed in batches since 0009, under the lock of their thread, so nothing needs the cascade; the version
-- before goes on working without it.

--changeset memory-gateway:changelog-key
--preconditions onFail:MARK_RAN onError:HALT
--precondition-sql-check expectedResult:0 SELECT COUNT(*) FROM information_schema.table_constraints WHERE table_schema = DATABASE() AND LOWER(table_name) = 'databasechangelog' AND constraint_type = 'PRIMARY KEY'
ALTER TABLE DATABASECHANGELOG ADD PRIMARY KEY (ID, AUTHOR, FILENAME);
--rollback SELECT 1;

--changeset memory-gateway:no-cascades
ALTER TABLE thread_heads DROP FOREIGN KEY thread_heads_thread;
ALTER TABLE messages DROP FOREIGN KEY messages_thread;
ALTER TABLE message_gaps DROP FOREIGN KEY message_gaps_thread;
ALTER TABLE observation_states DROP FOREIGN KEY observation_states_thread;
ALTER TABLE observation_records DROP FOREIGN KEY observation_records_thread;
ALTER TABLE observation_chunks DROP FOREIGN KEY observation_chunks_thread;
ALTER TABLE observation_jobs DROP FOREIGN KEY observation_jobs_thread;
ALTER TABLE former_messages DROP FOREIGN KEY former_messages_thread;
--rollback ALTER TABLE thread_heads ADD CONSTRAINT thread_heads_thread FOREIGN KEY (thread_id) REFERENCES threads (id) ON DELETE CASCADE;
--rollback ALTER TABLE messages ADD CONSTRAINT messages_thread FOREIGN KEY (thread_id) REFERENCES threads (id) ON DELETE CASCADE;
--rollback ALTER TABLE message_gaps ADD CONSTRAINT message_gaps_thread FOREIGN KEY (thread_id) REFERENCES threads (id) ON DELETE CASCADE;
--rollback ALTER TABLE observation_states ADD CONSTRAINT observation_states_thread FOREIGN KEY (thread_id) REFERENCES threads (id) ON DELETE CASCADE;
--rollback ALTER TABLE observation_records ADD CONSTRAINT observation_records_thread FOREIGN KEY (thread_id) REFERENCES threads (id) ON DELETE CASCADE;
--rollback ALTER TABLE observation_chunks ADD CONSTRAINT observation_chunks_thread FOREIGN KEY (thread_id) REFERENCES threads (id) ON DELETE CASCADE;
--rollback ALTER TABLE observation_jobs ADD CONSTRAINT observation_jobs_thread FOREIGN KEY (thread_id) REFERENCES threads (id) ON DELETE CASCADE;
--rollback ALTER TABLE former_messages ADD CONSTRAINT former_messages_thread FOREIGN KEY (thread_id) REFERENCES threads (id) ON DELETE CASCADE;

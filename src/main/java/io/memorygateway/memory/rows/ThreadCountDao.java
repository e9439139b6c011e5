package io.memorygateway.memory.rows;

import org.jdbi.v3.sqlobject.statement.SqlUpdate;

/** Table {@code thread_counts}: numbers of threads, maintained instead of counted. */
public interface ThreadCountDao {
  int SLOTS = 8;

  /** The resource id that stands for the whole project; no client can give it. */
  String WHOLE_PROJECT = "";

  @SqlUpdate(
      """
      INSERT INTO thread_counts (project_id, resource_id, slot, threads)
      VALUES (:projectId, '', :slot, :more), (:projectId, :resourceId, :slot, :more)
      ON DUPLICATE KEY UPDATE threads = threads + VALUES(threads)
      """)
  void add(long projectId, String resourceId, long slot, int more);

  @SqlUpdate(
      """
      DELETE FROM thread_counts
      WHERE project_id = :projectId AND resource_id IN ('', :resourceId) AND slot = :slot AND threads = 0
      """)
  void forgetZero(long projectId, String resourceId, long slot);

  /** Changes the counts: by 1 for a new thread, by -1 for a deleted one. */
  default void count(long projectId, String resourceId, long threadId, int more) {
    long slot = threadId % SLOTS;
    add(projectId, resourceId, slot, more);
    if (more < 0) {
      forgetZero(projectId, resourceId, slot);
    }
  }
}

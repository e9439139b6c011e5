package io.memorygateway.usage;

import java.time.Instant;
import org.jdbi.v3.sqlobject.customizer.Bind;
import org.jdbi.v3.sqlobject.statement.SqlUpdate;

/** Access to the table {@code request_log}. */
public interface RequestLogDao {
  @SqlUpdate(
      "DELETE FROM request_log WHERE started_at < :before ORDER BY started_at, id LIMIT :limit")
  int removeOlder(@Bind("before") Instant before, @Bind("limit") int limit);
}

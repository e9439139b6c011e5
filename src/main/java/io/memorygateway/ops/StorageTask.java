package io.memorygateway.ops;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.memorygateway.database.RowPages;
import io.memorygateway.memory.limit.StorageLimit;
import io.memorygateway.operator.AdminTask;
import io.memorygateway.operator.Parameter;
import io.memorygateway.operator.ParameterValues;
import io.memorygateway.operator.Role;
import io.memorygateway.operator.Table;
import io.memorygateway.operator.TaskUsage;
import io.memorygateway.operator.TextAnswer;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * {@code storage}: how many threads, messages and bytes each project holds, the largest first.
 *
 * @param limit {@code limits.storage} in bytes; null if there is none
 */
public record StorageTask(Jdbi jdbi, @Nullable Long limit) implements AdminTask {
  public static final TaskUsage USAGE =
      TaskUsage.of(
          "storage",
          "Add up what projects store",
          List.of(
              Parameter.optional("project", "only this project"),
              Parameter.optional("format", "table or json")),
          Role.VIEWER);

  private static final String SUMS =
      """
      SELECT p.id, p.name AS project, COUNT(h.thread_id) AS threads, COALESCE(SUM(h.message_count), 0) AS messages,
             COALESCE(SUM(h.stored_bytes - h.removed_bytes + h.described_bytes + h.message_count * %1$d + %2$d), 0) AS bytes
      FROM projects p LEFT JOIN thread_heads h ON h.project_id = p.id
      WHERE (:project IS NULL OR p.name = :project) AND p.id > :after
      GROUP BY p.id, p.name ORDER BY p.id LIMIT %3$d
      """
          .formatted(StorageLimit.MESSAGE_BYTES, StorageLimit.THREAD_BYTES, RowPages.ROWS);

  /** What projects store besides. */
  private static final List<String> OTHERS =
      List.of(
          "SELECT project_id, SUM(bytes + "
              + StorageLimit.MESSAGE_BYTES
              + ") FROM former_messages WHERE project_id IN (<ids>) GROUP BY project_id",
          "SELECT project_id, SUM(body_bytes) FROM idempotency_keys"
              + " WHERE project_id IN (<ids>) AND body_bytes > 0 GROUP BY project_id");

  @Override
  public TaskUsage usage() {
    return USAGE;
  }

  @Override
  public Object run(ParameterValues values) {
    String format = values.oneOf("format", List.of("table", "json"));
    List<Sums> projects =
        jdbi.withHandle(
            handle ->
                RowPages.read(Sums::id, after -> page(handle, values.optional("project"), after)));
    projects.sort(Comparator.comparingLong(Sums::bytes).reversed().thenComparing(Sums::project));
    if (format == null || format.equals("json")) {
      Map<String, Object> report = new LinkedHashMap<>();
      report.put("limit", limit);
      report.put("projects", projects);
      return report;
    }
    Table table = new Table(List.of("project", "threads", "messages", "bytes"));
    projects.forEach(
        sums ->
            table.add(
                Stream.of(sums.project, sums.threads, sums.messages, sums.bytes)
                    .map(Object::toString)
                    .toList()));
    return new TextAnswer("text/plain; charset=utf-8", table.text());
  }

  /** What a project stores, as it is shown. */
  private record Sums(
      @JsonIgnore long id, String project, long threads, long messages, long bytes) {
    Sums and(long more) {
      return new Sums(id, project, threads, messages, bytes + more);
    }
  }

  private static List<Sums> page(Handle handle, @Nullable String project, long after) {
    List<Sums> page =
        handle
            .createQuery(SUMS)
            .bind("project", project)
            .bind("after", after)
            .mapTo(Sums.class)
            .list();
    if (page.isEmpty()) {
      return page;
    }
    Map<Long, Long> others = new HashMap<>();
    for (String sql : OTHERS) {
      handle
          .createQuery(sql)
          .bindList("ids", page.stream().map(Sums::id).toList())
          .map((row, context) -> others.merge(row.getLong(1), row.getLong(2), Long::sum))
          .list();
    }
    return page.stream().map(sums -> sums.and(others.getOrDefault(sums.id, 0L))).toList();
  }
}

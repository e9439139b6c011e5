package io.memorygateway.ops;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.memorygateway.database.RowPages;
import io.memorygateway.memory.limit.StorageLimit;
import io.memorygateway.operator.AdminTask;
import io.memorygateway.operator.Parameter;
import io.memorygateway.operator.ParameterValues;
import io.memorygateway.operator.Table;
import io.memorygateway.operator.TaskUsage;
import io.memorygateway.operator.TextAnswer;
import java.util.Comparator;
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
              Parameter.optional("format", "table or json")));

  private static final String SUMS =
      """
      SELECT p.id, p.name AS project, COUNT(h.thread_id) AS threads, COALESCE(SUM(h.message_count), 0) AS messages,
             COALESCE(SUM(h.stored_bytes - h.removed_bytes + h.described_bytes + h.message_count * %1$d + %2$d), 0)
             + (SELECT COALESCE(SUM(f.bytes + %1$d), 0) FROM former_messages f WHERE f.project_id = p.id)
             + (SELECT COALESCE(SUM(k.body_bytes), 0) FROM idempotency_keys k WHERE k.project_id = p.id AND k.body_bytes > 0)
             AS bytes
      FROM projects p LEFT JOIN thread_heads h ON h.project_id = p.id
      WHERE (:project IS NULL OR p.name = :project) AND p.id > :after
      GROUP BY p.id, p.name ORDER BY p.id LIMIT %3$d
      """
          .formatted(StorageLimit.MESSAGE_BYTES, StorageLimit.THREAD_BYTES, RowPages.ROWS);

  @Override
  public TaskUsage usage() {
    return USAGE;
  }

  @Override
  public boolean isReadOnly(ParameterValues values) {
    return true;
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
      @JsonIgnore long id, String project, long threads, long messages, long bytes) {}

  private static List<Sums> page(Handle handle, @Nullable String project, long after) {
    return handle
        .createQuery(SUMS)
        .bind("project", project)
        .bind("after", after)
        .map(
            (row, context) ->
                new Sums(
                    row.getLong(1),
                    row.getString(2),
                    row.getLong(3),
                    row.getLong(4),
                    row.getLong(5)))
        .list();
  }
}

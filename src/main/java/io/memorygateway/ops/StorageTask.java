package io.memorygateway.ops;

import io.memorygateway.memory.limit.StorageLimit;
import io.memorygateway.operator.AdminTask;
import io.memorygateway.operator.Parameter;
import io.memorygateway.operator.ParameterValues;
import io.memorygateway.operator.Table;
import io.memorygateway.operator.TaskUsage;
import io.memorygateway.operator.TextAnswer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
      SELECT p.name AS project, COUNT(h.thread_id) AS threads, COALESCE(SUM(h.message_count), 0) AS messages,
             COALESCE(SUM(h.stored_bytes - h.removed_bytes + h.described_bytes + h.message_count * %1$d + %2$d), 0)
             + (SELECT COALESCE(SUM(f.bytes + %1$d), 0) FROM former_messages f WHERE f.project_id = p.id)
             + (SELECT COALESCE(SUM(k.body_bytes), 0) FROM idempotency_keys k WHERE k.project_id = p.id AND k.body_bytes > 0)
             AS bytes
      FROM projects p LEFT JOIN thread_heads h ON h.project_id = p.id
      WHERE :project IS NULL OR p.name = :project
      GROUP BY p.id, p.name ORDER BY bytes DESC, project
      """
          .formatted(StorageLimit.MESSAGE_BYTES, StorageLimit.THREAD_BYTES);

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
    List<Map<String, Object>> projects =
        jdbi.withHandle(
            handle ->
                handle
                    .createQuery(SUMS)
                    .bind("project", values.optional("project"))
                    .map(
                        (row, context) ->
                            project(
                                row.getString(1), row.getLong(2), row.getLong(3), row.getLong(4)))
                    .list());
    if (format == null || format.equals("json")) {
      Map<String, Object> report = new LinkedHashMap<>();
      report.put("limit", limit);
      report.put("projects", projects);
      return report;
    }
    Table table = new Table(List.of("project", "threads", "messages", "bytes"));
    projects.forEach(
        project -> table.add(project.values().stream().map(Object::toString).toList()));
    return new TextAnswer("text/plain; charset=utf-8", table.text());
  }

  private static Map<String, Object> project(String name, long threads, long messages, long bytes) {
    Map<String, Object> project = new LinkedHashMap<>();
    project.put("project", name);
    project.put("threads", threads);
    project.put("messages", messages);
    project.put("bytes", bytes);
    return project;
  }
}

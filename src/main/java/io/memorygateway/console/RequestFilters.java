package io.memorygateway.console;

import io.memorygateway.http.errors.ApiException;
import io.memorygateway.json.Characters;
import io.memorygateway.usage.LoggedCall;
import jakarta.ws.rs.QueryParam;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Filters of the request log, as optional query parameters. */
public final class RequestFilters {
  @QueryParam("project")
  private @Nullable String project;

  @QueryParam("key")
  private @Nullable String key;

  @QueryParam("endpoint")
  private @Nullable String endpoint;

  @QueryParam("provider")
  private @Nullable String provider;

  @QueryParam("model")
  private @Nullable String model;

  @QueryParam("status")
  private @Nullable String status;

  @QueryParam("requestId")
  private @Nullable String requestId;

  @QueryParam("thread")
  private @Nullable String thread;

  /**
   * Conditions on the request log {@code l}.
   *
   * @param all SQL by the name of its parameter, with the parameter's value
   * @param statuses one of which a request must have; null: any
   */
  record Conditions(Map<String, Map.Entry<String, Object>> all, @Nullable List<Integer> statuses) {}

  /** Returns the conditions, after looking up names of projects and classes of statuses. */
  Conditions conditions(Handle handle) {
    Map<String, Map.Entry<String, Object>> conditions = new LinkedHashMap<>();
    Long projectId = id(handle, "SELECT id FROM projects WHERE name = :name", project);
    add(conditions, "project", "l.project_id = :project", projectId);
    add(
        conditions,
        "key",
        "l.key_id = :key",
        id(handle, "SELECT id FROM api_keys WHERE public_id = :name", key));
    add(conditions, "endpoint", "l.endpoint = :endpoint", endpoint);
    add(conditions, "provider", "l.provider = :provider", provider);
    add(conditions, "model", "l.model = :model", model);
    add(conditions, "requestId", "l.request_id = :requestId", requestId);
    if (thread != null) {
      if (projectId == null) {
        throw ApiException.invalidRequest(
            "thread needs project: ids of threads are the project's own.");
      }
      add(
          conditions,
          "thread",
          "l.thread_hash = UNHEX(:thread)",
          LoggedCall.hash(projectId, thread));
    }
    return new Conditions(conditions, statuses(handle));
  }

  /** The id of what has a name, or -1 for nobody's; null without a name. */
  private static @Nullable Long id(Handle handle, String sql, @Nullable String name) {
    return name == null
        ? null
        : handle.createQuery(sql).bind("name", name).mapTo(Long.class).findOne().orElse(-1L);
  }

  /** Returns the statuses of a class that occur in the log, found by jumps along their index. */
  private @Nullable List<Integer> statuses(Handle handle) {
    if (status == null) {
      return null;
    }
    char kind = status.charAt(0);
    if (status.length() == 3 && kind >= '1' && kind <= '5' && Characters.areDigits(status, 3)) {
      return List.of(Integer.parseInt(status));
    }
    if (!status.endsWith("xx") || status.length() != 3 || kind < '2' || kind > '5') {
      throw ApiException.invalidRequest(
          "status must be a status such as 429, or a class such as 5xx.");
    }
    int first = (status.charAt(0) - '0') * 100;
    return handle
        .createQuery(
            """
            SELECT status FROM request_log WHERE status >= :first AND status <= :last GROUP BY status
            """)
        .bind("first", first)
        .bind("last", first + 99)
        .mapTo(Integer.class)
        .list();
  }

  private static void add(
      Map<String, Map.Entry<String, Object>> conditions,
      String name,
      String condition,
      @Nullable Object value) {
    if (value != null) {
      conditions.put(name, Map.entry(condition, value));
    }
  }
}

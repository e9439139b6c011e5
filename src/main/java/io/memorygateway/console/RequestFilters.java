package io.memorygateway.console;

import io.memorygateway.http.errors.ApiError;
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
    add(
        conditions,
        "project",
        "l.project_id = (SELECT id FROM projects WHERE name = :project)",
        project);
    add(conditions, "key", "l.key_id = (SELECT id FROM api_keys WHERE public_id = :key)", key);
    add(conditions, "endpoint", "l.endpoint = :endpoint", endpoint);
    add(conditions, "provider", "l.provider = :provider", provider);
    add(conditions, "model", "l.model = :model", model);
    add(conditions, "requestId", "l.request_id = :requestId", requestId);
    if (thread != null && !thread.isEmpty()) {
      add(conditions, "thread", "l.thread_hash = UNHEX(:thread)", threadHash(handle, thread));
    }
    return new Conditions(conditions, statuses(handle));
  }

  private String threadHash(Handle handle, String threadId) {
    if (project == null || project.isEmpty()) {
      throw new ApiException(
          ApiError.invalidRequest("thread needs project: ids of threads are the project's own."));
    }
    return handle
        .createQuery("SELECT id FROM projects WHERE name = :name")
        .bind("name", project)
        .mapTo(Long.class)
        .findOne()
        .map(id -> LoggedCall.hash(id, threadId))
        .orElse("");
  }

  /** Returns the statuses of a class that occur in the log, found by jumps along their index. */
  private @Nullable List<Integer> statuses(Handle handle) {
    if (status == null || status.isEmpty()) {
      return null;
    }
    char kind = status.charAt(0);
    if (status.length() == 3 && kind >= '1' && kind <= '5' && Characters.areDigits(status, 3)) {
      return List.of(Integer.parseInt(status));
    }
    if (!status.endsWith("xx") || status.length() != 3 || kind < '2' || kind > '5') {
      throw new ApiException(
          ApiError.invalidRequest("status must be a status such as 429, or a class such as 5xx."));
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
    if (value != null && !value.equals("")) {
      conditions.put(name, Map.entry(condition, value));
    }
  }
}

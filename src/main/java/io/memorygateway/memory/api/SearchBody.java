package io.memorygateway.memory.api;

import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonValue.Kind;
import io.memorygateway.json.ParseOptions;
import io.memorygateway.search.SearchRequest;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Parser of the request body of a search; 400 for every invalid body. */
final class SearchBody {
  private static final int MAX_QUERY_CHARACTERS = 10_000;
  private static final int DEFAULT_LIMIT = 10;
  private static final int MAX_LIMIT = 100;
  private static final int MAX_CONTEXT = 3;

  private static final List<String> MEMBERS =
      List.of("context", "from", "limit", "query", "resourceId", "roles", "threadId", "to");

  private SearchBody() {}

  /**
   * Parses {@code POST /search}.
   *
   * @param closed whether members that are not known are refused
   */
  static SearchRequest parse(byte[] text, boolean closed) {
    Body body = Body.parse(text, ParseOptions.SHALLOW);
    if (closed) {
      body.checkNames(MEMBERS);
    }
    String query = body.text("query", MAX_QUERY_CHARACTERS);
    if (query == null || query.isBlank()) {
      throw ApiException.invalidRequest("query is required, and must not be blank.");
    }
    String resourceId = body.id("resourceId");
    String threadId = body.id("threadId");
    if (resourceId == null && threadId == null) {
      throw ApiException.invalidRequest("resourceId or threadId is required.");
    }
    Integer limit = body.integer("limit", 1, MAX_LIMIT);
    Integer context = body.integer("context", 0, MAX_CONTEXT);
    return new SearchRequest(
        query,
        resourceId,
        threadId,
        roles(body),
        time(body, "from"),
        time(body, "to"),
        limit == null ? DEFAULT_LIMIT : limit,
        context == null ? 0 : context);
  }

  private static @Nullable Instant time(Body body, String name) {
    String time = body.string(name);
    return time == null ? null : Iso8601.parse(name, time);
  }

  private static Set<String> roles(Body body) {
    Set<String> roles = new HashSet<>();
    JsonValue given = body.optional("roles", Kind.ARRAY, "an array");
    if (given == null) {
      return roles;
    }
    for (JsonValue role : given.items()) {
      if (!role.is(Kind.STRING) || !StoredMessage.ROLES.contains(role.text())) {
        throw ApiException.invalidRequest(
            "roles[] must be of "
                + String.join(", ", StoredMessage.ROLES.stream().sorted().toList())
                + ".");
      }
      roles.add(role.text());
    }
    if (roles.isEmpty()) {
      throw ApiException.invalidRequest("roles must have at least one element.");
    }
    return roles;
  }
}

package io.memorygateway.console;

import io.memorygateway.auth.ApiKey;
import io.memorygateway.auth.Caller;
import io.memorygateway.http.errors.ApiException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Look-up of projects, and of callers that act in them for operators. */
record Projects(LimitedReads reads) {
  /** Id of no key: operators' requests are not limited and not counted for any key. */
  private static final long NO_KEY = 0;

  /**
   * Returns a caller of the project.
   *
   * @param project its id, or its name
   * @throws ApiException 404 if there is no such project; 503 while it is moved to another home
   */
  Caller caller(String project) {
    return reads.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT id, public_id, name, EXISTS (SELECT 1 FROM id_moves m WHERE m.owner = 'project' AND m.id = projects.id) AS moving
                    FROM projects
                    WHERE public_id = :id OR name = :project
                    ORDER BY public_id = :id DESC LIMIT 1
                    """)
                .bind("project", project)
                .bind("id", id(project))
                .map(
                    (row, context) -> {
                      if (row.getBoolean("moving")) {
                        throw ApiKey.closed();
                      }
                      return new Caller(
                          NO_KEY,
                          row.getLong("id"),
                          row.getString("public_id"),
                          row.getString("name"),
                          "console",
                          Map.of());
                    })
                .findOne()
                .orElseThrow(() -> ApiException.notFound("There is no such project.")));
  }

  /** The value to compare with ids: empty if it is not ASCII, as no id is. */
  static String id(String project) {
    return StandardCharsets.US_ASCII.newEncoder().canEncode(project) ? project : "";
  }
}

package io.memorygateway.console;

import io.memorygateway.json.Timestamps;
import io.memorygateway.operator.Role;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.List;

/** {@code /admin/api/projects}: all projects. */
@Path("/projects")
@Produces(MediaType.APPLICATION_JSON)
public record ProjectsResource(LimitedReads reads) {
  private static final int MAX = 10_000;

  public record Projects(List<ProjectView> projects) {}

  /**
   * Project with the number of its keys.
   *
   * @param activeKeys neither revoked nor expired
   */
  public record ProjectView(String id, String name, String createdAt, long keys, long activeKeys) {}

  @GET
  @RequiredRole(Role.VIEWER)
  public Projects list() {
    return reads.read(
        handle ->
            new Projects(
                handle
                    .createQuery(
                        """
                        SELECT p.public_id, p.name, p.created_at, COUNT(k.id) AS all_keys,
                               COALESCE(SUM(k.id IS NOT NULL AND k.revoked_at IS NULL
                                            AND (k.expires_at IS NULL OR k.expires_at > UTC_TIMESTAMP(3))), 0) AS active
                        FROM projects p LEFT JOIN api_keys k ON k.project_id = p.id
                        GROUP BY p.id, p.public_id, p.name, p.created_at ORDER BY p.name LIMIT :limit
                        """)
                    .bind("limit", MAX)
                    .map(
                        (row, context) ->
                            new ProjectView(
                                row.getString("public_id"),
                                row.getString("name"),
                                Timestamps.format(row.getTimestamp("created_at").toInstant()),
                                row.getLong("all_keys"),
                                row.getLong("active")))
                    .list()));
  }
}

package io.memorygateway.console;

import io.memorygateway.audit.Act;
import io.memorygateway.audit.AuditLog;
import io.memorygateway.auth.ApiKeys;
import io.memorygateway.auth.KeyAction;
import io.memorygateway.auth.KeyView;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.operator.Parameter;
import io.memorygateway.operator.ParameterValues;
import io.memorygateway.operator.Role;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * {@code /admin/api/keys}: API keys of all projects. A secret is shown once.
 *
 * @param rules names of the rate limits that a key may override
 */
@Path("/keys")
@Produces(MediaType.APPLICATION_JSON)
@Consumes(MediaType.APPLICATION_JSON)
public record KeysResource(ApiKeys keys, Set<String> rules, AuditLog log) {
  public KeysResource {
    rules = Set.copyOf(rules);
  }

  public record Keys(List<KeyView> keys) {}

  /**
   * Request to issue a key.
   *
   * @param expiresIn such as {@code 90d}; null: it does not expire
   */
  public record NewKey(
      @Nullable String project, @Nullable String name, @Nullable String expiresIn) {}

  /** Limit of one key for one rule, in requests per window. */
  public record NewLimit(@Nullable Long limit) {}

  /**
   * Change of what a key may do: parts that are null stay, empty ones are cleared.
   *
   * @param expiresIn such as {@code 90d}; empty: it does not expire
   */
  public record NewScopes(
      @Nullable List<@Nullable String> models,
      @Nullable List<@Nullable String> endpoints,
      @Nullable String memory,
      @Nullable List<@Nullable String> addresses,
      @Nullable String expiresIn) {}

  @GET
  @RequiredRole(Role.VIEWER)
  public Keys list(@QueryParam("project") @Nullable String project) {
    return new Keys(keys.list(project).stream().map(KeyView::of).toList());
  }

  @POST
  @RequiredRole(value = Role.OWNER, act = "key-issue")
  public Response issue(@Nullable NewKey wanted, @Context HttpServletRequest request) {
    if (wanted == null || wanted.project() == null || wanted.name() == null) {
      throw ApiException.invalidRequest("project and name are required.");
    }
    Map<String, String> given =
        wanted.expiresIn() == null ? Map.of() : Map.of("expiresIn", wanted.expiresIn());
    ParameterValues values =
        new ParameterValues(given, List.of(Parameter.optional("expiresIn", "")));
    KeyView issued =
        KeyView.of(
            keys.issue(
                wanted.project(),
                wanted.name(),
                values.duration("expiresIn"),
                act(request, "key-issue")));
    return Response.status(Response.Status.CREATED).entity(issued).build();
  }

  @POST
  @Path("/{id}/rotate")
  @RequiredRole(value = Role.OWNER, act = "key-rotate")
  public KeyView rotate(@PathParam("id") String id, @Context HttpServletRequest request) {
    return KeyView.of(keys.rotate(id, act(request, "key-rotate")));
  }

  @POST
  @Path("/{id}/revoke")
  @RequiredRole(value = Role.OWNER, act = "key-revoke")
  public KeyView revoke(@PathParam("id") String id, @Context HttpServletRequest request) {
    return KeyView.of(keys.revoke(id, act(request, "key-revoke")));
  }

  @PUT
  @Path("/{id}/limits/{rule}")
  @RequiredRole(value = Role.OPERATOR, act = "key-limits")
  public KeyView limit(
      @PathParam("id") String id,
      @PathParam("rule") String rule,
      @Nullable NewLimit wanted,
      @Context HttpServletRequest request) {
    if (wanted == null
        || wanted.limit() == null
        || wanted.limit() < 1
        || wanted.limit() > Integer.MAX_VALUE) {
      throw ApiException.invalidRequest("limit must be a positive whole number.");
    }
    return KeyView.of(keys.limit(id, known(rule), wanted.limit(), act(request, "key-limits")));
  }

  @DELETE
  @Path("/{id}/limits/{rule}")
  @RequiredRole(value = Role.OPERATOR, act = "key-limits")
  public KeyView removeLimit(
      @PathParam("id") String id,
      @PathParam("rule") String rule,
      @Context HttpServletRequest request) {
    return KeyView.of(keys.limit(id, known(rule), null, act(request, "key-limits")));
  }

  @PUT
  @Path("/{id}/scopes")
  @RequiredRole(value = Role.OPERATOR, act = "key-scope")
  public KeyView scope(
      @PathParam("id") String id, @Nullable NewScopes wanted, @Context HttpServletRequest request) {
    if (wanted == null) {
      throw ApiException.invalidRequest("A body is required.");
    }
    Map<String, String> given = new HashMap<>();
    given.put("id", id);
    TaskWords.give(given, "models", wanted.models());
    TaskWords.give(given, "endpoints", wanted.endpoints());
    TaskWords.give(given, "memory", wanted.memory());
    TaskWords.give(given, "addresses", wanted.addresses());
    TaskWords.give(given, "expiresIn", wanted.expiresIn());
    ParameterValues values = new ParameterValues(given, KeyAction.SCOPE.usage().parameters());
    return KeyView.of(keys.scope(id, values, act(request, "key-scope")));
  }

  private String known(String rule) {
    if (!rules.contains(rule)) {
      throw ApiException.notFound("There is no such rule.");
    }
    return rule;
  }

  private Act act(HttpServletRequest request, String action) {
    return new Act(log, ApiCaller.of(request).actor(), action);
  }
}

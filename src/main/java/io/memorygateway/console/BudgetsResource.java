package io.memorygateway.console;

import io.memorygateway.audit.Act;
import io.memorygateway.audit.AuditLog;
import io.memorygateway.auth.BudgetAction;
import io.memorygateway.budget.Budget;
import io.memorygateway.budget.BudgetOwner;
import io.memorygateway.budget.BudgetTerms;
import io.memorygateway.budget.BudgetUnit;
import io.memorygateway.budget.OwnBudgets;
import io.memorygateway.budget.hold.RunningBudgets;
import io.memorygateway.database.SqlText;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.operator.ParameterValues;
import io.memorygateway.operator.RecordedTask;
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
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * {@code /admin/api/budgets}: budgets of keys and projects, what they have come to, and their
 * change, which is that of the tasks.
 */
@Path("/budgets")
@Produces(MediaType.APPLICATION_JSON)
@Consumes(MediaType.APPLICATION_JSON)
public record BudgetsResource(
    Map<BudgetAction, RecordedTask> tasks,
    RunningBudgets running,
    LimitedReads reads,
    AuditLog log) {
  private static final int FULLEST = 20;

  private static final String OWNERS =
      """
      SELECT k.id AS key_id, k.public_id AS public_key, k.name AS key_name, k.budgets AS of_key,
             p.id AS project_id, p.name AS project, p.budgets AS of_project
      """;

  public BudgetsResource {
    tasks = Map.copyOf(tasks);
  }

  /** List of budgets in their running windows. */
  public record BudgetList(List<BudgetView> budgets) {}

  /**
   * A budget in its running window. Amounts are decimal numbers of its unit.
   *
   * @param keyId null of a project's budget
   * @param limit with the increases that run
   * @param own what was said of it for this key or project alone; null: it is as configured
   */
  public record BudgetView(
      @Nullable String keyId,
      @Nullable String keyName,
      String project,
      String name,
      String appliesTo,
      String unit,
      String window,
      String mode,
      List<String> models,
      boolean allowsUnpriced,
      String limit,
      String used,
      String held,
      String remaining,
      @Nullable String resetsAt,
      @Nullable BudgetTerms own) {}

  /** Terms of a budget of one key or project. */
  public record NewBudget(
      @Nullable String unit,
      @Nullable BigDecimal limit,
      @Nullable String window,
      @Nullable List<@Nullable String> models,
      @Nullable String mode,
      @Nullable String unpriced) {}

  /**
   * More than the limit, for a time.
   *
   * @param expiresIn such as {@code 2d}
   */
  public record NewIncrease(@Nullable BigDecimal by, @Nullable String expiresIn) {}

  /** A key and its project, or a project alone. */
  private record Owner(
      long keyId,
      @Nullable String publicKey,
      @Nullable String keyName,
      long projectId,
      String project,
      OwnBudgets own) {}

  @GET
  @RequiredRole(Role.VIEWER)
  public BudgetList fullest() {
    String sql =
        OWNERS
            + """
            , w.owner, w.name FROM budget_windows w
            LEFT JOIN api_keys k ON w.owner = 'key' AND k.id = w.owner_id
            JOIN projects p ON p.id = COALESCE(k.project_id, w.owner_id) AND (k.id IS NOT NULL OR w.owner = 'project')
            WHERE w.end_ms >
            """
            + SqlText.NOW_MILLIS
            + " ORDER BY (w.settled + w.held) / GREATEST(w.max_amount, 1) DESC LIMIT :limit";
    return reads.read(
        handle ->
            new BudgetList(
                handle
                    .createQuery(sql)
                    .bind("limit", FULLEST)
                    .map(
                        (row, context) ->
                            Map.entry(
                                owner(row), List.of(row.getString("owner"), row.getString("name"))))
                    .list()
                    .stream()
                    .flatMap(
                        found ->
                            views(handle, found.getKey()).stream()
                                .filter(
                                    view ->
                                        List.of(view.appliesTo(), view.name())
                                            .equals(found.getValue())))
                    .distinct()
                    .toList()));
  }

  @GET
  @Path("/keys/{id}")
  @RequiredRole(Role.VIEWER)
  public BudgetList ofKey(@PathParam("id") String id) {
    return reads.read(handle -> new BudgetList(views(handle, key(handle, id))));
  }

  @GET
  @Path("/projects/{project}")
  @RequiredRole(Role.VIEWER)
  public BudgetList ofProject(@PathParam("project") String project) {
    return reads.read(handle -> new BudgetList(views(handle, project(handle, project))));
  }

  @PUT
  @Path("/keys/{id}/{name}")
  @RequiredRole(value = Role.OPERATOR, act = "key-budget")
  public BudgetList setOfKey(
      @PathParam("id") String id,
      @PathParam("name") String name,
      @Nullable NewBudget wanted,
      @Context HttpServletRequest request) {
    run(BudgetAction.KEY_BUDGET, terms("id", id, name, wanted), request);
    return ofKey(id);
  }

  @DELETE
  @Path("/keys/{id}/{name}")
  @RequiredRole(value = Role.OPERATOR, act = "key-budget")
  public BudgetList removeOfKey(
      @PathParam("id") String id,
      @PathParam("name") String name,
      @Context HttpServletRequest request) {
    run(BudgetAction.KEY_BUDGET, Map.of("id", id, "name", name), request);
    return ofKey(id);
  }

  @POST
  @Path("/keys/{id}/{name}/increase")
  @RequiredRole(value = Role.OPERATOR, act = "key-budget-increase")
  public BudgetList increase(
      @PathParam("id") String id,
      @PathParam("name") String name,
      @Nullable NewIncrease wanted,
      @Context HttpServletRequest request) {
    if (wanted == null || wanted.by() == null || wanted.expiresIn() == null) {
      throw ApiException.invalidRequest("by and expiresIn are required.");
    }
    String by = wanted.by().toString();
    run(
        BudgetAction.KEY_BUDGET_INCREASE,
        Map.of("id", id, "name", name, "by", by, "expiresIn", wanted.expiresIn()),
        request);
    return ofKey(id);
  }

  @PUT
  @Path("/projects/{project}/{name}")
  @RequiredRole(value = Role.OPERATOR, act = "project-budget")
  public BudgetList setOfProject(
      @PathParam("project") String project,
      @PathParam("name") String name,
      @Nullable NewBudget wanted,
      @Context HttpServletRequest request) {
    run(BudgetAction.PROJECT_BUDGET, terms("project", name(project), name, wanted), request);
    return ofProject(project);
  }

  @DELETE
  @Path("/projects/{project}/{name}")
  @RequiredRole(value = Role.OPERATOR, act = "project-budget")
  public BudgetList removeOfProject(
      @PathParam("project") String project,
      @PathParam("name") String name,
      @Context HttpServletRequest request) {
    run(BudgetAction.PROJECT_BUDGET, Map.of("project", name(project), "name", name), request);
    return ofProject(project);
  }

  private void run(BudgetAction action, Map<String, String> given, HttpServletRequest request) {
    Act act = new Act(log, ApiCaller.of(request).actor(), action.usage().name());
    Object unused =
        Objects.requireNonNull(tasks.get(action))
            .run(new ParameterValues(given, action.usage().parameters()), act);
  }

  private static Map<String, String> terms(
      String owner, String id, String name, @Nullable NewBudget wanted) {
    if (wanted == null || wanted.limit() == null) {
      throw ApiException.invalidRequest("limit is required.");
    }
    Map<String, String> given = new HashMap<>(Map.of(owner, id, "name", name));
    given.put("limit", wanted.limit().toString());
    TaskWords.give(given, "unit", wanted.unit());
    TaskWords.give(given, "window", wanted.window());
    boolean all = wanted.models() == null || wanted.models().isEmpty();
    TaskWords.give(given, "models", all ? null : wanted.models());
    TaskWords.give(given, "mode", wanted.mode());
    TaskWords.give(given, "unpriced", wanted.unpriced());
    return given;
  }

  private String name(String project) {
    return reads.read(handle -> project(handle, project).project());
  }

  private static Owner key(Handle handle, String id) {
    return handle
        .createQuery(
            OWNERS
                + "FROM api_keys k JOIN projects p ON p.id = k.project_id WHERE k.public_id = :id")
        .bind("id", id)
        .map((row, context) -> owner(row))
        .findOne()
        .orElseThrow(() -> ApiException.notFound("There is no key with this id."));
  }

  private static Owner project(Handle handle, String project) {
    return handle
        .createQuery(
            OWNERS
                + """
                FROM projects p LEFT JOIN api_keys k ON FALSE
                WHERE p.public_id = :id OR p.name = :project
                ORDER BY p.public_id = :id DESC LIMIT 1
                """)
        .bind("project", project)
        .bind("id", Projects.id(project))
        .map((row, context) -> owner(row))
        .findOne()
        .orElseThrow(() -> ApiException.notFound("There is no such project."));
  }

  private static Owner owner(java.sql.ResultSet row) throws java.sql.SQLException {
    return new Owner(
        row.getLong("key_id"),
        row.getString("public_key"),
        row.getString("key_name"),
        row.getLong("project_id"),
        row.getString("project"),
        OwnBudgets.parse(row.getString("of_key"), row.getString("of_project")));
  }

  /** All budgets of an owner; of a project alone, none of keys. */
  private List<BudgetView> views(Handle handle, Owner owner) {
    return running.of(handle, owner.own(), owner.keyId(), owner.projectId()).stream()
        .filter(each -> owner.publicKey() != null || each.budget().owner() != BudgetOwner.KEY)
        .map(each -> view(owner, each))
        .toList();
  }

  private static BudgetView view(Owner owner, RunningBudgets.Running each) {
    Budget budget = each.budget();
    BudgetUnit unit = budget.unit();
    boolean isOfKey = budget.owner() == BudgetOwner.KEY;
    return new BudgetView(
        isOfKey ? owner.publicKey() : null,
        isOfKey ? owner.keyName() : null,
        owner.project(),
        budget.name(),
        budget.owner().wireName(),
        unit.wireName(),
        budget.span().toString(),
        budget.shadow() ? "shadow" : "enforce",
        budget.models(),
        budget.allowsUnpriced(),
        unit.text(budget.limit()),
        unit.text(each.used()),
        unit.text(each.held()),
        unit.text(each.left()),
        each.reset(),
        owner.own().of(budget.owner()).get(budget.name()));
  }
}

package io.memorygateway.console;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.type.LogicalType;
import io.dropwizard.core.setup.Environment;
import io.dropwizard.jersey.DropwizardResourceConfig;
import io.dropwizard.jersey.jackson.JacksonFeature;
import io.dropwizard.jersey.setup.JerseyContainerHolder;
import io.dropwizard.jersey.setup.JerseyEnvironment;
import io.dropwizard.jersey.setup.JerseyServletContainer;
import io.memorygateway.audit.AuditLog;
import io.memorygateway.audit.AuditOutbox;
import io.memorygateway.audit.AuditReader;
import io.memorygateway.auth.ApiKeys;
import io.memorygateway.auth.BudgetAction;
import io.memorygateway.budget.hold.RunningBudgets;
import io.memorygateway.database.DatabaseFailure;
import io.memorygateway.http.api.ErrorMappers;
import io.memorygateway.http.api.RequestUriFilter;
import io.memorygateway.memory.MemoryModule;
import io.memorygateway.memory.api.SearchView;
import io.memorygateway.memory.api.ThreadViews;
import io.memorygateway.operator.RecordedTask;
import io.memorygateway.operator.TaskRunner;
import io.memorygateway.proxy.own.ProviderAdmin;
import io.memorygateway.ratelimit.window.RateLimitRule;
import io.memorygateway.ratelimit.window.WindowLimiter;
import io.memorygateway.transfer.ThreadExport;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.glassfish.jersey.server.ServerProperties;
import org.jdbi.v3.core.Jdbi;

/** Builder that wires the admin API into the admin port, beside the tasks. */
public final class AdminApi {
  private static final String PATH = "/admin/api/*";

  private final AuditLog log;
  private final InstantSource clock;
  private final Environment environment;
  private final LimitedReads reads;
  private final List<Object> resources = new ArrayList<>();

  /**
   * Creates an API with the resources that it always has.
   *
   * @param reports a few connections for reading, whose statements the server ends after two
   *     seconds
   */
  public AdminApi(Jdbi reports, AuditLog log, InstantSource clock, Environment environment) {
    this.log = log;
    this.clock = clock;
    this.environment = environment;
    this.reads = new LimitedReads(reports);
    resources.add(new MeResource());
    RecentHealth health = new RecentHealth(environment.healthChecks(), System::nanoTime);
    resources.add(new OverviewResource(reads, health, clock));
    resources.add(new RequestsResource(reads, clock));
    resources.add(new UsageResource(reads, clock));
    resources.add(new ProjectsResource(reads));
    resources.add(
        new AuditResource(
            reads, new AuditReader(reports), environment.getObjectMapper(), System::nanoTime));
  }

  /**
   * Adds the keys.
   *
   * @param rules names of the rate limits that a key may override
   */
  public AdminApi withKeys(ApiKeys keys, Set<String> rules) {
    resources.add(new KeysResource(keys, rules, log));
    return this;
  }

  public AdminApi withLimits(List<RateLimitRule> rules, WindowLimiter limiter) {
    resources.add(new LimitsResource(rules, limiter, reads, clock));
    return this;
  }

  /** Adds the budgets, which are changed by the tasks of the admin port. */
  public AdminApi withBudgets(Map<BudgetAction, RecordedTask> tasks, RunningBudgets running) {
    resources.add(new BudgetsResource(tasks, running, reads, log));
    return this;
  }

  /**
   * Adds the threads of all projects.
   *
   * @param jdbi for exports, which may take long
   * @param outbox records deletions
   */
  public AdminApi withThreads(
      MemoryModule memory, ThreadViews views, SearchView search, Jdbi jdbi, AuditOutbox outbox) {
    Projects projects = new Projects(reads);
    resources.add(new ThreadsResource(projects, memory, views, search, outbox));
    resources.add(new ExportResource(projects, memory.threads(), new ThreadExport(jdbi), log));
    return this;
  }

  /**
   * Adds the providers.
   *
   * @param acts records operations on them, which are not in the database
   */
  public AdminApi withProviders(ProviderAdmin providers, TaskRunner acts) {
    resources.add(new ProvidersResource(providers, new ProviderReads(reads, clock), log, acts));
    return this;
  }

  /**
   * The mapper of bodies, which makes no number of a text, nor a whole one of another, and refuses
   * members that nobody reads: a misspelt {@code expiresIn} would make a key that never ends.
   */
  private static ObjectMapper ofBodies(ObjectMapper json) {
    ObjectMapper strict = json.copy().enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
    // Jackson takes some members that come twice for a defect of the record that they are read to.
    strict.enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);
    strict
        .coercionConfigFor(LogicalType.Integer)
        .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
        .setCoercion(CoercionInputShape.String, CoercionAction.Fail);
    strict
        .coercionConfigFor(LogicalType.Textual)
        .setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
        .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
        .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail);
    return strict;
  }

  /** Installs the API; to be called before the server is built. */
  public void install() {
    DropwizardResourceConfig config = new DropwizardResourceConfig(environment.metrics());
    JerseyContainerHolder container = new JerseyContainerHolder(new JerseyServletContainer(config));
    JerseyEnvironment jersey = new JerseyEnvironment(container, config);
    jersey.property(ServerProperties.WADL_FEATURE_DISABLE, true);
    jersey.register(new RequestUriFilter());
    ErrorMappers.register(jersey, failure -> DatabaseFailure.of(failure).isOutage());
    jersey.register(new JacksonFeature(ofBodies(environment.getObjectMapper())));
    jersey.register(new RequiredRoleFeature(log));
    jersey.register(new QueryFilter());
    resources.forEach(jersey::register);
    environment
        .admin()
        .addServlet("admin-openapi", new AdminDocumentServlet())
        .addMapping(AdminDocumentServlet.PATH);
    environment.admin().addServlet("admin-api", container.getContainer()).addMapping(PATH);
    Filter address =
        (request, response, chain) -> {
          request.setAttribute(ApiCaller.ADDRESS, request.getRemoteAddr());
          chain.doFilter(request, response);
        };
    environment
        .admin()
        .addFilter("caller-address", address)
        .addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), true, PATH);
  }
}

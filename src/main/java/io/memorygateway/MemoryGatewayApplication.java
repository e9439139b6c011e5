package io.memorygateway;

import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.health.HealthCheckRegistry;
import io.dropwizard.core.Application;
import io.dropwizard.core.cli.Cli;
import io.dropwizard.core.setup.Bootstrap;
import io.dropwizard.core.setup.Environment;
import io.dropwizard.util.JarLocation;
import io.memorygateway.access.AccessModule;
import io.memorygateway.admin.AdminModule;
import io.memorygateway.audit.AuditLog;
import io.memorygateway.audit.AuditOutbox;
import io.memorygateway.auth.AuthModule;
import io.memorygateway.auth.TrustedProxies;
import io.memorygateway.budget.hold.BudgetModule;
import io.memorygateway.budget.hold.Budgets;
import io.memorygateway.budget.hold.LimitsResource;
import io.memorygateway.budget.hold.ReachedBudgets;
import io.memorygateway.budget.hold.RunningBudgets;
import io.memorygateway.concurrent.CallerShares;
import io.memorygateway.concurrent.HeapBudget;
import io.memorygateway.concurrent.LiveWork;
import io.memorygateway.console.AdminApi;
import io.memorygateway.console.Console;
import io.memorygateway.database.ConnectionShares;
import io.memorygateway.database.DatabaseFailure;
import io.memorygateway.database.DatabaseModule;
import io.memorygateway.database.Migrations;
import io.memorygateway.database.ReportConnections;
import io.memorygateway.database.Transactions;
import io.memorygateway.embedding.EmbeddingModule;
import io.memorygateway.http.admin.AdminPort;
import io.memorygateway.http.admission.RequestPermits;
import io.memorygateway.http.admission.RequestReservation;
import io.memorygateway.http.arrival.RequestArrival;
import io.memorygateway.http.setup.DirectFilter;
import io.memorygateway.http.setup.HttpServerSetup;
import io.memorygateway.http.setup.KeyStores;
import io.memorygateway.http.setup.PortCertificates;
import io.memorygateway.http.setup.Ports;
import io.memorygateway.memory.MemoryModule;
import io.memorygateway.memory.api.MemoryApi;
import io.memorygateway.memory.api.SearchView;
import io.memorygateway.memory.api.ThreadViews;
import io.memorygateway.move.MoveModule;
import io.memorygateway.observation.ContextSettings;
import io.memorygateway.observation.ObservationModule;
import io.memorygateway.observation.ObservationSettings;
import io.memorygateway.observation.Observations;
import io.memorygateway.openapi.OpenApi;
import io.memorygateway.operator.CommandOutput;
import io.memorygateway.operator.OperatorModule;
import io.memorygateway.operator.TaskRunner;
import io.memorygateway.ops.BuildVersion;
import io.memorygateway.ops.DropwizardJson;
import io.memorygateway.ops.EnvironmentConfigurationFactory;
import io.memorygateway.ops.HealthModule;
import io.memorygateway.ops.LogFiles;
import io.memorygateway.ops.MetricsModule;
import io.memorygateway.ops.OpsModule;
import io.memorygateway.ops.PriceModule;
import io.memorygateway.ops.StartFailure;
import io.memorygateway.price.Prices;
import io.memorygateway.proxy.ProxyModule;
import io.memorygateway.proxy.call.CallBudgets;
import io.memorygateway.ratelimit.RateLimitConfiguration;
import io.memorygateway.ratelimit.RateLimitModule;
import io.memorygateway.search.Search;
import io.memorygateway.search.SearchModule;
import io.memorygateway.tracing.Tracing;
import io.memorygateway.tracing.TracingModule;
import io.memorygateway.turn.Turns;
import io.memorygateway.usage.UsageModule;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jdbi.v3.core.Jdbi;

/** Application that wires the gateway's parts together. */
public final class MemoryGatewayApplication extends Application<MemoryGatewayConfiguration> {
  private final Map<String, String> environment;
  private final PrintStream out;
  private final PrintStream err;
  private final Consumer<Environment> more;

  public MemoryGatewayApplication() {
    this(System.getenv());
  }

  /**
   * Creates a gateway with a given environment.
   *
   * @param environment variables that <code>${NAME}</code> in config.yml refers to
   */
  public MemoryGatewayApplication(Map<String, String> environment) {
    this(environment, unchanged -> {});
  }

  /**
   * Creates a gateway that is part of a larger application.
   *
   * @param environment variables that <code>${NAME}</code> in config.yml refers to
   * @param more adds what is not the gateway's own, such as further health checks
   */
  public MemoryGatewayApplication(Map<String, String> environment, Consumer<Environment> more) {
    this(environment, more, System.out, System.err);
  }

  /**
   * Creates a gateway that writes to the given streams.
   *
   * @param out receives the results of commands
   * @param err receives the reasons of their failures
   */
  MemoryGatewayApplication(Map<String, String> environment, PrintStream out, PrintStream err) {
    this(environment, unchanged -> {}, out, err);
  }

  private MemoryGatewayApplication(
      Map<String, String> environment,
      Consumer<Environment> more,
      PrintStream out,
      PrintStream err) {
    this.environment = Map.copyOf(environment);
    this.more = more;
    this.out = out;
    this.err = err;
  }

  Map<String, String> environment() {
    return environment;
  }

  public static void main(String[] args) {
    new MemoryGatewayApplication().run(args);
  }

  @Override
  public String getName() {
    return "memory-gateway";
  }

  @Override
  public void initialize(Bootstrap<MemoryGatewayConfiguration> bootstrap) {
    bootstrap.setObjectMapper(DropwizardJson.mapper());
    bootstrap.setConfigurationFactoryFactory(
        (type, validator, json, prefix) ->
            new EnvironmentConfigurationFactory<>(type, validator, json, prefix, environment));
    bootstrap.addBundle(new Migrations<>(MemoryGatewayConfiguration::getDatabase));
    new Commands(this, out).all().forEach(bootstrap::addCommand);
  }

  @Override
  public void run(MemoryGatewayConfiguration configuration, Environment environment)
      throws Exception {
    // Before the database is asked: a mistake is told whether it can be reached or not.
    checkParts(configuration);
    install(
        configuration,
        environment,
        DatabaseModule.open(configuration.getDatabase(), environment),
        this.environment);
  }

  private static void checkParts(MemoryGatewayConfiguration configuration) {
    Ports.check(configuration.getServerFactory());
    KeyStores.check(configuration.getServerFactory());
    LogFiles.check(configuration);
    configuration.prices();
    ProxyModule.checkModels(
        configuration.routes, configuration.search.embeddingModel(), configuration.providers);
  }

  /**
   * Builds all that a start builds, without a connection to the database, and starts none of it.
   *
   * @throws IllegalArgumentException with a line for the operator, if a start would fail
   */
  void build(MemoryGatewayConfiguration configuration, Bootstrap<?> bootstrap) {
    checkParts(configuration);
    TracingModule.check(this.environment);
    Environment environment =
        new Environment(
            getName(),
            bootstrap.getObjectMapper(),
            bootstrap.getValidatorFactory(),
            new MetricRegistry(),
            bootstrap.getClassLoader(),
            new HealthCheckRegistry(),
            configuration);
    configuration.getServerFactory().configure(environment);
    install(
        configuration,
        environment,
        DatabaseModule.unconnected(configuration.getDatabase(), environment),
        // Exporters of traces have threads.
        Map.of());
    configuration.getServerFactory().build(environment);
  }

  private void install(
      MemoryGatewayConfiguration configuration,
      Environment environment,
      DatabaseModule database,
      Map<String, String> tracingVariables) {
    Clock clock = database.clock();
    RateLimitConfiguration limits = configuration.rateLimits;
    ObservationSettings observation = configuration.observation;
    Jdbi jdbi = database.jdbi();
    PrometheusRegistry metrics = MetricsModule.install(environment);
    Transactions operators = Transactions.ofOperators(jdbi);
    AuditLog audit = new AuditLog(operators);
    TaskRunner operatorActs = OperatorModule.install(audit, metrics, environment);
    AccessModule.install(metrics, clock, environment);
    RateLimitModule.Installed rateLimits =
        RateLimitModule.install(
            limits, configuration.getDatabase(), jdbi, metrics, clock, environment);
    HeapBudget heap =
        new HeapBudget(
            configuration.bodiesInWork(Runtime.getRuntime().maxMemory()),
            configuration.maxRequestBody.toBytes() * RequestReservation.REQUEST_COST,
            metrics);
    Tracing tracing =
        TracingModule.install(
            tracingVariables,
            BuildVersion.current().version(),
            HealthModule.PROBE_PATH,
            metrics,
            environment);
    HttpServerSetup.install(
        configuration.getServerFactory(),
        environment,
        configuration.maxRequestBody.toBytes(),
        heap,
        configuration.cors,
        rateLimits.admission()::setUntouched,
        failure -> DatabaseFailure.of(failure).isOutage());
    PortCertificates.install(configuration.getServerFactory(), clock, metrics, environment);
    CallerShares inFlight =
        RequestPermits.install(
            configuration.concurrency, configuration.getServerFactory(), metrics, environment);
    RequestArrival.install(
        configuration.slowRequests, configuration.getServerFactory(), metrics, environment);
    AdminModule.install(
        configuration.getAdminFactory().getAuth(),
        operators,
        configuration.getServerFactory(),
        audit,
        metrics,
        clock,
        environment);
    Console.install(environment);
    AdminPort.install(configuration.getAdminFactory().getAllowedHosts(), metrics, environment);
    more.accept(environment);
    AuthModule.Installed auth =
        AuthModule.install(
            configuration.auth,
            configuration.getDatabase(),
            jdbi,
            operators,
            metrics,
            clock,
            limits.rules().keySet(),
            configuration.budgets,
            new TrustedProxies(configuration.trustedProxies),
            environment);
    AdminApi adminApi =
        new AdminApi(
                ReportConnections.open(configuration.getDatabase(), environment),
                audit,
                clock,
                environment)
            .withKeys(auth.keys(), limits.rules().keySet())
            .withLimits(limits.validRules(), rateLimits.limiter());
    ConnectionShares shares =
        new ConnectionShares(configuration.getDatabase().getMaxSize(), metrics);
    MemoryModule memory =
        MemoryModule.install(
            observation,
            configuration.limits,
            configuration.getDatabase(),
            shares,
            jdbi,
            clock,
            metrics,
            environment);
    Search search =
        SearchModule.install(
            configuration.search, memory.transactions(), clock, metrics, environment.lifecycle());
    ContextSettings context = new ContextSettings(observation, configuration.recall);
    LiveWork calls = new LiveWork();
    Prices prices = configuration.prices();
    Budgets budgets =
        BudgetModule.install(
            configuration.budgets,
            configuration.getDatabase(),
            jdbi,
            memory.transactions(),
            metrics,
            environment);
    UsageModule.Installed usage =
        UsageModule.install(
            configuration.usage,
            jdbi,
            clock,
            ReachedBudgets.install(budgets, jdbi, environment.lifecycle())::add,
            metrics,
            environment);
    MoveModule.install(
        jdbi, project -> inFlight.heldBy(project) > 0 || usage.waits().test(project), environment);
    RunningBudgets running = new RunningBudgets(budgets, memory.transactions());
    adminApi.withBudgets(auth.budgetTasks(), running);
    ProxyModule.Installed proxy =
        ProxyModule.install(
            configuration.providers,
            configuration.defaultProvider,
            configuration.routes,
            configuration.modelAliases,
            this.environment,
            configuration.concurrency.maxWait().toJavaDuration(),
            observation.model(),
            new Turns(memory, configuration.memory, context, search, heap, metrics)
                .install(environment.lifecycle()),
            new CallBudgets(budgets, running, prices, clock),
            metrics,
            usage.log(),
            prices,
            configuration.budgets.costComment(),
            calls,
            clock,
            tracing,
            environment);
    ObservationModule.install(
        observation,
        context,
        jdbi,
        memory.transactions(),
        proxy.models(),
        heap,
        clock,
        metrics,
        environment);
    DirectFilter.install(
        configuration.getServerFactory(),
        proxy.calls(),
        List.of(auth.authentication(), rateLimits.admission(), auth.scopes()),
        failure -> DatabaseFailure.of(failure).isOutage(),
        environment);
    adminApi.withProviders(proxy.admin(), operatorActs);
    EmbeddingModule.Settings embedding = configuration.search.embedding();
    Search searchOfApi =
        embedding == null
            ? search
            : search.with(
                EmbeddingModule.install(
                    embedding,
                    proxy.embeddings(),
                    memory.transactions(),
                    jdbi,
                    clock,
                    metrics,
                    environment.lifecycle()));
    Observations observations = new Observations(clock, context);
    ThreadViews views = new ThreadViews(memory, observations);
    SearchView searchView = new SearchView(searchOfApi);
    MemoryApi.install(memory, observations, views, searchView, shares, environment.jersey());
    adminApi.withThreads(
        memory,
        views,
        searchView,
        jdbi,
        AuditOutbox.install(jdbi, operators, audit, environment.lifecycle()));
    environment
        .jersey()
        .register(
            new LimitsResource(
                running,
                limits.validRules(),
                rateLimits.limiter()::heldAhead,
                memory.transactions()));
    OpenApi.install(environment.jersey());
    adminApi.install();
    PriceModule.install(prices, jdbi, clock, metrics, environment);
    OpsModule.install(
        configuration.shutdown,
        configuration.usage.retention().toJavaDuration(),
        configuration.limits.storageBytes(),
        configuration.getServerFactory(),
        calls,
        database,
        metrics,
        clock,
        environment);
    HealthModule.check(configuration.getHealthFactory(), environment.healthChecks());
  }

  @Override
  public void run(String... arguments) {
    int status = execute(arguments);
    if (status != 0) {
      System.exit(status);
    }
  }

  /**
   * Runs a command as Dropwizard does, except that a failure is reported in one line.
   *
   * @return the exit status; after {@code server}, the gateway is up and serves
   */
  int execute(String... arguments) {
    Bootstrap<MemoryGatewayConfiguration> bootstrap = new Bootstrap<>(this);
    initialize(bootstrap);
    bootstrap.registerMetrics();
    JarLocation jar =
        new JarLocation(getClass()) {
          @Override
          public Optional<String> getVersion() {
            return Optional.of(BuildVersion.current().text());
          }
        };
    String unknown = Commands.unknown(bootstrap.getCommands(), arguments);
    if (unknown != null) {
      return StartFailure.print(new IllegalArgumentException(unknown), err);
    }
    Cli cli = new Cli(jar, bootstrap, out, OutputStream.nullOutputStream());
    Throwable failure = cli.run(arguments).orElse(null);
    try {
      // A server runs whether anybody reads its log or not.
      if (failure == null && List.of(arguments).indexOf("server") != 0) {
        CommandOutput.checkWritten(out);
      }
    } catch (IOException e) {
      failure = e;
    }
    return failure == null ? 0 : StartFailure.print(failure, err);
  }
}

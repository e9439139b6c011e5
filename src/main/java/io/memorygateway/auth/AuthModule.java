package io.memorygateway.auth;

import io.dropwizard.auth.AuthValueFactoryProvider;
import io.dropwizard.core.setup.Environment;
import io.memorygateway.budget.BudgetsConfiguration;
import io.memorygateway.database.DatabaseAddress;
import io.memorygateway.database.DatabaseClock;
import io.memorygateway.database.DatabaseSettings;
import io.memorygateway.database.Home;
import io.memorygateway.database.Transactions;
import io.memorygateway.operator.AdminTask;
import io.memorygateway.operator.AdminTaskServlet;
import io.memorygateway.operator.RecordedTask;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import org.jdbi.v3.core.Jdbi;

/** Wires authentication and the administration of keys. */
public final class AuthModule {
  private AuthModule() {}

  /** What authentication offers to other packages. */
  public record Installed(
      ApiKeys keys,
      ApiKeyAuthentication authentication,
      ScopeAdmission scopes,
      Map<BudgetAction, RecordedTask> budgetTasks) {}

  private static final Duration CONNECT = Duration.ofSeconds(2);

  /** Timeout of an answer, after which the database counts as unreachable. */
  private static final Duration ANSWER = Duration.ofSeconds(3);

  /**
   * Guards the application port and registers the tasks on the admin port.
   *
   * @param jdbi for recording uses and loading fingerprints of keys; look-ups have a separate
   *     connection
   * @param transactions for the administration of keys
   * @param rules names of the rate limits that a key may override
   * @param budgets that a key may override
   * @param proxies in front of the gateway
   */
  public static Installed install(
      AuthConfiguration configuration,
      DatabaseSettings database,
      Jdbi jdbi,
      Transactions transactions,
      PrometheusRegistry registry,
      Clock clock,
      Set<String> rules,
      BudgetsConfiguration budgets,
      TrustedProxies proxies,
      Environment environment) {
    AuthMetrics metrics = new AuthMetrics(registry);
    DatabaseAddress address = DatabaseAddress.of(database);
    ApiKeyLookUps lookUps =
        new ApiKeyLookUps(
            () -> MySqlKeyStore.open(address, CONNECT, ANSWER),
            metrics,
            ApiKeyLookUps.PING_AFTER_IDLE);
    metrics.showReachable(lookUps::isReachable);
    ApiKeyVerifier verifier =
        new ApiKeyVerifier(
            lookUps,
            clock,
            System::nanoTime,
            configuration.graceWhileDatabaseDown().toJavaDuration(),
            ApiKeyVerifier.LOOK_UP_TIMEOUT);
    environment.lifecycle().manage(lookUps);
    ScheduledExecutorService background =
        environment.lifecycle().scheduledExecutorService("auth-%d", true).build();
    environment.lifecycle().manage(new LastUseRecorder(verifier, jdbi, background));

    LookUpThrottle throttle =
        new LookUpThrottle(
            new FailedAttempts(configuration.failuresPerMinute(), System::nanoTime),
            new IssuedKeys(() -> IssuedKeys.loadAll(jdbi), background, System::nanoTime));
    ApiKeyAuthentication authentication =
        new ApiKeyAuthentication(verifier, throttle, proxies, metrics);
    environment
        .jersey()
        .register(
            new ApiKeyAuthFilter(
                authentication, Set.of("openapi.json", "docs", "docs/page.js", "docs/page.css")));
    ScopeAdmission scopes = new ScopeAdmission(proxies);
    environment.jersey().register(scopes);
    environment.jersey().register(new AuthValueFactoryProvider.Binder<>(Caller.class));

    SecureRandom random = new SecureRandom();
    Projects projects = new Projects(transactions, database.homes(), clock, random);
    ApiKeys keys = new ApiKeys(transactions, projects, clock, random, verifier::evict);
    AdminTaskServlet.register(environment, new ProjectTask(projects));
    for (KeyAction action : KeyAction.values()) {
      AdminTaskServlet.register(environment, new KeyTask(action, keys, rules));
    }
    KeyBudgets own = new KeyBudgets(keys, transactions, budgets, clock, verifier::evictProject);
    Map<BudgetAction, RecordedTask> budgetTasks = new EnumMap<>(BudgetAction.class);
    for (BudgetAction action : BudgetAction.values()) {
      RecordedTask task = new BudgetTask(action, own);
      budgetTasks.put(action, task);
      AdminTaskServlet.register(environment, task);
    }
    return new Installed(keys, authentication, scopes, budgetTasks);
  }

  /** Creates a task on budgets for the command line, where no cache has to be evicted. */
  public static AdminTask budgetTask(
      BudgetAction action,
      Transactions transactions,
      List<Home> homes,
      BudgetsConfiguration budgets) {
    ApiKeys keys = keys(transactions, homes);
    return new BudgetTask(
        action, new KeyBudgets(keys, transactions, budgets, keys.clock(), project -> {}));
  }

  /** Creates a task on keys for the command line, where no cache has to be evicted. */
  public static AdminTask keyTask(
      KeyAction action, Transactions transactions, List<Home> homes, Set<String> rules) {
    return new KeyTask(action, keys(transactions, homes), rules);
  }

  private static ApiKeys keys(Transactions transactions, List<Home> homes) {
    Clock clock = DatabaseClock.of(transactions);
    SecureRandom random = new SecureRandom();
    Projects projects = new Projects(transactions, homes, clock, random);
    return new ApiKeys(transactions, projects, clock, random, hash -> {});
  }

  /** Creates the task {@code project-create} for the command line. */
  public static AdminTask projectTask(Transactions transactions, List<Home> homes) {
    return new ProjectTask(
        new Projects(transactions, homes, DatabaseClock.of(transactions), new SecureRandom()));
  }
}

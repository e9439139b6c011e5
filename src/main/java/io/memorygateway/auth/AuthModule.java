package io.memorygateway.auth;

import com.codahale.metrics.MetricRegistry;
import io.dropwizard.auth.AuthValueFactoryProvider;
import io.dropwizard.core.setup.Environment;
import io.dropwizard.db.DataSourceFactory;
import io.dropwizard.db.ManagedDataSource;
import io.memorygateway.http.AdminTaskServlet;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.sqlobject.SqlObjectPlugin;

/** Wires authentication and the handling of keys. */
public final class AuthModule {
  private AuthModule() {}

  /**
   * Guards the application port and offers the tasks on the admin port.
   *
   * @param rules names of the rate limits that a key may have its own for
   */
  public static void install(
      AuthConfiguration configuration,
      Jdbi jdbi,
      Clock clock,
      Set<String> rules,
      Environment environment) {
    ScheduledExecutorService background =
        environment.lifecycle().scheduledExecutorService("auth-%d").threads(2).build();
    ExecutorService lookUps =
        environment
            .lifecycle()
            .executorService("key-look-up-%d")
            .minThreads(8)
            .maxThreads(8)
            .build();
    ApiKeyDao dao = jdbi.onDemand(ApiKeyDao.class);
    ApiKeyVerifier verifier =
        new ApiKeyVerifier(
            dao::findBySecretHash,
            clock,
            lookUps,
            background,
            configuration.graceWhileDatabaseDown().toJavaDuration());
    environment.lifecycle().manage(new LastUseRecorder(verifier, jdbi, background));

    environment
        .jersey()
        .register(
            new ApiKeyAuthFilter(
                verifier,
                new FailedAttempts(configuration.failuresPerMinute(), clock),
                Set.of("openapi.json")));
    environment.jersey().register(new AuthValueFactoryProvider.Binder<>(Caller.class));

    ApiKeys keys = new ApiKeys(jdbi, clock, new SecureRandom(), verifier::forget);
    for (KeyAction action : KeyAction.values()) {
      AdminTaskServlet.register(
          environment.admin(), new KeyTask(action, keys, rules), environment.getObjectMapper());
    }
  }

  /** For the command line: one connection, nothing cached. */
  public static KeyCommand.OpenKeys openKeys(DataSourceFactory database, Set<String> rules) {
    database.setInitialSize(1);
    database.setMinSize(1);
    ManagedDataSource dataSource = database.build(new MetricRegistry(), "key-command");
    Jdbi jdbi = Jdbi.create(dataSource).installPlugin(new SqlObjectPlugin());
    ApiKeys keys = new ApiKeys(jdbi, Clock.systemUTC(), new SecureRandom(), hash -> {});
    return new KeyCommand.OpenKeys() {
      @Override
      public ApiKeys keys() {
        return keys;
      }

      @Override
      public Set<String> rules() {
        return rules;
      }

      @Override
      public void close() {
        try {
          dataSource.stop();
        } catch (Exception e) {
          throw new IllegalStateException(e);
        }
      }
    };
  }
}

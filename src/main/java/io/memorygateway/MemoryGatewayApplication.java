package io.memorygateway;

import io.dropwizard.core.Application;
import io.dropwizard.core.cli.Cli;
import io.dropwizard.core.setup.Bootstrap;
import io.dropwizard.core.setup.Environment;
import io.dropwizard.util.JarLocation;
import io.memorygateway.auth.AuthModule;
import io.memorygateway.auth.KeyCommand;
import io.memorygateway.http.HttpEdge;
import io.memorygateway.memory.MemoryModule;
import io.memorygateway.openapi.OpenApiResource;
import io.memorygateway.ops.DatabaseModule;
import io.memorygateway.ops.EnvironmentConfigurationFactory;
import io.memorygateway.ops.MetricsModule;
import io.memorygateway.ops.Migrations;
import io.memorygateway.ops.StartAnnouncement;
import io.memorygateway.ops.StartFailure;
import io.memorygateway.proxy.ProxyModule;
import io.memorygateway.ratelimit.RateLimitHeaders;
import io.memorygateway.ratelimit.RateLimitModule;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Map;
import net.sourceforge.argparse4j.inf.ArgumentParserException;

/** Wires the gateway together. */
public final class MemoryGatewayApplication extends Application<MemoryGatewayConfiguration> {
  private final Map<String, String> environment;
  private final PrintStream out;
  private final PrintStream err;

  public MemoryGatewayApplication() {
    this(System.getenv());
  }

  /**
   * A gateway with an environment of its own.
   *
   * @param environment what <code>${NAME}</code> in config.yml stands for
   */
  public MemoryGatewayApplication(Map<String, String> environment) {
    this(environment, System.out, System.err);
  }

  /**
   * The same, with its own ways to speak to the operator.
   *
   * @param out what commands answer
   * @param err why they failed
   */
  MemoryGatewayApplication(Map<String, String> environment, PrintStream out, PrintStream err) {
    this.environment = Map.copyOf(environment);
    this.out = out;
    this.err = err;
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
    bootstrap.setConfigurationFactoryFactory(
        (type, validator, json, prefix) ->
            new EnvironmentConfigurationFactory<>(type, validator, json, prefix, environment));
    bootstrap.addBundle(new Migrations<>(MemoryGatewayConfiguration::getDatabase));
    bootstrap.addCommand(
        new KeyCommand<>(
            MemoryGatewayConfiguration.class,
            configuration ->
                AuthModule.openKeys(
                    DatabaseModule.migrated(configuration.getDatabase()),
                    configuration.getRateLimits().rules().keySet()),
            out));
  }

  @Override
  public void run(MemoryGatewayConfiguration configuration, Environment environment)
      throws Exception {
    Clock clock = Clock.systemUTC();
    DatabaseModule database = DatabaseModule.open(configuration.getDatabase(), environment);
    PrometheusRegistry metrics = MetricsModule.install(environment);
    RateLimitHeaders rateLimitHeaders =
        RateLimitModule.install(
            configuration.getRateLimits(),
            configuration.getDatabase(),
            metrics,
            clock,
            environment);
    HttpEdge.install(
        configuration.getServerFactory(),
        environment,
        configuration.getMaxRequestBody().toBytes(),
        rateLimitHeaders::setUntouched);
    AuthModule.install(
        configuration.getAuth(),
        database.jdbi(),
        clock,
        configuration.getRateLimits().rules().keySet(),
        environment);
    MemoryModule.install(database.jdbi(), clock, new SecureRandom(), metrics, environment);
    ProxyModule.install(
        configuration.getProviders(), configuration.getDefaultProvider(), metrics, environment);
    OpenApiResource.install(environment.jersey());
    environment.lifecycle().addServerLifecycleListener(new StartAnnouncement());
  }

  @Override
  public void run(String... arguments) {
    int status = execute(arguments);
    if (status != 0) {
      System.exit(status);
    }
  }

  /**
   * Runs a command as Dropwizard does it, but one that fails says why in one line.
   *
   * @return the exit status; after {@code server}, the gateway is up and serves
   */
  int execute(String... arguments) {
    Bootstrap<MemoryGatewayConfiguration> bootstrap = new Bootstrap<>(this);
    addDefaultCommands(bootstrap);
    initialize(bootstrap);
    bootstrap.registerMetrics();
    Cli cli = new Cli(new JarLocation(getClass()), bootstrap, out, OutputStream.nullOutputStream());
    return cli.run(arguments).map(this::explain).orElse(0);
  }

  private int explain(Throwable failure) {
    if (failure instanceof ArgumentParserException usage) {
      usage.getParser().handleError(usage, new PrintWriter(err, true, StandardCharsets.UTF_8));
    } else {
      err.println(StartFailure.describe(failure));
    }
    return 1;
  }
}

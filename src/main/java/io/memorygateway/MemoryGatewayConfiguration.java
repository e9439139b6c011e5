package io.memorygateway;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.google.common.collect.Maps;
import io.dropwizard.core.Configuration;
import io.dropwizard.core.setup.AdminFactory;
import io.dropwizard.health.HealthFactory;
import io.dropwizard.logging.common.LoggingFactory;
import io.dropwizard.metrics.common.MetricsFactory;
import io.dropwizard.util.DataSize;
import io.dropwizard.validation.MinDataSize;
import io.dropwizard.validation.ValidationMethod;
import io.memorygateway.admin.AdminAuthMode;
import io.memorygateway.admin.AdminConfiguration;
import io.memorygateway.admin.AdminModule;
import io.memorygateway.auth.AuthConfiguration;
import io.memorygateway.auth.TrustedProxies;
import io.memorygateway.budget.BudgetsConfiguration;
import io.memorygateway.database.DatabaseSettings;
import io.memorygateway.http.admission.ConcurrencySettings;
import io.memorygateway.http.api.CrossOriginConfiguration;
import io.memorygateway.http.arrival.SlowRequests;
import io.memorygateway.http.setup.HttpServerSetup;
import io.memorygateway.memory.limit.LimitsConfiguration;
import io.memorygateway.observation.ObservationSettings;
import io.memorygateway.observation.RecallSettings;
import io.memorygateway.ops.HealthModule;
import io.memorygateway.ops.LogLevels;
import io.memorygateway.ops.MetricsModule;
import io.memorygateway.ops.ShutdownConfiguration;
import io.memorygateway.price.ModelPrice;
import io.memorygateway.price.PriceTable;
import io.memorygateway.price.Prices;
import io.memorygateway.proxy.route.ProviderConfiguration;
import io.memorygateway.proxy.route.RouteConfiguration;
import io.memorygateway.ratelimit.RateLimitConfiguration;
import io.memorygateway.search.SearchConfiguration;
import io.memorygateway.turn.MemoryConfiguration;
import io.memorygateway.usage.UsageConfiguration;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Content of config.yml, where every key is explained. */
public final class MemoryGatewayConfiguration extends Configuration {
  // The pool's own check of a missing address has a less helpful message than database.Database's.
  @JsonProperty @NotNull DatabaseSettings database = new DatabaseSettings();
  @JsonProperty @Valid @NotNull AuthConfiguration auth = AuthConfiguration.defaults();

  @JsonProperty @Valid @NotNull
  RateLimitConfiguration rateLimits = RateLimitConfiguration.defaults();

  @JsonProperty @Valid @NotNull MemoryConfiguration memory = MemoryConfiguration.defaults();
  @JsonProperty @Valid @NotNull LimitsConfiguration limits = LimitsConfiguration.defaults();
  @JsonProperty @Valid @NotNull UsageConfiguration usage = UsageConfiguration.defaults();

  @JsonProperty
  @JsonSetter(nulls = Nulls.SKIP)
  @Valid
  BudgetsConfiguration budgets = BudgetsConfiguration.defaults();

  @JsonProperty @Valid @NotNull ShutdownConfiguration shutdown = ShutdownConfiguration.defaults();
  @JsonProperty @Valid @NotNull ObservationSettings observation = ObservationSettings.defaults();
  @JsonProperty @NotNull SearchConfiguration search = SearchConfiguration.defaults();
  @JsonProperty @Valid @NotNull RecallSettings recall = RecallSettings.defaults();
  @JsonProperty @NotNull ConcurrencySettings concurrency = ConcurrencySettings.defaults();
  @JsonProperty @NotNull SlowRequests slowRequests = SlowRequests.defaults();
  @JsonProperty @NotNull CrossOriginConfiguration cors = CrossOriginConfiguration.defaults();

  /** Ranges of addresses of the proxies in front, whose {@code X-Forwarded-For} is believed. */
  @JsonProperty @NotNull List<String> trustedProxies = List.of();

  /** Largest request body, after decompression. */
  @JsonProperty
  @NotNull
  @MinDataSize(1)
  DataSize maxRequestBody = DataSize.mebibytes(32);

  @JsonProperty
  @MinDataSize(1)
  private @Nullable DataSize maxBodiesInWork;

  /** Name of the provider of all models that no other claims. */
  @JsonProperty @NotNull String defaultProvider = "openrouter";

  /** Providers by name, the part before the slash in {@code provider/model}. */
  @JsonProperty
  @JsonSetter(nulls = Nulls.SKIP)
  Map<String, ProviderConfiguration> providers = new LinkedHashMap<>();

  /** Routes by the name that callers give as {@code model}. */
  @JsonProperty
  @JsonSetter(nulls = Nulls.SKIP)
  Map<String, RouteConfiguration> routes = new LinkedHashMap<>();

  @JsonSetter(nulls = Nulls.SKIP)
  private Map<String, ModelPrice> prices = new LinkedHashMap<>();

  /** What other names of models and routes, or patterns of them with one *, stand for. */
  @JsonProperty
  @JsonSetter(nulls = Nulls.SKIP)
  Map<String, String> modelAliases = new LinkedHashMap<>();

  public MemoryGatewayConfiguration() {
    super.setAdminFactory(new AdminConfiguration());
  }

  @Override
  @JsonProperty("admin")
  public AdminConfiguration getAdminFactory() {
    return (AdminConfiguration) super.getAdminFactory();
  }

  @Override
  @JsonProperty("admin")
  @JsonSetter(nulls = Nulls.FAIL)
  @JsonDeserialize(as = AdminConfiguration.class)
  public void setAdminFactory(AdminFactory admin) {
    super.setAdminFactory(admin);
  }

  @JsonIgnore
  @ValidationMethod(
      message =
          "admin.auth: must be basic, headers or token, because bindHost of the admin port is not"
              + " loopback, and anybody could issue keys")
  public boolean isAdminPortOpenToOperatorsOnly() {
    return getAdminFactory().getAuth().mode() != AdminAuthMode.NONE
        || AdminModule.isOnLoopback(getServerFactory());
  }

  @Override
  @JsonProperty("logging")
  public synchronized void setLoggingFactory(LoggingFactory logging) {
    LogLevels.check(logging);
    super.setLoggingFactory(logging);
  }

  public DatabaseSettings getDatabase() {
    return database;
  }

  @JsonProperty
  public void setTrustedProxies(@Nullable List<String> trustedProxies) {
    List<String> ranges = trustedProxies == null ? List.of() : List.copyOf(trustedProxies);
    var unused = new TrustedProxies(ranges);
    this.trustedProxies = ranges;
  }

  /**
   * Heap that the bodies of all running requests may take together, in bytes.
   *
   * @param heap size of the heap in bytes
   */
  long bodiesInWork(long heap) {
    return maxBodiesInWork == null ? heap / 2 : maxBodiesInWork.toBytes();
  }

  /** What calls cost with this configuration. */
  Prices prices() {
    return new Prices(
        new PriceTable(), prices, Maps.transformValues(providers, ProviderConfiguration::baseUrl));
  }

  @JsonIgnore
  @ValidationMethod(message = "defaultProvider: is not the name of one of the providers")
  public boolean isDefaultProviderAmongProviders() {
    return providers.containsKey(defaultProvider);
  }

  @JsonIgnore
  @ValidationMethod(
      message = "server: uriCompliance or httpCompliance of a connector is not the name of a mode")
  public boolean isComplianceOfConnectorsKnown() {
    return HttpServerSetup.knowsCompliance(getServerFactory());
  }

  @JsonIgnore
  @ValidationMethod(message = "server: rootPath must begin with /, and may end with /*")
  public boolean isRootPathAPath() {
    return HttpServerSetup.knowsRootPath(getServerFactory());
  }

  @JsonIgnore
  @ValidationMethod(
      message =
          "server: acceptorThreads and selectorThreads of the connectors leave none of maxThreads,"
              + " or of adminMaxThreads")
  public boolean isAnyThreadLeftByConnectors() {
    return HttpServerSetup.hasThreads(getServerFactory());
  }

  @JsonIgnore
  @ValidationMethod(
      message =
          "admin.healthChecks: maxThreads must be at least 1, minThreads from 0 to maxThreads, and"
              + " workQueueSize from 1 to 10000")
  public boolean isThreadPoolOfHealthChecksPossible() {
    var pool = getAdminFactory().getHealthChecks();
    return pool.getMinThreads() >= 0
        && pool.getMaxThreads() >= Math.max(1, pool.getMinThreads())
        && pool.getWorkQueueSize() >= 1
        && pool.getWorkQueueSize() <= 10_000;
  }

  @Override
  @JsonProperty("health")
  public void setHealthFactory(@Nullable HealthFactory health) {
    HealthModule.check(health);
    HealthModule.answerByChecks(health);
    super.setHealthFactory(health);
  }

  @Override
  @JsonProperty("metrics")
  public void setMetricsFactory(MetricsFactory metrics) {
    MetricsModule.check(metrics);
    super.setMetricsFactory(metrics);
  }
}

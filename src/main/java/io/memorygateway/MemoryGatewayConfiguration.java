package io.memorygateway;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.google.common.collect.Maps;
import io.dropwizard.core.Configuration;
import io.dropwizard.core.setup.AdminFactory;
import io.dropwizard.logging.common.LoggingFactory;
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
import io.memorygateway.ops.LogLevels;
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
  @JsonProperty @NotNull private DatabaseSettings database = new DatabaseSettings();
  @JsonProperty @Valid @NotNull private AuthConfiguration auth = AuthConfiguration.defaults();

  @JsonProperty @Valid @NotNull
  private RateLimitConfiguration rateLimits = RateLimitConfiguration.defaults();

  @JsonProperty @Valid @NotNull private MemoryConfiguration memory = MemoryConfiguration.defaults();
  @JsonProperty @Valid @NotNull private LimitsConfiguration limits = LimitsConfiguration.defaults();
  @JsonProperty @Valid @NotNull private UsageConfiguration usage = UsageConfiguration.defaults();

  @JsonSetter(nulls = Nulls.SKIP)
  @Valid
  private BudgetsConfiguration budgets = BudgetsConfiguration.defaults();

  @JsonProperty @Valid @NotNull
  private ShutdownConfiguration shutdown = ShutdownConfiguration.defaults();

  @JsonProperty @Valid @NotNull
  private ObservationSettings observation = ObservationSettings.defaults();

  @JsonProperty @NotNull private SearchConfiguration search = SearchConfiguration.defaults();
  @JsonProperty @Valid @NotNull private RecallSettings recall = RecallSettings.defaults();
  @JsonProperty @NotNull private ConcurrencySettings concurrency = ConcurrencySettings.defaults();
  @JsonProperty @NotNull private SlowRequests slowRequests = SlowRequests.defaults();

  @JsonProperty @NotNull
  private CrossOriginConfiguration cors = CrossOriginConfiguration.defaults();

  @NotNull private List<String> trustedProxies = List.of();

  @JsonProperty
  @NotNull
  @MinDataSize(1)
  private DataSize maxRequestBody = DataSize.mebibytes(32);

  @JsonProperty private @Nullable DataSize maxBodiesInWork;
  @JsonProperty @NotNull private String defaultProvider = "openrouter";

  @JsonSetter(nulls = Nulls.SKIP)
  private Map<String, ProviderConfiguration> providers = new LinkedHashMap<>();

  @JsonSetter(nulls = Nulls.SKIP)
  private Map<String, RouteConfiguration> routes = new LinkedHashMap<>();

  @JsonSetter(nulls = Nulls.SKIP)
  private Map<String, ModelPrice> prices = new LinkedHashMap<>();

  @JsonSetter(nulls = Nulls.SKIP)
  private Map<String, String> modelAliases = new LinkedHashMap<>();

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
  @JsonDeserialize(as = AdminConfiguration.class)
  public void setAdminFactory(AdminFactory admin) {
    super.setAdminFactory(admin);
  }

  @JsonIgnore
  @ValidationMethod(
      message =
          "admin.auth: must be basic, headers or token, because the admin port is bound to more"
              + " than loopback, where anybody could issue keys")
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

  public AuthConfiguration getAuth() {
    return auth;
  }

  public RateLimitConfiguration getRateLimits() {
    return rateLimits;
  }

  public MemoryConfiguration getMemory() {
    return memory;
  }

  public LimitsConfiguration getLimits() {
    return limits;
  }

  public UsageConfiguration getUsage() {
    return usage;
  }

  public ShutdownConfiguration getShutdown() {
    return shutdown;
  }

  public ObservationSettings getObservation() {
    return observation;
  }

  public SearchConfiguration getSearch() {
    return search;
  }

  public RecallSettings getRecall() {
    return recall;
  }

  public ConcurrencySettings getConcurrency() {
    return concurrency;
  }

  public SlowRequests getSlowRequests() {
    return slowRequests;
  }

  public CrossOriginConfiguration getCors() {
    return cors;
  }

  /** Ranges of addresses of the proxies in front, whose {@code X-Forwarded-For} is believed. */
  public List<String> getTrustedProxies() {
    return trustedProxies;
  }

  @JsonProperty
  public void setTrustedProxies(@Nullable List<String> trustedProxies) {
    List<String> ranges = trustedProxies == null ? List.of() : List.copyOf(trustedProxies);
    var unused = new TrustedProxies(ranges);
    this.trustedProxies = ranges;
  }

  /** Largest request body, after decompression. */
  public DataSize getMaxRequestBody() {
    return maxRequestBody;
  }

  /**
   * Heap that the bodies of all running requests may take together, in bytes.
   *
   * @param heap size of the heap in bytes
   */
  @JsonIgnore
  long bodiesInWork(long heap) {
    return maxBodiesInWork == null ? heap / 2 : maxBodiesInWork.toBytes();
  }

  /** Name of the provider of all models that no other claims. */
  public String getDefaultProvider() {
    return defaultProvider;
  }

  /** Providers by name, the part before the slash in {@code provider/model}. */
  public Map<String, ProviderConfiguration> getProviders() {
    return providers;
  }

  /** Routes by the name that callers give as {@code model}. */
  public Map<String, RouteConfiguration> getRoutes() {
    return routes;
  }

  /** What other names of models and routes, or patterns of them with one *, stand for. */
  public Map<String, String> getModelAliases() {
    return modelAliases;
  }

  public BudgetsConfiguration getBudgets() {
    return budgets;
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
}

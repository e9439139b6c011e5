package io.memorygateway;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
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
  @NotNull private DatabaseSettings database = new DatabaseSettings();
  @Valid @NotNull private AuthConfiguration auth = AuthConfiguration.defaults();

  @Valid @NotNull private RateLimitConfiguration rateLimits = RateLimitConfiguration.defaults();

  @Valid @NotNull private MemoryConfiguration memory = MemoryConfiguration.defaults();
  @Valid @NotNull private LimitsConfiguration limits = LimitsConfiguration.defaults();
  @Valid @NotNull private UsageConfiguration usage = UsageConfiguration.defaults();
  @Valid @NotNull private BudgetsConfiguration budgets = BudgetsConfiguration.defaults();
  @Valid @NotNull private ShutdownConfiguration shutdown = ShutdownConfiguration.defaults();
  @Valid @NotNull private ObservationSettings observation = ObservationSettings.defaults();
  @NotNull private SearchConfiguration search = SearchConfiguration.defaults();
  @Valid @NotNull private RecallSettings recall = RecallSettings.defaults();
  @NotNull private ConcurrencySettings concurrency = ConcurrencySettings.defaults();
  @NotNull private SlowRequests slowRequests = SlowRequests.defaults();
  @NotNull private CrossOriginConfiguration cors = CrossOriginConfiguration.defaults();
  @NotNull private List<String> trustedProxies = List.of();

  @NotNull
  @MinDataSize(1)
  private DataSize maxRequestBody = DataSize.mebibytes(32);

  private @Nullable DataSize maxBodiesInWork;
  @NotNull private String defaultProvider = "openrouter";
  @NotNull private Map<String, ProviderConfiguration> providers = new LinkedHashMap<>();

  @NotNull private Map<String, RouteConfiguration> routes = new LinkedHashMap<>();
  @NotNull private Map<String, ModelPrice> prices = new LinkedHashMap<>();

  @NotNull private Map<String, String> modelAliases = new LinkedHashMap<>();

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

  @JsonProperty
  public DatabaseSettings getDatabase() {
    return database;
  }

  @JsonProperty
  public void setDatabase(DatabaseSettings database) {
    this.database = database;
  }

  @JsonProperty
  public AuthConfiguration getAuth() {
    return auth;
  }

  @JsonProperty
  public void setAuth(AuthConfiguration auth) {
    this.auth = auth;
  }

  @JsonProperty
  public RateLimitConfiguration getRateLimits() {
    return rateLimits;
  }

  @JsonProperty
  public void setRateLimits(RateLimitConfiguration rateLimits) {
    this.rateLimits = rateLimits;
  }

  @JsonProperty
  public MemoryConfiguration getMemory() {
    return memory;
  }

  @JsonProperty
  public void setMemory(MemoryConfiguration memory) {
    this.memory = memory;
  }

  @JsonProperty
  public LimitsConfiguration getLimits() {
    return limits;
  }

  @JsonProperty
  public void setLimits(LimitsConfiguration limits) {
    this.limits = limits;
  }

  @JsonProperty
  public UsageConfiguration getUsage() {
    return usage;
  }

  @JsonProperty
  public void setUsage(UsageConfiguration usage) {
    this.usage = usage;
  }

  @JsonProperty
  public ShutdownConfiguration getShutdown() {
    return shutdown;
  }

  @JsonProperty
  public void setShutdown(ShutdownConfiguration shutdown) {
    this.shutdown = shutdown;
  }

  @JsonProperty
  public ObservationSettings getObservation() {
    return observation;
  }

  @JsonProperty
  public void setObservation(ObservationSettings observation) {
    this.observation = observation;
  }

  @JsonProperty
  public SearchConfiguration getSearch() {
    return search;
  }

  @JsonProperty
  public void setSearch(SearchConfiguration search) {
    this.search = search;
  }

  @JsonProperty
  public RecallSettings getRecall() {
    return recall;
  }

  @JsonProperty
  public void setRecall(RecallSettings recall) {
    this.recall = recall;
  }

  @JsonProperty
  public ConcurrencySettings getConcurrency() {
    return concurrency;
  }

  @JsonProperty
  public void setConcurrency(ConcurrencySettings concurrency) {
    this.concurrency = concurrency;
  }

  @JsonProperty
  public SlowRequests getSlowRequests() {
    return slowRequests;
  }

  @JsonProperty
  public void setSlowRequests(SlowRequests slowRequests) {
    this.slowRequests = slowRequests;
  }

  @JsonProperty
  public CrossOriginConfiguration getCors() {
    return cors;
  }

  @JsonProperty
  public void setCors(CrossOriginConfiguration cors) {
    this.cors = cors;
  }

  /** Ranges of addresses of the proxies in front, whose {@code X-Forwarded-For} is believed. */
  @JsonProperty
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
  @JsonProperty
  public DataSize getMaxRequestBody() {
    return maxRequestBody;
  }

  @JsonProperty
  public void setMaxRequestBody(DataSize maxRequestBody) {
    this.maxRequestBody = maxRequestBody;
  }

  /** Heap that the bodies of all running requests may take together; null: half of it. */
  @JsonProperty
  public @Nullable DataSize getMaxBodiesInWork() {
    return maxBodiesInWork;
  }

  @JsonProperty
  public void setMaxBodiesInWork(@Nullable DataSize maxBodiesInWork) {
    this.maxBodiesInWork = maxBodiesInWork;
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
  @JsonProperty
  public String getDefaultProvider() {
    return defaultProvider;
  }

  @JsonProperty
  public void setDefaultProvider(String defaultProvider) {
    this.defaultProvider = defaultProvider;
  }

  /** Providers by name, the part before the slash in {@code provider/model}. */
  @JsonProperty
  public Map<String, ProviderConfiguration> getProviders() {
    return providers;
  }

  @JsonProperty
  public void setProviders(@Nullable Map<String, ProviderConfiguration> providers) {
    this.providers = providers == null ? new LinkedHashMap<>() : new LinkedHashMap<>(providers);
  }

  /** Routes by the name that callers give as {@code model}. */
  @JsonProperty
  public Map<String, RouteConfiguration> getRoutes() {
    return routes;
  }

  @JsonProperty
  public void setRoutes(@Nullable Map<String, RouteConfiguration> routes) {
    this.routes = routes == null ? new LinkedHashMap<>() : new LinkedHashMap<>(routes);
  }

  /** What other names of models and routes, or patterns of them with one *, stand for. */
  @JsonProperty
  public Map<String, String> getModelAliases() {
    return modelAliases;
  }

  @JsonProperty
  public void setModelAliases(@Nullable Map<String, String> modelAliases) {
    this.modelAliases =
        modelAliases == null ? new LinkedHashMap<>() : new LinkedHashMap<>(modelAliases);
  }

  /** Prices of models by {@code provider/model}, before those of the table. */
  @JsonProperty
  public Map<String, ModelPrice> getPrices() {
    return prices;
  }

  @JsonProperty
  public void setPrices(@Nullable Map<String, ModelPrice> prices) {
    this.prices = prices == null ? new LinkedHashMap<>() : new LinkedHashMap<>(prices);
  }

  @JsonProperty
  public BudgetsConfiguration getBudgets() {
    return budgets;
  }

  @JsonProperty
  public void setBudgets(@Nullable BudgetsConfiguration budgets) {
    this.budgets = budgets == null ? BudgetsConfiguration.defaults() : budgets;
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

package io.memorygateway.proxy.own;

import io.dropwizard.lifecycle.Managed;
import io.memorygateway.concurrent.DaemonThreads;
import io.memorygateway.http.api.ApiPath;
import io.memorygateway.proxy.call.ProviderHealth;
import io.memorygateway.proxy.call.ProviderKeyState;
import io.memorygateway.proxy.call.ProviderKeyState.LookUp;
import io.memorygateway.proxy.route.ForwardedHeaders;
import io.memorygateway.proxy.route.Provider;
import io.memorygateway.proxy.upstream.UpstreamExchange;
import io.memorygateway.proxy.upstream.UpstreamFailure;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpFields;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks providers that refused a call with the gateway's own key for the list of their models, which
 * needs the key and no model; at most once a minute each, in the background.
 */
public final class ProviderKeyLookUps implements Managed {
  private static final Logger LOGGER = LoggerFactory.getLogger(ProviderKeyLookUps.class);
  private static final Duration ROUND = Duration.ofSeconds(1);
  private static final Duration TIME_LIMIT = Duration.ofSeconds(10);
  private static final int MAX_ANSWER_BYTES = 8 << 20;
  private static final int NO_ANSWER = 0;

  private final List<Provider> providers;
  private final Map<String, ProviderHealth> health;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("provider-key-look-up"));

  /**
   * Creates the look-ups.
   *
   * @param health by the name of the provider
   */
  public ProviderKeyLookUps(List<Provider> providers, Map<String, ProviderHealth> health) {
    this.providers = List.copyOf(providers);
    this.health = Map.copyOf(health);
  }

  @Override
  public void start() {
    long millis = ROUND.toMillis();
    var unused = thread.scheduleWithFixedDelay(this::round, millis, millis, TimeUnit.MILLISECONDS);
  }

  @Override
  public void stop() {
    thread.shutdownNow();
  }

  private void round() {
    try {
      for (Provider provider : providers) {
        ProviderHealth known = health.get(provider.name());
        if (known != null && known.key().isLookUpDue()) {
          known.key().lookedUp(ask(provider));
        }
      }
    } catch (RuntimeException | Error e) {
      LOGGER.warn("The look-ups of provider keys failed", e);
    }
  }

  private static LookUp ask(Provider provider) {
    int status = status(provider, provider.keyHeader(null));
    if (ProviderKeyState.REFUSALS.contains(status)) {
      return LookUp.REFUSED;
    }
    // Some show the list to everybody.
    boolean tells = status == 200 && ProviderKeyState.REFUSALS.contains(status(provider, null));
    return tells ? LookUp.ACCEPTED : LookUp.UNKNOWN;
  }

  private static int status(Provider provider, Provider.@Nullable KeyHeader key) {
    HttpFields headers = ForwardedHeaders.ofGateway(key);
    UpstreamExchange exchange =
        provider.upstream().get(provider.uri(ApiPath.MODELS_PATH), headers, MAX_ANSWER_BYTES);
    try {
      return exchange.head(TIME_LIMIT.toMillis()).getStatus();
    } catch (UpstreamFailure e) {
      return NO_ANSWER;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return NO_ANSWER;
    } finally {
      exchange.cancel();
    }
  }
}

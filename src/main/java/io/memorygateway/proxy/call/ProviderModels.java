package io.memorygateway.proxy.call;

import static java.util.Objects.requireNonNullElse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dropwizard.lifecycle.Managed;
import io.memorygateway.concurrent.DaemonThreads;
import io.memorygateway.http.api.ApiPath;
import io.memorygateway.http.errors.PrintableText;
import io.memorygateway.proxy.route.ForwardedHeaders;
import io.memorygateway.proxy.route.Provider;
import io.memorygateway.proxy.route.Router;
import io.memorygateway.proxy.upstream.UpstreamExchange;
import io.memorygateway.proxy.upstream.UpstreamFailure;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The models that the providers list to the gateway's own key, by the names under which callers
 * reach them there (contract §6). A list is asked for when somebody wants it, in the background; a
 * provider without an answer keeps the list that it gave before.
 */
public final class ProviderModels implements Managed {
  private static final Logger LOGGER = LoggerFactory.getLogger(ProviderModels.class);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int THREADS = 4;
  private static final int MAX_NAMES = 1000;
  private static final int MAX_NAME_LENGTH = 255;
  private static final int MAX_ANSWER_BYTES = 4 << 20;
  private static final Duration TIME_LIMIT = Duration.ofSeconds(10);

  /** Longest wait of a caller, and only for a list that was never asked for before. */
  private static final Duration FIRST_WAIT = Duration.ofSeconds(1);

  private static final long FRESH_NANOS = TimeUnit.MINUTES.toNanos(10);
  private static final long FAILED_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** What servers call the tokens that a model reads at most. */
  private static final Set<String> WINDOWS =
      Set.of(
          "context_window",
          "context_length",
          "max_context_length",
          "max_model_len",
          "max_input_tokens");

  /** What Google's names begin with in its list; it takes them without, too. */
  private static final String GOOGLES = "models/";

  private final Router router;
  private final LongSupplier nanoTime;
  private final List<Asked> asked;
  private final ExecutorService threads = DaemonThreads.queue("model-lists", THREADS);

  /** A provider, and what it has listed. */
  private static final class Asked {
    private final Provider provider;
    private final AtomicBoolean asking = new AtomicBoolean();
    private final CountDownLatch first = new CountDownLatch(1);
    private volatile Map<String, Integer> models = Map.of();
    private volatile long freshUntil;

    Asked(Provider provider) {
      this.provider = provider;
    }
  }

  /**
   * Creates the lists of all providers that have a key, if they need one, and for which the
   * configuration names no {@code models}.
   */
  public ProviderModels(Router router, LongSupplier nanoTime) {
    this.router = router;
    this.nanoTime = nanoTime;
    this.asked =
        router.providers().stream()
            .filter(provider -> provider.isUsable(null))
            .filter(provider -> provider.configuration().models().isEmpty())
            .map(Asked::new)
            .toList();
  }

  @Override
  public void stop() {
    threads.shutdownNow();
  }

  /** Has all lists brought up to date that are not, and waits a little for those not yet known. */
  void refresh() {
    long now = nanoTime.getAsLong();
    for (Asked each : asked) {
      boolean due = each.first.getCount() > 0 || now - each.freshUntil >= 0;
      if (due && each.asking.compareAndSet(false, true)) {
        begin(each);
      }
    }
    try {
      for (Asked each : asked) {
        long left = FIRST_WAIT.toNanos() - (nanoTime.getAsLong() - now);
        var unused = each.first.await(left, TimeUnit.NANOSECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** A provider's models by their names, as far as they are known, with their windows. */
  Map<String, Integer> of(Provider provider) {
    return asked.stream()
        .filter(each -> each.provider == provider)
        .findFirst()
        .map(each -> each.models)
        .orElse(Map.of());
  }

  /** The tokens that a model reads at most, as its provider lists it; 0 if it does not say. */
  int window(String name) {
    return asked.stream().mapToInt(each -> each.models.getOrDefault(name, 0)).max().orElse(0);
  }

  /** The provider that lists a model under this name; null if none does. */
  @Nullable Provider listing(String name) {
    return asked.stream()
        .filter(each -> each.models.containsKey(name))
        .findFirst()
        .map(each -> each.provider)
        .orElse(null);
  }

  private void begin(Asked each) {
    try {
      threads.execute(() -> ask(each));
    } catch (RejectedExecutionException e) {
      each.asking.set(false); // the next caller begins it
    }
  }

  private void ask(Asked each) {
    long next = FAILED_NANOS;
    try {
      Map<String, Integer> models = new LinkedHashMap<>();
      read(list(each.provider))
          .forEach(
              (model, window) -> {
                String name = router.nameOf(each.provider, model);
                if (name != null && name.length() <= MAX_NAME_LENGTH) {
                  models.put(name, window);
                }
              });
      each.models = Collections.unmodifiableMap(models);
      next = FRESH_NANOS;
    } catch (UpstreamFailure | IOException e) {
      LOGGER.debug("The provider {} did not list its models", each.provider.name(), e);
    } catch (RuntimeException e) {
      LOGGER.warn("The models of the provider {} could not be read", each.provider.name(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      each.freshUntil = nanoTime.getAsLong() + next;
      each.asking.set(false);
      each.first.countDown();
    }
  }

  /**
   * Asks a provider for its list.
   *
   * @throws IOException with its status, if that is not 200
   */
  public static byte[] list(Provider provider)
      throws UpstreamFailure, InterruptedException, IOException {
    URI uri = provider.uri(ApiPath.MODELS_PATH);
    UpstreamExchange exchange =
        provider
            .upstream()
            .get(
                URI.create(uri + provider.modelsQuery()),
                ForwardedHeaders.ofGateway(provider.keyHeader(null)),
                MAX_ANSWER_BYTES);
    try {
      int status = exchange.head(TIME_LIMIT.toMillis()).getStatus();
      if (status != 200) {
        throw new IOException("status " + status);
      }
      return provider.secret().mask(exchange.readAll(TIME_LIMIT.toMillis(), TIME_LIMIT.toMillis()));
    } finally {
      exchange.cancel();
    }
  }

  /**
   * Reads {@code {"data":[{"id":…}]}}: the models with the tokens that they read at most, 0 where
   * the list does not say it.
   */
  public static Map<String, Integer> read(byte[] answer) throws IOException {
    JsonNode root = JSON.readTree(answer);
    if (!root.isObject()) {
      throw new IOException("no object");
    }
    Map<String, Integer> models = new LinkedHashMap<>();
    for (JsonNode model : root.path("data").isArray() ? root.path("data") : List.<JsonNode>of()) {
      String id = requireNonNullElse(model.path("id").textValue(), "");
      if (!id.isBlank()
          && PrintableText.of(id, MAX_NAME_LENGTH).equals(id)
          && models.size() < MAX_NAMES) {
        models.put(id.startsWith(GOOGLES) ? id.substring(GOOGLES.length()) : id, window(model));
      }
    }
    return models;
  }

  private static int window(JsonNode model) {
    return WINDOWS.stream()
        .map(model::path)
        .filter(JsonNode::isInt)
        .mapToInt(window -> Math.max(0, window.intValue()))
        .max()
        .orElse(0);
  }
}

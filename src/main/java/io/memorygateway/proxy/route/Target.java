package io.memorygateway.proxy.route;

import static java.util.Objects.requireNonNullElse;

import io.memorygateway.format.call.ProviderTraits;
import io.memorygateway.format.call.UpstreamModel;
import io.memorygateway.format.translation.Terms;
import io.memorygateway.json.Sha256;
import io.memorygateway.proxy.circuit.Circuit;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A model of a provider that calls are sent to. */
public final class Target {
  private final Provider provider;
  private final String model;
  private final @Nullable Circuit circuit;
  private final AtomicInteger inFlight = new AtomicInteger();

  /** A target that a route's calls share; without a circuit see {@link #only}. */
  Target(Provider provider, String model, @Nullable Circuit circuit) {
    this.provider = provider;
    this.model = model;
    this.circuit = circuit;
  }

  /**
   * Creates the only target of one call: there is no choice, so calls in flight are not counted.
   */
  static Target only(Provider provider, String model) {
    return new Target(provider, model, null);
  }

  public Provider provider() {
    return provider;
  }

  /**
   * The model, as calls of an endpoint are written for it at this time. What is to be translated is
   * written whole: what the target takes is decided then.
   */
  public UpstreamModel upstreamModel(Endpoint called, Instant now) {
    return new UpstreamModel(
        model, traits(called), now.getEpochSecond(), maker(), !provider.serves(called));
  }

  /** The model with what its provider takes. */
  public UpstreamModel ownModel() {
    return new UpstreamModel(model, provider.traits(), 0, maker(), false);
  }

  /** What calls of an endpoint may hold besides what all providers take. */
  public ProviderTraits traits(Endpoint called) {
    return provider.serves(called) ? provider.traits() : ProviderTraits.ALL;
  }

  /**
   * What a translated call for it is written by.
   *
   * @param threadId of the call; null without a thread
   */
  public Terms terms(@Nullable String threadId) {
    TranslationSettings settings = provider.configuration().translation();
    return new Terms(
        ownModel(),
        maker(),
        settings.maxOutput(model),
        settings.maxTokensMember(),
        settings.reasoning(),
        Map.of(),
        Set.of(),
        settings.promptCacheKey() ? Sha256.shortened(requireNonNullElse(threadId, "")) : null,
        threadId != null);
  }

  /** Chat's member of the output limit. */
  public String maxTokensMember() {
    return provider.configuration().translation().maxTokensMember();
  }

  /** Whose reasoning it takes back. */
  private String maker() {
    String set = provider.configuration().translation().maker();
    int vendor = model.indexOf('/');
    return set != null ? set : vendor > 0 ? model.substring(0, vendor) : provider.name();
  }

  /** The model's name as it is sent upstream. */
  public String model() {
    return model;
  }

  /** The name as {@code provider/model}. */
  public String name() {
    return name(provider, model);
  }

  /**
   * The name of a target, without a model that of its provider; the names of some providers' models
   * have the prefix already.
   */
  public static String name(Provider provider, String upstreamModel) {
    if (upstreamModel.isEmpty()) {
      return provider.name();
    }
    String prefix = provider.name() + "/";
    return upstreamModel.startsWith(prefix) ? upstreamModel : prefix + upstreamModel;
  }

  /** The circuit; null for the only target of a call. */
  public @Nullable Circuit circuit() {
    return circuit;
  }

  /** Calls that were sent and have not ended. */
  public int inFlight() {
    return inFlight.get();
  }

  void began() {
    inFlight.incrementAndGet();
  }

  void ended() {
    inFlight.decrementAndGet();
  }

  @Override
  public String toString() {
    return name();
  }
}

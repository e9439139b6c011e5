package io.memorygateway.proxy.route;

import io.memorygateway.format.call.UpstreamModel;
import io.memorygateway.proxy.circuit.Circuit;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A model of a provider that calls are sent to. */
public final class Target {
  private final Provider provider;
  private final String model;
  private final @Nullable Circuit circuit;
  private final AtomicInteger inFlight = new AtomicInteger();

  private Target(Provider provider, String model, @Nullable Circuit circuit) {
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

  /** Creates a target that a route's calls share. */
  static Target shared(Provider provider, String model, Circuit circuit) {
    return new Target(provider, model, circuit);
  }

  public Provider provider() {
    return provider;
  }

  /** The model, as calls are written for it at this time. */
  public UpstreamModel upstreamModel(Instant now) {
    return new UpstreamModel(model, provider.traits(), now.getEpochSecond());
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

package io.memorygateway.proxy.call;

import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.call.ProviderTraits;
import io.memorygateway.format.call.RequestBody;
import io.memorygateway.format.call.UpstreamModel;
import io.memorygateway.http.admission.RequestReservation;
import io.memorygateway.json.ValueCount;
import io.memorygateway.proxy.route.ModelVendor;
import io.memorygateway.proxy.route.Route;
import io.memorygateway.proxy.route.Target;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The body of one call for each of its targets: with the model's name there, without reasoning that
 * only another vendor's models accept, and without what memory has added for a provider that takes
 * more of earlier answers. A call does not say whose reasoning it contains; it is presumed to be of
 * the vendor of the route's first target.
 */
final class TargetBodies {
  /** Longest wait of a call for heap before it is refused. */
  private static final Duration HEAP_TIMEOUT = Duration.ofSeconds(10);

  private final ProxyCall call;
  private final Route route;
  private final byte[] turn;
  private final long heldBytes;
  private final Set<Target> withoutReasoning = new HashSet<>();
  private @Nullable RequestBody parsed;

  /** What the provider takes that the turn is written for. */
  private ProviderTraits written = ProviderTraits.ALL;

  /**
   * Creates the bodies of a call.
   *
   * @param turn body as the turn renders it, with the model of the first target that is tried
   */
  TargetBodies(ProxyCall call, Route route, byte[] turn) {
    this.call = call;
    this.route = route;
    this.turn = turn;
    // While an answer is awaited only the bytes are held, and one copy of them if they are changed.
    int copies = route.allowsRetry() ? 2 : 1;
    this.heldBytes = 2L * call.body().length() + (long) copies * turn.length;
    call.reservation().shrinkRequestTo(heldBytes);
  }

  /** The body for the first target that is tried. */
  byte[] first(Target target) {
    written = target.provider().traits();
    return route.isOnly() || !isForeign(target) ? turn : stripped(turn);
  }

  /** The body for another target, or for another attempt at the same. */
  byte[] of(Target target) {
    UpstreamModel model = new UpstreamModel(target.model(), target.provider().traits(), 0);
    byte[] body = call.format().prepare(parsed(), model);
    ProviderTraits refused = refused(model.traits());
    if (!refused.isEmpty()) {
      body = without(body, whole -> call.format().without(refused, whole));
    }
    return isForeign(target) || withoutReasoning.contains(target) ? stripped(body) : body;
  }

  /** What the gateway has added to the call that this provider does not take. */
  private ProviderTraits refused(ProviderTraits taken) {
    ProviderTraits more = written.without(taken);
    boolean options = more.streamOptions() && !call.body().usageEdits().isEmpty();
    return call.isRemembered()
        ? new ProviderTraits(more.reasoning(), more.unsignedThinking(), options)
        : new ProviderTraits(Set.of(), false, options);
  }

  private boolean isForeign(Target target) {
    Target primary = route.groups().get(0).get(0).target();
    return target != primary && !ModelVendor.of(target).equals(ModelVendor.of(primary));
  }

  /**
   * Removes reasoning from the target's bodies from now on, because the target refused it.
   *
   * @return false if it had none already
   */
  boolean removeReasoning(Target target) {
    return withoutReasoning.add(target) && stripped(turn) != turn;
  }

  private byte[] stripped(byte[] body) {
    if (!call.format().mayHoldReasoning(body)) {
      return body;
    }
    return without(body, call.format()::withoutReasoning);
  }

  private byte[] without(byte[] body, UnaryOperator<byte[]> removal) {
    if (!call.reservation().awaitRequest(ValueCount.heapOf(body), HEAP_TIMEOUT)) {
      throw RequestReservation.refused();
    }
    byte[] rest = removal.apply(body);
    call.reservation()
        .shrinkRequestTo(Math.max(heldBytes, 2L * (call.body().length() + body.length)));
    return rest;
  }

  private RequestBody parsed() {
    RequestBody known = parsed;
    if (known == null) {
      try {
        known = RequestBody.parse(turn);
      } catch (MalformedBodyException e) {
        throw new IllegalStateException("what went to another target cannot be read", e);
      }
      parsed = known;
    }
    return known;
  }
}

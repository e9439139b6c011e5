package io.memorygateway.proxy;

import io.memorygateway.dialect.MalformedBodyException;
import io.memorygateway.dialect.RequestBody;
import io.memorygateway.http.BodyReservation;
import io.memorygateway.json.ValueCount;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The body of one call as each of its targets gets it: with the model's name there, and without
 * reasoning that only another maker's models accept. Whose reasoning a call brings is not written
 * in it; it is presumed to be of the maker of the route's first target.
 */
final class TargetBodies {
  /** How long a call waits for heap before it is refused. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final ProxyCall call;
  private final Route route;
  private final byte[] turn;
  private final long kept;
  private final Set<Target> withoutReasoning = new HashSet<>();
  private @Nullable RequestBody parsed;

  /**
   * The bodies of a call.
   *
   * @param turn the body that the turn gives, with the model of the first target that is tried
   */
  TargetBodies(ProxyCall call, Route route, byte[] turn) {
    this.call = call;
    this.route = route;
    this.turn = turn;
    // Only bytes stay while an answer is waited for, once more for each that is changed.
    int copies = route.mayTryAgain() ? 2 : 1;
    this.kept = 2L * call.body().length() + (long) copies * turn.length;
    call.reservation().keepRequest(kept);
  }

  /** The body for the first target that is tried. */
  byte[] first(Target target) {
    return route.isOnly() || !isForeign(target) ? turn : stripped(turn);
  }

  /** The body for another target, or once more for the same. */
  byte[] of(Target target) {
    byte[] body = parsed().withModel(target.model());
    return isForeign(target) || withoutReasoning.contains(target) ? stripped(body) : body;
  }

  private boolean isForeign(Target target) {
    Target primary = route.groups().get(0).get(0).target();
    return target != primary && !Maker.of(target).equals(Maker.of(primary));
  }

  /**
   * Has a target get no reasoning from now on, because it refused what there was.
   *
   * @return false if it had none already
   */
  boolean removeReasoning(Target target) {
    return withoutReasoning.add(target) && stripped(turn) != turn;
  }

  private byte[] stripped(byte[] body) {
    if (!call.dialect().mayHoldReasoning(body)) {
      return body;
    }
    if (!call.reservation().awaitRequest(ValueCount.heapOf(body), PATIENCE)) {
      throw BodyReservation.refused();
    }
    byte[] stripped = call.dialect().withoutReasoning(body);
    call.reservation().keepRequest(kept);
    return stripped;
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

package io.memorygateway.proxy;

import java.util.List;

/**
 * The targets that one call may be sent to, in order (contract §10).
 *
 * @param groups of targets; a group is used when those before it have failed
 * @param attempts that the call may take
 * @param timeoutMillis for all attempts together; {@link #NO_TIMEOUT} for none
 * @param isOnly whether there is one target because the call itself named it
 */
record Route(List<List<Choice>> groups, int attempts, long timeoutMillis, boolean isOnly) {
  static final long NO_TIMEOUT = Long.MAX_VALUE;

  /**
   * A target with what the route says about it.
   *
   * @param window tokens that its model reads at most; 0: unknown
   */
  record Choice(Target target, int weight, int window) {}

  Route {
    groups = List.copyOf(groups);
  }

  /** To the one target that a call names. */
  static Route only(Target target) {
    return new Route(List.of(List.of(new Choice(target, 1, 0))), 1, NO_TIMEOUT, true);
  }

  /** The same, but the first target is tried alone, and once. */
  Route withoutFallback() {
    return new Route(groups.subList(0, 1), 1, timeoutMillis, isOnly);
  }

  /**
   * The same, but there is no choice either: a caller's own key is for one provider, and goes
   * nowhere else.
   */
  Route withFirstTargetOnly() {
    return new Route(List.of(List.of(groups.get(0).get(0))), 1, timeoutMillis, isOnly);
  }

  /** Whether a failed attempt may be followed by another one. */
  boolean mayTryAgain() {
    return attempts > 1;
  }
}

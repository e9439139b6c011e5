package io.memorygateway.proxy.route;

import static java.util.Objects.requireNonNull;

import com.google.common.hash.Hashing;
import io.memorygateway.proxy.circuit.Circuit;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the targets of one call, one after another, none twice: two by their weights from the
 * first group that has any left, and of these the one with fewer calls in flight; of a session
 * always the same one, whose prompt cache knows it, as long as that answers. Targets with an open
 * circuit are skipped; if no other is left, the one that has been open for longest is tried, once.
 * For one thread.
 */
public final class TargetSelection {
  private static final int NONE = -1;

  private final Route route;
  private final long key;
  private final long project;
  private final @Nullable String session;
  private final IntUnaryOperator random;
  private final Set<Target> tried = new HashSet<>();
  private boolean triedOpen;

  /**
   * Creates the selection for one call.
   *
   * @param key that the call was made with
   * @param project of the key
   * @param session name of what the call goes on with, unique among all projects; null: nothing
   * @param random returns a number from 0 to the given bound, exclusive
   */
  public TargetSelection(
      Route route, long key, long project, @Nullable String session, IntUnaryOperator random) {
    this.route = route;
    this.key = key;
    this.project = project;
    this.session = session;
    this.random = random;
  }

  /** The first target of a call; there always is one, even if its circuit is open. */
  public TargetLease first() {
    if (route.isOnly()) {
      return new TargetLease(route.first(), 0, null);
    }
    return requireNonNull(next());
  }

  /** The next target; null if none is left. */
  public @Nullable TargetLease next() {
    return next(choice -> true);
  }

  /** The next target with a larger context window; null if none is known. */
  public @Nullable TargetLease nextLarger(int window) {
    return window == 0 ? null : next(choice -> choice.window() > window);
  }

  private @Nullable TargetLease next(Predicate<Route.Choice> suits) {
    List<Route.Choice> open = new ArrayList<>();
    for (List<Route.Choice> group : route.groups()) {
      List<Route.Choice> candidates = new ArrayList<>();
      for (Route.Choice choice : group) {
        if (suits.test(choice) && !tried.contains(choice.target())) {
          candidates.add(choice);
        }
      }
      while (!candidates.isEmpty()) {
        Route.Choice choice = pick(candidates);
        Circuit.Permit permit = circuit(choice).tryAcquire(key, project);
        if (permit != null) {
          return take(choice, permit);
        }
        candidates.remove(choice);
        open.add(choice);
      }
    }
    if (open.isEmpty() || triedOpen) {
      return null;
    }
    triedOpen = true;
    Route.Choice longest = open.stream().min(Comparator.comparing(this::openSince)).orElseThrow();
    return take(longest, circuit(longest).acquireWhileOpen(key, project));
  }

  /** Another lease of the same target, which asked for a retry. */
  public TargetLease again(TargetLease before) {
    Target target = before.target();
    Circuit circuit = target.circuit();
    return new TargetLease(
        target, before.window(), circuit == null ? null : circuit.acquireWhileOpen(key, project));
  }

  private TargetLease take(Route.Choice choice, Circuit.Permit permit) {
    tried.add(choice.target());
    return new TargetLease(choice.target(), choice.window(), permit);
  }

  private Route.Choice pick(List<Route.Choice> candidates) {
    if (session != null) {
      String name = session;
      return Collections.max(candidates, Comparator.comparing(each -> score(name, each)));
    }
    int one = byWeight(candidates, NONE);
    if (candidates.size() == 1) {
      return candidates.get(one);
    }
    int other = byWeight(candidates, one);
    return candidates.get(isLessLoaded(candidates.get(other), candidates.get(one)) ? other : one);
  }

  /**
   * Rendezvous hashing: the same on every node, sessions are shared by weight, and where a target
   * is left out only its own sessions move.
   */
  private static double score(String session, Route.Choice choice) {
    String text = session + '\n' + choice.target().name();
    long bits = Hashing.sha256().hashString(text, StandardCharsets.UTF_8).asLong() >>> 11;
    return -choice.weight() / Math.log((bits + 0.5) * 0x1p-53);
  }

  /**
   * Picks a candidate at random by weight; returns its index.
   *
   * @param besides index of a candidate to skip
   */
  private int byWeight(List<Route.Choice> candidates, int besides) {
    int sum = 0;
    for (int i = 0; i < candidates.size(); i++) {
      sum += i == besides ? 0 : candidates.get(i).weight();
    }
    int at = random.applyAsInt(sum);
    for (int i = 0; i < candidates.size(); i++) {
      if (i != besides) {
        at -= candidates.get(i).weight();
        if (at < 0) {
          return i;
        }
      }
    }
    throw new IllegalStateException("the random number is out of its bounds");
  }

  /**
   * Whether a target has less load for its weight than the other one, with the call itself counted
   * too. If not, the weights alone decide, so that they hold with few calls as well.
   */
  private static boolean isLessLoaded(Route.Choice one, Route.Choice than) {
    return (one.target().inFlight() + 1L) * than.weight()
        <= (long) than.target().inFlight() * one.weight();
  }

  private static Circuit circuit(Route.Choice choice) {
    return requireNonNull(choice.target().circuit());
  }

  private Instant openSince(Route.Choice choice) {
    Instant since = circuit(choice).openSince(key);
    return since == null ? Instant.MAX : since;
  }
}

package io.memorygateway.budget.hold;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

/**
 * How many tokens providers count for one of the gateway's, by target: each maker has a vocabulary
 * of its own. Goes up at once and down slowly: for the key whose call shows it, and for others only
 * as far as calls of two projects show, or for its own project those of two keys while no other
 * calls there, so that none holds more for what is odd about another's calls. Thread-safe.
 */
final class InputFactors {
  private static final int MAX_TARGETS = 1024;

  /** Inputs of fewer tokens say little: what surrounds them counts, too. */
  private static final long LEAST_INPUT = 256;

  /** More is no matter of vocabularies. */
  private static final double MOST = 4;

  private static final int SLOWNESS = 64;

  private final Cache<KeyTarget, Double> own =
      Caffeine.newBuilder().maximumSize(4 * MAX_TARGETS).build();

  private final Cache<String, Shown> shared =
      Caffeine.newBuilder().maximumSize(MAX_TARGETS).build();

  private record KeyTarget(long keyId, String target) {}

  /**
   * What is known of a target.
   *
   * @param factor that calls of two have shown
   * @param highest that the last of them with a higher one has shown, by its key and project
   * @param sole whether all calls so far were of that project
   */
  private record Shown(double factor, long keyId, long projectId, double highest, boolean sole) {
    /** What holds for the calls of a project. */
    double of(long project) {
      return sole && project != projectId ? 1 : factor;
    }

    Shown with(long key, long project, double ratio) {
      boolean stays = sole && project == projectId;
      // What keys of one project have shown is not shown by two.
      double known = sole && !stays ? Math.min(factor, ratio) : factor;
      if (ratio <= known) {
        return new Shown(slower(known, ratio), keyId, projectId, highest, stays);
      }
      if (stays ? key == keyId : project == projectId) {
        return new Shown(known, key, project, Math.max(highest, ratio), stays);
      }
      double both = Math.max(known, Math.min(highest, ratio));
      return ratio < highest
          ? new Shown(both, keyId, projectId, highest, stays)
          : new Shown(both, key, project, ratio, stays);
    }
  }

  /** The tokens that a target may count for so many of the gateway's, in a call of a key. */
  long most(String target, long keyId, long projectId, long counted) {
    Double factor = own.getIfPresent(new KeyTarget(keyId, target));
    Shown shown = shared.getIfPresent(target);
    double most = Math.max(factor == null ? 1 : factor, shown == null ? 1 : shown.of(projectId));
    return (long) Math.ceil(counted * most);
  }

  /** Takes what a target did count. */
  void told(String target, long keyId, long projectId, long counted, long told) {
    if (counted >= LEAST_INPUT && told > 0) {
      double ratio = Math.max(1, Math.min(MOST, (double) told / counted));
      own.asMap()
          .merge(
              new KeyTarget(keyId, target),
              ratio,
              (known, last) -> last > known ? last : slower(known, last));
      shared
          .asMap()
          .compute(
              target,
              (name, known) ->
                  known == null
                      ? new Shown(1, keyId, projectId, ratio, true)
                      : known.with(keyId, projectId, ratio));
    }
  }

  private static double slower(double known, double last) {
    return known - (known - last) / SLOWNESS;
  }
}

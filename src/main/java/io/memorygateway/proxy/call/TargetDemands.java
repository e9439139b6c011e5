package io.memorygateway.proxy.call;

import io.memorygateway.format.translation.Effort;
import io.memorygateway.format.translation.Translation;
import io.memorygateway.proxy.route.Target;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the targets of one call demand, as earlier calls have shown or as is tried in this one. */
final class TargetDemands {
  private final Refusals refusals;
  private final long projectId;

  /** What was known when the first bodies were made. */
  private final Map<Target, Demands> known = new HashMap<>();

  private final Map<Target, Demands> tried = new HashMap<>();

  /** Those that have refused how much they were told to reason. */
  private final Set<Target> toldOtherwise = new HashSet<>();

  /** Those of which nothing is noted: what they have refused may be of this call alone. */
  private final Set<Target> unsure = new HashSet<>();

  TargetDemands(Refusals refusals, long projectId) {
    this.refusals = refusals;
    this.projectId = projectId;
  }

  Demands of(Target target) {
    Demands own = tried.get(target);
    return own != null
        ? own
        : known.computeIfAbsent(target, each -> refusals.demands(projectId, each.name()));
  }

  /** Has the target's bodies written so from now on. */
  void attempt(Target target, Demands demands) {
    tried.put(target, demands);
  }

  /**
   * Has a target told otherwise how much to reason: the nearest of what it names, and nothing at
   * all once it has refused that too.
   *
   * @param refused what it was sent; null if that was not translated
   * @param words of its refusal
   * @return false if it was told nothing
   */
  boolean changeEffort(Target target, @Nullable Translation refused, String words) {
    Effort asked = refused == null ? null : refused.askedEffort();
    Effort told = refused == null ? null : refused.effort();
    if (asked == null || told == null) {
      return false;
    }
    Effort other = toldOtherwise.add(target) ? Effort.instead(told, words) : null;
    // Some models take no effort beside tools, and any without.
    noteNothingIf(target, words, List.of("tool"));
    attempt(target, of(target).with(asked, Optional.ofNullable(other)));
    return true;
  }

  /** Has nothing noted of a target whose refusal names what only some calls have. */
  void noteNothingIf(Target target, String words, List<String> named) {
    String lowered = words.toLowerCase(Locale.ROOT);
    if (named.stream().anyMatch(lowered::contains)) {
      unsure.add(target);
    }
  }

  /** Notes that a target has answered: later calls begin with what was tried of it. */
  void answered(Target target) {
    Demands shown = tried.get(target);
    if (shown != null && !unsure.contains(target)) {
      Demands before = known.getOrDefault(target, Demands.NONE);
      refusals.note(projectId, target.name(), before, shown);
    }
  }
}

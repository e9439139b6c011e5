package io.memorygateway.proxy.call;

import com.google.common.collect.Sets;
import io.memorygateway.format.call.Roles;
import io.memorygateway.format.translation.Effort;
import io.memorygateway.format.translation.Sampling;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a target demands of calls, as its refusals have shown.
 *
 * @param roles of messages
 * @param reasoning of each of the model's messages, if only a blank one
 * @param efforts that it does not know, with what it is told in the place of each; empty for
 *     nothing
 * @param unsampled what it does not take of how tokens are chosen
 * @param mostOutput the most tokens of an answer that it takes a limit of; null if it has refused
 *     none
 */
record Demands(
    Roles roles,
    boolean reasoning,
    Map<Effort, Optional<Effort>> efforts,
    Set<Sampling> unsampled,
    @Nullable Long mostOutput) {
  /** As far as is known of a target that has refused nothing. */
  static final Demands NONE = new Demands(Roles.ANY, false, Map.of(), Set.of(), null);

  Demands {
    efforts = Map.copyOf(efforts);
    unsampled = Set.copyOf(unsampled);
  }

  Demands with(Roles others) {
    return new Demands(others, reasoning, efforts, unsampled, mostOutput);
  }

  Demands withReasoning(boolean demanded) {
    return new Demands(roles, demanded, efforts, unsampled, mostOutput);
  }

  Demands with(Effort refused, Optional<Effort> instead) {
    Map<Effort, Optional<Effort>> all = new HashMap<>(efforts);
    all.put(refused, instead);
    return new Demands(roles, reasoning, all, unsampled, mostOutput);
  }

  Demands without(Set<Sampling> refused) {
    return new Demands(roles, reasoning, efforts, Sets.union(unsampled, refused), mostOutput);
  }

  Demands withMostOutput(long tokens) {
    return new Demands(roles, reasoning, efforts, unsampled, tokens);
  }

  /** These, and all that a call has shown otherwise than it was known before it. */
  Demands with(Demands before, Demands shown) {
    Map<Effort, Optional<Effort>> all = new HashMap<>(efforts);
    shown.efforts.forEach(
        (refused, instead) -> {
          if (!instead.equals(before.efforts.get(refused))) {
            all.put(refused, instead);
          }
        });
    return new Demands(
        shown.roles == before.roles || shown.roles.compareTo(roles) < 0 ? roles : shown.roles,
        shown.reasoning == before.reasoning ? reasoning : shown.reasoning,
        all,
        Sets.union(unsampled, shown.unsampled),
        Objects.equals(shown.mostOutput, before.mostOutput) ? mostOutput : shown.mostOutput);
  }
}

package io.memorygateway.proxy.call;

import io.memorygateway.format.call.Roles;
import io.memorygateway.format.translation.Effort;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a target demands of calls, as its refusals have shown.
 *
 * @param roles of messages
 * @param reasoning of each of the model's messages, if only a blank one
 * @param efforts that it does not know, with what it is told in the place of each; empty for
 *     nothing
 * @param mostOutput the most tokens of an answer that it takes a limit of; null if it has refused
 *     none
 */
record Demands(
    Roles roles,
    boolean reasoning,
    Map<Effort, Optional<Effort>> efforts,
    @Nullable Long mostOutput) {
  /** As far as is known of a target that has refused nothing. */
  static final Demands NONE = new Demands(Roles.ANY, false, Map.of(), null);

  Demands {
    efforts = Map.copyOf(efforts);
  }

  Demands with(Roles others) {
    return new Demands(others, reasoning, efforts, mostOutput);
  }

  Demands withReasoning(boolean demanded) {
    return new Demands(roles, demanded, efforts, mostOutput);
  }

  Demands with(Effort refused, Optional<Effort> instead) {
    Map<Effort, Optional<Effort>> all = new HashMap<>(efforts);
    all.put(refused, instead);
    return new Demands(roles, reasoning, all, mostOutput);
  }

  Demands withMostOutput(long tokens) {
    return new Demands(roles, reasoning, efforts, tokens);
  }
}

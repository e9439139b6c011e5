package io.memorygateway.format.translation;

import io.memorygateway.format.content.Utterance;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.Sha256;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A call in no format's words.
 *
 * @param messages in order, without verbatim forms; those of the system have the role {@code
 *     system} and stand in their places, what a format has apart from its messages first. Parts are
 *     in the form of the called format
 * @param choice null if the caller does not say
 * @param parallelCalls whether several calls may come at once; null if the caller does not say
 * @param output null for plain text
 * @param effort of reasoning; null if the caller does not say
 * @param reasoningBudget tokens of reasoning that the caller asks for in numbers; null if it does
 *     not
 * @param maxOutput tokens; null if the caller does not limit it
 * @param stop sequences that end the answer
 * @param endUser the caller's name of its user; null if it gives none
 * @param shared members that go to each format which shares their name, by that name
 */
public record Request(
    List<Utterance> messages,
    List<Tool> tools,
    @Nullable ToolChoice choice,
    @Nullable Boolean parallelCalls,
    @Nullable OutputFormat output,
    @Nullable Effort effort,
    @Nullable Long reasoningBudget,
    @Nullable Long maxOutput,
    List<String> stop,
    @Nullable String endUser,
    boolean stream,
    Map<String, Shared> shared) {

  /**
   * A member of the call that is carried as it is.
   *
   * @param name that the called format has for it
   * @param silent whether nobody has to be told if it is left out: it is what the called format
   *     takes without it
   */
  public record Shared(String name, JsonValue value, boolean silent) {
    public Shared(String name, JsonValue value) {
      this(name, value, false);
    }
  }

  /** The caller's name of its user, in place of a long one its hash; null if it gives none. */
  public @Nullable String namedUser() {
    return endUser == null || endUser.isEmpty() ? null : Sha256.shortened(endUser);
  }

  /** How much the model is to reason; null if the caller does not say. */
  @Nullable Effort toldEffort() {
    return effort != null || reasoningBudget == null ? effort : Effort.ofBudget(reasoningBudget);
  }

  /** Whether the caller says that the model is to reason. */
  boolean isToReason() {
    return reasoningBudget != null || (effort != null && effort != Effort.NONE);
  }

  /**
   * The same call with another word on how much the model is to reason.
   *
   * @param other null for none
   */
  Request withEffort(@Nullable Effort other) {
    return with(other, null, maxOutput, stop, shared);
  }

  /** The same call for no more output than the target has. */
  Request limited(@Nullable Long most) {
    if (most == null || maxOutput == null || maxOutput <= most) {
      return this;
    }
    return with(effort, reasoningBudget, most, stop, shared);
  }

  /**
   * The same call without what the target does not take of how tokens are chosen, and without its
   * stops if the gateway can look for them.
   */
  Request without(Set<Sampling> sampling, Dropped dropped) {
    Map<String, Shared> taken = new LinkedHashMap<>(shared);
    for (Sampling each : sampling) {
      Shared left = each.removeFrom(taken);
      if (left != null && !left.silent()) {
        dropped.add(left.name());
      }
    }
    boolean stops = !sampling.contains(Sampling.STOP) || !StopSearch.canFind(stop);
    return with(effort, reasoningBudget, maxOutput, stops ? stop : List.of(), taken);
  }

  private Request with(
      @Nullable Effort newEffort,
      @Nullable Long newBudget,
      @Nullable Long newLimit,
      List<String> newStop,
      Map<String, Shared> newShared) {
    return new Request(
        messages,
        tools,
        choice,
        parallelCalls,
        output,
        newEffort,
        newBudget,
        newLimit,
        newStop,
        endUser,
        stream,
        newShared);
  }

  /** The same call with other messages, and with the names of its tools at the target. */
  Request sent(List<Utterance> others, Names names) {
    return new Request(
        others,
        tools.stream().map(tool -> tool.named(names.sent(tool.name()))).toList(),
        choice == null || choice.name() == null
            ? choice
            : ToolChoice.named(names.sent(choice.name())),
        parallelCalls,
        output,
        effort,
        reasoningBudget,
        maxOutput,
        stop,
        endUser,
        stream,
        shared);
  }
}

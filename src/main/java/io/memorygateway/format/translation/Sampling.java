package io.memorygateway.format.translation;

import io.memorygateway.format.translation.Request.Shared;
import io.memorygateway.json.Characters;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How tokens are to be chosen, and what ends an answer, of which models that reason take little.
 */
public enum Sampling {
  TEMPERATURE("temperature"),
  TOP_P("top_p"),
  TOP_K("top_k"),
  /** What ends an answer; the gateway can look for it itself. */
  STOP("stop"),
  /** The second of two of which a model takes one. */
  TOP_P_BESIDE_TEMPERATURE("top_p");

  /** Words of refusals of both together. */
  private static final List<String> BOTH = List.of("both", "only one");

  /** The names of all. */
  public static final Set<String> MEMBERS =
      Stream.of(values()).map(each -> each.member).collect(Collectors.toUnmodifiableSet());

  private final String member;

  /**
   * @param member by the name that formats share
   */
  Sampling(String member) {
    this.member = member;
  }

  /**
   * What a refusal names.
   *
   * @param refusal its words
   */
  public static Set<Sampling> namedIn(String refusal) {
    String words = refusal.toLowerCase(Locale.ROOT);
    Set<Sampling> named = EnumSet.noneOf(Sampling.class);
    for (Sampling each : List.of(TEMPERATURE, TOP_P, TOP_K, STOP)) {
      if (Characters.isWord(each.member, words, 0)) {
        named.add(each);
      }
    }
    return named.containsAll(List.of(TEMPERATURE, TOP_P)) && BOTH.stream().anyMatch(words::contains)
        ? EnumSet.of(TOP_P_BESIDE_TEMPERATURE)
        : named;
  }

  /** Removes it from the members of a call; returns null if it is not there. */
  @Nullable Shared removeFrom(Map<String, Shared> members) {
    boolean other = this == TOP_P_BESIDE_TEMPERATURE && !members.containsKey(TEMPERATURE.member);
    return other ? null : members.remove(member);
  }
}

package io.memorygateway.format.translation;

import io.memorygateway.json.Characters;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How much a model is to reason, from least to most, with the budget of tokens that it stands for.
 */
public enum Effort {
  NONE(0),
  MINIMAL(1024),
  LOW(2048),
  MEDIUM(8192),
  HIGH(16384),
  XHIGH(32768),
  /** As much as the model can. */
  MAX(Long.MAX_VALUE);

  /** Words before the efforts that a model knows. */
  private static final List<String> LISTS =
      List.of(
          "supported values",
          "supported levels",
          "valid",
          "should be",
          "must be",
          "one of",
          "use effort");

  private final long budget;

  Effort(long budget) {
    this.budget = budget;
  }

  /** Tokens of reasoning; {@link Long#MAX_VALUE} for the most that the model takes. */
  public long budget() {
    return budget;
  }

  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The effort of this name in any format; null if there is none. */
  public static @Nullable Effort ofWireName(String name) {
    for (Effort effort : values()) {
      if (effort.wireName().equals(name)) {
        return effort;
      }
    }
    return null;
  }

  /**
   * The effort that a model takes in the place of one that it has refused: of those which the
   * refusal names the nearest, of two the larger one, but not none.
   *
   * @param refused what was asked for
   * @param words of the refusal
   * @return null if it names none
   */
  public static @Nullable Effort instead(Effort refused, String words) {
    Effort nearest = null;
    int list = words.length();
    for (String begin : LISTS) {
      int at = Characters.beginOfWord(begin, words.toLowerCase(Locale.ROOT), 0);
      list = at < 0 ? list : Math.min(list, at);
    }
    for (Effort each : values()) {
      boolean named =
          each != NONE && each != refused && Characters.isWord(each.wireName(), words, list);
      if (named && (nearest == null || each.distance(refused) <= nearest.distance(refused))) {
        nearest = each;
      }
    }
    return nearest;
  }

  private int distance(Effort other) {
    List<Effort> all = List.of(values());
    return Math.abs(all.indexOf(this) - all.indexOf(other));
  }

  /** The least effort whose budget is enough for so many tokens. */
  public static Effort ofBudget(long tokens) {
    for (Effort effort : values()) {
      if (tokens <= effort.budget) {
        return effort;
      }
    }
    return MAX;
  }
}

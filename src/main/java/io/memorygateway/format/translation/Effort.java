package io.memorygateway.format.translation;

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

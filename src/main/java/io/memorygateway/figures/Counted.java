package io.memorygateway.figures;

import java.util.Locale;

/** Who counted the tokens of a call. */
public enum Counted {
  /** The upstream. */
  REPORTED,
  /** The gateway, at least what the upstream did not say. */
  ESTIMATED;

  /** Name in the request log and its views. */
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }
}

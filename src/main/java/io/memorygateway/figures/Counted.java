package io.memorygateway.figures;

import java.util.Locale;

/** Who counted the tokens of a call. */
public enum Counted {
  /** The upstream. */
  REPORTED,
  /** The gateway, at least what the upstream did not say. */
  ESTIMATED,
  /** Another node, after that of the call died: what was seen until then. */
  PRESUMED;

  /** Name in the request log and its views. */
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }
}

package io.memorygateway.http.errors;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Bounds the values of a metric's label: after a number of distinct ones, the others share one
 * name.
 */
public final class BoundedLabel {
  private static final String OTHER = "other";
  private static final int MAX_LENGTH = 64;

  private final Set<String> known = ConcurrentHashMap.newKeySet();
  private final int max;

  public BoundedLabel(int max) {
    this.max = max;
  }

  public String of(String value) {
    String label = PrintableText.of(value, MAX_LENGTH);
    if (known.contains(label)) {
      return label;
    }
    synchronized (known) {
      if (known.size() >= max && !known.contains(label)) {
        return OTHER;
      }
      known.add(label);
      return label;
    }
  }
}

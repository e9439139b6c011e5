package io.memorygateway.http;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Keeps a label of metrics bounded: after the first so many values, the others share one name. */
public final class BoundedLabel {
  private static final String OTHER = "other";
  private static final int LONGEST = 64;

  private final Set<String> known = ConcurrentHashMap.newKeySet();
  private final int most;

  public BoundedLabel(int most) {
    this.most = most;
  }

  /** The label for a value. */
  public String of(String value) {
    String label = PrintableText.of(value, LONGEST);
    if (known.contains(label)) {
      return label;
    }
    synchronized (known) {
      if (known.size() >= most && !known.contains(label)) {
        return OTHER;
      }
      known.add(label);
      return label;
    }
  }
}

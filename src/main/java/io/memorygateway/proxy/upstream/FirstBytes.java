package io.memorygateway.proxy.upstream;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

/**
 * What the first bytes of an answer tell: many servers send their events as text, as bytes, or
 * without any type. Nothing else that an upstream answers begins like a line of an event.
 */
enum FirstBytes {
  EVENTS,
  OTHER,
  UNDECIDED;

  /** Bytes after which it is decided; events have no more empty lines before them. */
  static final int MAX = 64;

  private static final String BYTE_ORDER_MARK = "\u00EF\u00BB\u00BF";

  private static final String[] LINES = {":", "data:", "event:", "id:", "retry:"};

  /**
   * Looks at an answer so far.
   *
   * @param start its first bytes, {@link #MAX} of them at least or all that there are
   * @param last whether no more will come
   */
  static FirstBytes of(byte[] start, boolean last) {
    String text = new String(start, 0, Math.min(start.length, MAX), ISO_8859_1);
    int from = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length() : 0;
    while (from < text.length() && (text.charAt(from) == '\n' || text.charAt(from) == '\r')) {
      from++;
    }
    String line = text.substring(from);
    boolean begun = BYTE_ORDER_MARK.startsWith(text);
    for (String each : LINES) {
      if (line.startsWith(each)) {
        return EVENTS;
      }
      begun |= each.startsWith(line);
    }
    return begun && !last && start.length < MAX ? UNDECIDED : OTHER;
  }
}

package io.memorygateway.search;

/**
 * Indexes messages of one thread, in their order. If they exceed the bound, only the newest ones
 * are retained. Not safe for use by several threads at once.
 */
final class IndexBuilder {
  /** Terms of a segment: small enough to be written quickly, large enough that few are needed. */
  private static final int TERMS_OF_SEGMENT = 1 << 17;

  /**
   * Least number of segments under a small bound, so that old messages are dropped in small pieces.
   */
  private static final int SEGMENTS = 32;

  private final MessageTerms terms;
  private final long maxWeight;
  private SegmentWriter writer = new SegmentWriter(16, 256);
  private ThreadTerms written = ThreadTerms.EMPTY;
  private long messages;
  private long bytes;

  /**
   * @param maxWeight of the terms, in bytes
   */
  IndexBuilder(TermReader reader, long maxWeight) {
    this.terms = new MessageTerms(reader);
    this.maxWeight = maxWeight;
  }

  void add(IndexStatements.Message message) {
    int count = terms.read(message.text(), message.createdAt());
    writer.add(
        message.seq(),
        Roles.number(message.role()),
        message.createdAt().toEpochMilli(),
        (int) Math.min(message.bytes(), Integer.MAX_VALUE),
        terms.terms(),
        0,
        count);
    writer.addWords(terms.longWords());
    messages++;
    bytes += message.bytes();
    if (writer.words() >= Math.min(TERMS_OF_SEGMENT, maxWeight / SEGMENTS)) {
      flush();
    }
  }

  private void flush() {
    written = written.plus(writer.toSegment()).newest(maxWeight);
    writer = new SegmentWriter(16, 256);
  }

  /** Number of messages that were added. */
  long messages() {
    return messages;
  }

  /** Bytes of the contents that were added. */
  long bytes() {
    return bytes;
  }

  ThreadTerms terms() {
    flush();
    return written;
  }
}

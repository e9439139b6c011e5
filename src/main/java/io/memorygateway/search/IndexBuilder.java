package io.memorygateway.search;

/**
 * Indexes messages of one thread, in their order. Of more than it may hold it keeps the newest
 * ones. Not safe for use by several threads at once.
 */
final class IndexBuilder {
  /** Terms of a segment: so many that none is large, and few are needed. */
  private static final int TERMS_OF_SEGMENT = 1 << 17;

  /** Where little may be held, it is left out in small pieces. */
  private static final int SEGMENTS = 32;

  private final MessageTerms terms;
  private final long mostWeight;
  private SegmentWriter writer = new SegmentWriter(16, 256);
  private ThreadTerms written = ThreadTerms.EMPTY;
  private long messages;
  private long bytes;

  /**
   * No messages yet.
   *
   * @param mostWeight of the terms, in bytes
   */
  IndexBuilder(TermReader reader, long mostWeight) {
    this.terms = new MessageTerms(reader);
    this.mostWeight = mostWeight;
  }

  void add(IndexStatements.Message message) {
    int count = terms.read(message.text(), message.createdAt());
    writer.add(
        message.seq(),
        Roles.number(message.role()),
        message.createdAt().toEpochMilli(),
        terms.terms(),
        0,
        count);
    messages++;
    bytes += message.bytes();
    if (writer.words() >= Math.min(TERMS_OF_SEGMENT, mostWeight / SEGMENTS)) {
      flush();
    }
  }

  private void flush() {
    written = written.plus(writer.toSegment()).newest(mostWeight);
    writer = new SegmentWriter(16, 256);
  }

  /** How many messages were added. */
  long messages() {
    return messages;
  }

  /** Bytes of their contents. */
  long bytes() {
    return bytes;
  }

  ThreadTerms terms() {
    flush();
    return written;
  }
}

package io.memorygateway.observation;

import io.memorygateway.concurrent.HeapReservation;
import io.memorygateway.format.content.MessagePiece;
import io.memorygateway.json.Characters;
import io.memorygateway.observation.text.TokenCounter;
import io.memorygateway.observation.text.UnobservedMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;

/** Reads the unobserved messages of a thread, and counts the tokens of those without a count. */
record UnobservedMessagesReader(TokenCounter counter, BackgroundThrottle throttle) {
  private static final int MAX_MESSAGES = 2_000;
  private static final long MAX_BYTES = 8 << 20;

  /** Bytes of a message that is read although it is observed. */
  private static final int MAX_OBSERVED_BYTES = 64 << 10;

  private static final int COUNTS_PER_STATEMENT = 100;

  /** Messages whose tokens are estimated; how many more there are changes nothing. */
  private static final int MAX_ESTIMATED_MESSAGES = 10_000;

  /**
   * Heap for each byte: in the driver, as text, in pieces, in passages, in parts of these and in
   * the body of a call.
   */
  private static final int HEAP_PER_BYTE = 10;

  /** How long the observer waits for heap before it postpones the thread. */
  private static final Duration HEAP_TIMEOUT = Duration.ofSeconds(5);

  /**
   * Reads the messages behind a seq. Counting takes long and pauses for calls, so no connection is
   * held meanwhile: each statement takes a new one.
   *
   * @param heap in which heap is reserved for the messages and what is derived from them
   * @throws WorkAbortedException if there is no heap in time
   */
  UnobservedMessages read(Jdbi jdbi, long threadId, long observedSeq, HeapReservation heap) {
    UnobservedMessageDao dao = jdbi.onDemand(UnobservedMessageDao.class);
    List<UnobservedMessageDao.Size> sizes = dao.sizes(threadId, observedSeq, MAX_MESSAGES);
    long bytes = 0;
    long last = observedSeq;
    int taken = 0;
    for (UnobservedMessageDao.Size size : sizes) {
      if (taken > 0 && bytes + size.bytes() > MAX_BYTES) {
        break;
      }
      bytes += size.bytes();
      last = size.seq();
      taken++;
    }
    reserve(heap, bytes);
    List<UnobservedMessage> messages = new ArrayList<>(taken);
    Counts counts = new Counts(dao, threadId);
    for (UnobservedMessageDao.Row row :
        taken == 0 ? List.<UnobservedMessageDao.Row>of() : dao.range(threadId, observedSeq, last)) {
      messages.add(message(row, counts));
    }
    List<UnobservedMessage> observed =
        dao.last(threadId, observedSeq, MAX_OBSERVED_BYTES).stream()
            .map(row -> message(row, counts))
            .toList();
    counts.flush();
    boolean complete = taken == sizes.size() && taken < MAX_MESSAGES;
    long pending =
        UnobservedMessages.tokens(messages)
            + (complete ? 0 : dao.guessOldest(threadId, last, MAX_ESTIMATED_MESSAGES));
    return new UnobservedMessages(observed, messages, pending, bytes);
  }

  /**
   * Measures the messages behind a seq, without reading those that are counted already.
   *
   * @param heap in which heap is reserved for what is read
   * @return empty if very much is not counted yet
   * @throws WorkAbortedException if there is no heap in time
   */
  Optional<Amount> measure(
      Jdbi jdbi, long threadId, long observedSeq, long preparedSeq, HeapReservation heap) {
    UnobservedMessageDao dao = jdbi.onDemand(UnobservedMessageDao.class);
    List<UnobservedMessageDao.Size> sizes =
        dao.uncountedSizes(threadId, observedSeq, COUNTS_PER_STATEMENT);
    long bytes = sizes.stream().mapToLong(UnobservedMessageDao.Size::bytes).sum();
    if (sizes.size() == COUNTS_PER_STATEMENT || bytes > MAX_BYTES) {
      return Optional.empty();
    }
    long tokens = 0;
    if (!sizes.isEmpty()) {
      reserve(heap, bytes);
      Counts counts = new Counts(dao, threadId);
      List<Long> seqs = sizes.stream().map(UnobservedMessageDao.Size::seq).toList();
      for (UnobservedMessageDao.Row row : dao.rows(threadId, seqs)) {
        tokens += message(row, counts).tokens();
      }
      counts.flush();
    }
    UnobservedMessageDao.Sum pending = dao.sum(threadId, observedSeq, Long.MAX_VALUE);
    UnobservedMessageDao.Sum unprepared =
        preparedSeq == observedSeq ? pending : dao.sum(threadId, preparedSeq, Long.MAX_VALUE);
    if (pending.uncounted() > 0) {
      return Optional.empty();
    }
    boolean counted = tokens > 0;
    return Optional.of(
        new Amount(
            pending.tokens(),
            unprepared.tokens(),
            counted ? tokens : pending.tokens(),
            counted ? bytes : pending.bytes(),
            pending.messages()));
  }

  private static void reserve(HeapReservation heap, long bytes) {
    heap.shrinkTo(0);
    if (!heap.await(bytes * HEAP_PER_BYTE, 0, HEAP_TIMEOUT)) {
      throw new WorkAbortedException(WorkAbortedException.Reason.NO_HEAP);
    }
  }

  /**
   * Tokens of messages.
   *
   * @param pending of those that are not observed
   * @param unprepared of those whose observation is not prepared either
   * @param latest of those that were not counted before; if there are none, as {@code pending}
   * @param latestBytes of the same
   * @param messages number of those that are not observed
   */
  record Amount(long pending, long unprepared, long latest, long latestBytes, long messages) {}

  private UnobservedMessage message(UnobservedMessageDao.Row row, Counts counts) {
    if (row.superseded()) {
      return new UnobservedMessage(
          row.seq(), row.publicId(), row.role(), List.of(), row.createdAt(), 0);
    }
    throttle.rest();
    List<MessagePiece> pieces = MessagePiece.of(row.role(), row.content());
    Integer tokens = row.tokens();
    if (tokens == null) {
      tokens = counter.count(pieces);
      counts.add(row, tokens);
    }
    return new UnobservedMessage(
        row.seq(),
        row.publicId(),
        row.role(),
        pieces,
        row.createdAt(),
        Objects.requireNonNull(tokens));
  }

  /** Stores counts, many in one statement. */
  private static final class Counts {
    private final UnobservedMessageDao dao;
    private final long threadId;
    private final List<Long> seqs = new ArrayList<>();
    private final List<Integer> tokens = new ArrayList<>();
    private final List<Long> bytes = new ArrayList<>();

    Counts(UnobservedMessageDao dao, long threadId) {
      this.dao = dao;
      this.threadId = threadId;
    }

    void add(UnobservedMessageDao.Row row, int counted) {
      seqs.add(row.seq());
      tokens.add(counted);
      bytes.add(Characters.utf8Length(row.content()));
      if (seqs.size() == COUNTS_PER_STATEMENT) {
        flush();
      }
    }

    void flush() {
      if (!seqs.isEmpty()) {
        dao.count(threadId, seqs, tokens, bytes);
        seqs.clear();
        tokens.clear();
        bytes.clear();
      }
    }
  }
}

package io.memorygateway.observation;

import io.memorygateway.concurrent.HeapReservation;
import io.memorygateway.dialect.MessagePiece;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;

/** Reads the messages of a thread that are not observed yet, and counts those that nobody has. */
final class TailReader {
  private static final int MOST_MESSAGES = 2_000;
  private static final long MOST_BYTES = 8 << 20;
  private static final int COUNTS_A_STATEMENT = 100;

  /** Messages that are guessed; how many more there are behind them changes nothing. */
  private static final int MOST_GUESSED = 10_000;

  /** Heap for each byte: of the driver, as text, in pieces, in passages and in parts of these. */
  private static final int COST = 5;

  /** How long the observer waits for heap before it lets the thread be for a while. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final TokenCounter counter;
  private final Pace pace;

  TailReader(TokenCounter counter, Pace pace) {
    this.counter = counter;
    this.pace = pace;
  }

  /**
   * The messages behind a seq. Counting takes its time, and gives way to others, so no connection
   * is held meanwhile: each statement takes one of its own.
   *
   * @param heap where it is reserved for what is read and made of it
   * @throws GivenUpException if there is none in time
   */
  Tail read(Jdbi jdbi, long threadId, long observedSeq, HeapReservation heap) {
    TailDao dao = jdbi.onDemand(TailDao.class);
    List<TailDao.Size> sizes = dao.sizes(threadId, observedSeq, MOST_MESSAGES);
    long bytes = 0;
    long last = observedSeq;
    int taken = 0;
    for (TailDao.Size size : sizes) {
      if (taken > 0 && bytes + size.bytes() > MOST_BYTES) {
        break;
      }
      bytes += size.bytes();
      last = size.seq();
      taken++;
    }
    reserve(heap, bytes);
    List<UnobservedMessage> messages = new ArrayList<>(taken);
    Counts counts = new Counts(dao, threadId);
    for (TailDao.Row row :
        taken == 0 ? List.<TailDao.Row>of() : dao.range(threadId, observedSeq, last)) {
      messages.add(message(row, counts));
    }
    counts.flush();
    boolean whole = taken == sizes.size() && taken < MOST_MESSAGES;
    long pending =
        Tail.tokens(messages) + (whole ? 0 : dao.guessOldest(threadId, last, MOST_GUESSED));
    return new Tail(messages, pending, bytes, whole);
  }

  /**
   * How much there is behind a seq, without reading what is counted already.
   *
   * @param heap where it is reserved for what is read
   * @return nothing, if very much is not counted yet
   * @throws GivenUpException if there is no heap in time
   */
  Optional<Amount> measure(
      Jdbi jdbi, long threadId, long observedSeq, long preparedSeq, HeapReservation heap) {
    TailDao dao = jdbi.onDemand(TailDao.class);
    List<TailDao.Size> sizes = dao.uncountedSizes(threadId, observedSeq, COUNTS_A_STATEMENT);
    long bytes = sizes.stream().mapToLong(TailDao.Size::bytes).sum();
    if (sizes.size() == COUNTS_A_STATEMENT || bytes > MOST_BYTES) {
      return Optional.empty();
    }
    long tokens = 0;
    if (!sizes.isEmpty()) {
      reserve(heap, bytes);
      Counts counts = new Counts(dao, threadId);
      List<Long> seqs = sizes.stream().map(TailDao.Size::seq).toList();
      for (TailDao.Row row : dao.rows(threadId, seqs)) {
        tokens += message(row, counts).tokens();
      }
      counts.flush();
    }
    TailDao.Sum pending = dao.sum(threadId, observedSeq, Long.MAX_VALUE);
    TailDao.Sum unprepared =
        preparedSeq == observedSeq ? pending : dao.sum(threadId, preparedSeq, Long.MAX_VALUE);
    return pending.uncounted() > 0
        ? Optional.empty()
        : Optional.of(
            new Amount(pending.tokens(), unprepared.tokens(), tokens, bytes, pending.messages()));
  }

  private static void reserve(HeapReservation heap, long bytes) {
    heap.shrinkTo(0);
    if (!heap.await(bytes * COST, 0, PATIENCE)) {
      throw new GivenUpException(GivenUpException.Reason.NO_HEAP);
    }
  }

  /**
   * Tokens of messages.
   *
   * @param pending of those that are not observed
   * @param unprepared of those whose observation is not prepared either
   * @param latest of those that came since they were counted last
   * @param latestBytes of the same
   * @param messages how many are not observed
   */
  record Amount(long pending, long unprepared, long latest, long latestBytes, long messages) {}

  private UnobservedMessage message(TailDao.Row row, Counts counts) {
    if (row.superseded()) {
      return new UnobservedMessage(
          row.seq(), row.publicId(), row.role(), List.of(), row.createdAt(), 0);
    }
    pace.rest();
    List<MessagePiece> pieces = MessagePiece.of(row.content());
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

  /** Writes counts down, many in a statement. */
  private static final class Counts {
    private final TailDao dao;
    private final long threadId;
    private final List<Long> seqs = new ArrayList<>();
    private final List<Integer> tokens = new ArrayList<>();
    private final List<Long> bytes = new ArrayList<>();

    Counts(TailDao dao, long threadId) {
      this.dao = dao;
      this.threadId = threadId;
    }

    void add(TailDao.Row row, int counted) {
      seqs.add(row.seq());
      tokens.add(counted);
      bytes.add((long) row.content().getBytes(java.nio.charset.StandardCharsets.UTF_8).length);
      if (seqs.size() == COUNTS_A_STATEMENT) {
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

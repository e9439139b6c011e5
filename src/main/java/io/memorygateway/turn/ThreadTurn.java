package io.memorygateway.turn;

import io.memorygateway.auth.Caller;
import io.memorygateway.dialect.AnswerAssembler;
import io.memorygateway.dialect.Dialect;
import io.memorygateway.dialect.StoredMessage;
import io.memorygateway.http.BodyReservation;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.MalformedJsonException;
import io.memorygateway.json.ParseOptions;
import io.memorygateway.json.ValueCount;
import io.memorygateway.memory.NewMessage;
import io.memorygateway.memory.PendingResponse;
import io.memorygateway.memory.TurnClaims;
import io.memorygateway.memory.TurnWrite;
import io.memorygateway.sse.SseEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A turn of a thread. */
final class ThreadTurn implements Turn {
  private static final Logger LOGGER = LoggerFactory.getLogger(ThreadTurn.class);

  /** Bytes; a longer answer is not kept, whole or streamed (contract §7). */
  private static final int LARGEST_ANSWER = 32 << 20;

  /** Values of an answer that is kept: more would take a hundred times its length to be parsed. */
  private static final long MOST_VALUES = 500_000;

  /** Heap for each byte of an answer that is assembled: in buffers that double as they grow. */
  private static final int ASSEMBLED_COST = 4;

  /** Heap for each byte of an answer that is stored: parsed, as messages, as they are sent. */
  private static final int STORED_COST = 5;

  /** Bytes of an answer that is stored without asking for heap: most are not longer. */
  private static final int STORED_FREELY = 16 << 10;

  /** How long an answer that is to be stored waits for heap. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** The status under which an answer is kept. */
  private static final int ANSWERED = 200;

  private final TurnStore store;
  private final Target target;
  private final Dialect dialect;
  private final List<StoredMessage> asked;
  private final byte[] upstreamBody;
  private final @Nullable TurnContext context;
  private final TurnIds ids;
  private final TurnClaims.@Nullable Claim claim;
  private final BodyReservation reservation;

  /**
   * Where the turn goes.
   *
   * @param thread {@code threads.id}
   * @param before the thread as the turn found it; null if it was made by it
   * @param openedAt when the caller asked
   */
  record Target(
      Caller caller,
      String threadId,
      long thread,
      ThreadTails.@Nullable Head before,
      Instant openedAt,
      Amendment amendment) {}

  /**
   * A turn that has been opened.
   *
   * @param asked the messages of the call that are new
   * @param context what memory adds to the call; null if the upstream holds the history itself
   * @param ids of its messages
   * @param claim of its Idempotency-Key, closed with the turn; null if it has none
   * @param reservation where heap is reserved for the answer
   */
  ThreadTurn(
      TurnStore store,
      Target target,
      Dialect dialect,
      List<StoredMessage> asked,
      byte[] upstreamBody,
      @Nullable TurnContext context,
      TurnIds ids,
      TurnClaims.@Nullable Claim claim,
      BodyReservation reservation) {
    this.store = store;
    this.target = target;
    this.dialect = dialect;
    this.asked = asked;
    this.upstreamBody = upstreamBody;
    this.context = context;
    this.ids = ids;
    this.claim = claim;
    this.reservation = reservation;
  }

  @Override
  public byte[] upstreamBody() {
    return upstreamBody;
  }

  @Override
  public @Nullable String context() {
    return context == null ? null : context.headerValue();
  }

  @Override
  public MemoryStatus status() {
    return MemoryStatus.STORED;
  }

  @Override
  public MemoryStatus answered(byte[] answer) {
    if (answer.length > LARGEST_ANSWER || ValueCount.of(answer) > MOST_VALUES) {
      return store.tooLong();
    }
    long heap = (long) answer.length * STORED_COST + ValueCount.heapOf(answer);
    if (answer.length > STORED_FREELY && !reservation.awaitAnswer(heap, PATIENCE)) {
      return store.noRoom();
    }
    List<StoredMessage> said = dialect.answer(answer);
    if (said.isEmpty() && reportsError(answer)) {
      return MemoryStatus.OFF;
    }
    return commit(said, claim == null ? "" : Replay.kept(false, dialect.replay().metadata(answer)));
  }

  /** Some providers report an error with status 200. */
  private static boolean reportsError(byte[] answer) {
    try {
      return JsonValue.parse(answer, ParseOptions.LENIENT.withLevels(1)).get("error") != null;
    } catch (MalformedJsonException e) {
      return false;
    }
  }

  /**
   * Stores the turn.
   *
   * @param kept of the answer besides its messages; null if it is not whole
   */
  private MemoryStatus commit(List<StoredMessage> answer, @Nullable String kept) {
    boolean complete = kept != null;
    // What broke off is completed by the next attempt, which has these ids then.
    TurnIds given = complete ? ids : ids.unshared();
    List<NewMessage> turn = new ArrayList<>();
    for (StoredMessage question : asked) {
      turn.add(message(given.asked(turn.size()), question, target.openedAt(), complete));
    }
    for (StoredMessage said : answer) {
      turn.add(message(given.said(turn.size() - asked.size()), said, null, complete));
    }
    Amendment amendment = complete ? target.amendment() : target.amendment().withoutCompletion();
    return store.commit(
        target,
        new TurnWrite(
            turn,
            given.isShared() && !answer.isEmpty() ? given.said(0) : null,
            amendment.question(),
            amendment.completed(),
            claim == null || kept == null
                ? null
                : new PendingResponse(claim.key(), ANSWERED, kept, asked.size())));
  }

  private static NewMessage message(
      String id, StoredMessage message, @Nullable Instant createdAt, boolean complete) {
    return new NewMessage(
        id, message.role(), message.type(), message.content(), createdAt, !complete);
  }

  @Override
  public void close() {
    if (claim != null) {
      claim.close();
    }
  }

  @Override
  public Streamed streamed() {
    return new Stream();
  }

  private final class Stream implements Streamed {
    /** Null once the answer cannot be kept: what there was of it is not held any longer. */
    private @Nullable AnswerAssembler answer = dialect.openAssembler(LARGEST_ANSWER, this::reserve);

    private long held;
    private boolean noRoom;

    private boolean reserve(long bytes) {
      held += bytes;
      noRoom = !reservation.tryAddAnswer(bytes * ASSEMBLED_COST);
      return !noRoom;
    }

    @Override
    public void accept(SseEvent event) {
      if (answer != null) {
        answer.accept(event);
        if (answer.overflowed()) {
          letGo();
        }
      }
    }

    private void letGo() {
      answer = null;
      reservation.keepAnswer(0);
    }

    @Override
    public boolean tooLong() {
      return answer == null;
    }

    @Override
    public MemoryStatus complete() {
      AnswerAssembler whole = toStore();
      return whole == null ? notKept() : commit(whole.messages(true), kept(whole));
    }

    private MemoryStatus notKept() {
      return noRoom ? store.noRoom() : store.tooLong();
    }

    /** The answer, with heap to store it in; null if it cannot be stored. */
    private @Nullable AnswerAssembler toStore() {
      if (answer != null && held > 0 && !reservation.awaitAnswer(held * STORED_COST, PATIENCE)) {
        noRoom = true;
        letGo();
      }
      return answer;
    }

    private String kept(AnswerAssembler whole) {
      return claim == null ? "" : Replay.kept(true, whole.metadata());
    }

    @Override
    public void brokenOff(boolean failed, boolean whole) {
      AnswerAssembler assembled = toStore();
      if (assembled == null) {
        notKept();
        return;
      }
      boolean complete = whole && !failed;
      List<StoredMessage> said = assembled.messages(complete);
      if (failed && said.isEmpty()) {
        return;
      }
      try {
        commit(said, complete ? kept(assembled) : null);
      } catch (RuntimeException e) {
        LOGGER.warn("A turn that broke off could not be stored", e);
      }
    }
  }
}

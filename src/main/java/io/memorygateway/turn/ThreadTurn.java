package io.memorygateway.turn;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.memorygateway.auth.Caller;
import io.memorygateway.format.Format;
import io.memorygateway.format.answer.AnswerAssembler;
import io.memorygateway.format.answer.WholeAnswer;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.http.admission.RequestReservation;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.MalformedJsonException;
import io.memorygateway.json.NonFinite;
import io.memorygateway.json.ParseOptions;
import io.memorygateway.json.ValueCount;
import io.memorygateway.memory.limit.StorageLimit;
import io.memorygateway.memory.replay.PendingResponse;
import io.memorygateway.memory.replay.TurnClaims;
import io.memorygateway.memory.rows.NewMessage;
import io.memorygateway.memory.write.TurnWrite;
import io.memorygateway.observation.text.TokenCounter;
import io.memorygateway.sse.SseEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The turn of a call with memory. */
final class ThreadTurn implements Turn {
  private static final Logger LOGGER = LoggerFactory.getLogger(ThreadTurn.class);

  /** Bytes; a longer answer is not stored, whole or streamed (contract §7). */
  private static final int MAX_ANSWER_BYTES = 32 << 20;

  /**
   * JSON values of an answer that is stored: with more, parsing would take a hundred times its
   * length.
   */
  private static final long MAX_VALUES = 500_000;

  /** Heap for each byte of an answer that is assembled: in buffers that double as they grow. */
  private static final int ASSEMBLED_COST = 4;

  /** Heap for each byte of an answer that is stored: parsed, as messages, as they are sent. */
  private static final int STORED_COST = 5;

  /** Bytes of an answer that is stored without reserving heap: most are not longer. */
  private static final int UNRESERVED_BYTES = 16 << 10;

  /** How long an answer that is to be stored waits for heap. */
  private static final Duration HEAP_TIMEOUT = Duration.ofSeconds(5);

  /**
   * Characters of the messages of a turn whose tokens are counted before it is stored; those of
   * longer ones are left to the observer, as that takes half a millisecond and more.
   */
  private static final int MAX_COUNTED_CHARACTERS = 8 << 10;

  /** The status that is stored with an answer. */
  private static final int ANSWERED = 200;

  private static final TokenCounter COUNTER = new TokenCounter();

  private final TurnStore store;
  private final Target target;
  private final Format format;
  private final PreparedCall call;
  private final Supplier<String> newId;
  private final TurnClaims.@Nullable Claim claim;
  private final StorageLimit.Hold hold;
  private final RequestReservation reservation;

  /** The thread's next seq behind the whole turn; 0 while it is not stored. */
  private long end;

  /**
   * The thread and the state in which the turn is stored.
   *
   * @param thread {@code threads.id}
   * @param before the thread as the turn found it; null if the turn created it
   * @param openedAt when the call was received
   */
  record Target(
      Caller caller, String threadId, long thread, @Nullable TailHead before, Instant openedAt) {}

  /**
   * @param newId for its messages
   * @param claim of its Idempotency-Key, closed with the turn; null if it has none
   * @param hold of its new messages by the storage limit, closed with the turn
   * @param reservation in which heap is reserved for the answer
   */
  ThreadTurn(
      TurnStore store,
      Target target,
      Format format,
      PreparedCall call,
      Supplier<String> newId,
      TurnClaims.@Nullable Claim claim,
      StorageLimit.Hold hold,
      RequestReservation reservation) {
    this.store = store;
    this.target = target;
    this.format = format;
    this.call = call;
    this.newId = newId;
    this.claim = claim;
    this.hold = hold;
    this.reservation = reservation;
  }

  @Override
  public byte[] upstreamBody() {
    return call.upstreamBody();
  }

  @Override
  public @Nullable String context() {
    TurnContext context = call.context();
    return context == null ? null : context.headerValue();
  }

  @Override
  public MemoryStatus status() {
    return MemoryStatus.STORED;
  }

  @Override
  public MemoryStatus answered(byte[] answer) {
    if (answer.length > MAX_ANSWER_BYTES || ValueCount.of(answer) > MAX_VALUES) {
      return store.tooLong();
    }
    long heap = (long) answer.length * STORED_COST + ValueCount.heapOf(answer);
    if (answer.length > UNRESERVED_BYTES && !reservation.awaitAnswer(heap, HEAP_TIMEOUT)) {
      return store.heapExhausted();
    }
    List<StoredMessage> messages = format.answer(answer);
    JsonValue head = head(answer);
    boolean failed = WholeAnswer.isFailed(head.string("status"));
    if (messages.isEmpty() && (failed || head.get("error") != null)) {
      return MemoryStatus.OFF; // some providers report errors with status 200
    }
    String body = Replay.storedBody(false, format.replay().metadata(answer, claim != null));
    return commit(messages, failed ? null : body, true);
  }

  private static JsonValue head(byte[] answer) {
    try {
      return NonFinite.parse(answer, ParseOptions.LENIENT.withLevels(1));
    } catch (MalformedJsonException e) {
      return JsonValue.of("{}");
    }
  }

  /**
   * Stores the turn.
   *
   * @param storedBody the metadata of the answer besides its messages; null if the answer is not
   *     whole
   * @param readable whether all of the answer was read
   */
  private MemoryStatus commit(
      List<StoredMessage> answer, @Nullable String storedBody, boolean readable) {
    boolean complete = storedBody != null;
    if (!call.answerStored() && !complete) {
      return MemoryStatus.OFF;
    }
    List<StoredMessage> kept = call.answerStored() ? answer : List.of();
    boolean counted = characters(call.stored()) + characters(kept) <= MAX_COUNTED_CHARACTERS;
    List<NewMessage> turn = new ArrayList<>();
    for (StoredMessage question : call.stored()) {
      turn.add(message(question, target.openedAt(), complete, counted));
    }
    for (StoredMessage message : kept) {
      turn.add(message(message, null, complete, counted));
    }
    return store.commit(
        target,
        new TurnWrite(
            turn,
            storedBody != null && call.answerStored()
                ? call.turnCall().answered(kept.isEmpty(), storedBody)
                : call.turnCall(),
            call.amendment().question(),
            call.amendment().interrupted(),
            call.amendment().branch(),
            call.amendment().known(),
            complete,
            claim == null || storedBody == null || !call.answerStored()
                ? null
                : new PendingResponse(claim.key(), ANSWERED, storedBody, call.stored().size())),
        readable,
        behind -> end = complete ? behind : 0);
  }

  private static long characters(List<StoredMessage> messages) {
    return messages.stream().mapToLong(message -> message.content().length()).sum();
  }

  private NewMessage message(
      StoredMessage message, @Nullable Instant createdAt, boolean complete, boolean counted) {
    String content = message.content();
    return new NewMessage(
        newId.get(),
        message.role(),
        message.type(),
        content,
        createdAt,
        !complete,
        counted ? COUNTER.countContent(content) : null);
  }

  @Override
  public void handedOn() {
    if (end > 0) {
      store.handedOn(target.thread(), end);
    }
  }

  @Override
  public void close() {
    hold.close();
    if (claim != null) {
      claim.close();
    }
  }

  @Override
  public Streamed streamed() {
    return new Stream();
  }

  private final class Stream implements Streamed {
    /** Null once the answer cannot be stored: the part received so far is no longer held. */
    private @Nullable AnswerAssembler answer =
        format.openAssembler(MAX_ANSWER_BYTES, this::reserve, claim != null);

    private long held;
    private boolean heapExhausted;

    private boolean reserve(long bytes) {
      heapExhausted = !reservation.tryAddAnswer(bytes * ASSEMBLED_COST);
      held += heapExhausted ? 0 : bytes;
      return !heapExhausted;
    }

    @Override
    public void accept(SseEvent event) {
      if (answer != null) {
        answer.accept(event);
        if (answer.overflowed()) {
          discardAnswer();
        }
      }
    }

    private void discardAnswer() {
      answer = null;
      // What counts or translates the stream has reserved there, too, and goes on.
      reservation.releaseAnswer(held * ASSEMBLED_COST);
    }

    @Override
    public boolean tooLong() {
      return answer == null;
    }

    @Override
    public boolean isEmpty() {
      return !call.answerStored() || (answer != null && answer.messages().isEmpty());
    }

    @Override
    public MemoryStatus complete() {
      return store(true, false);
    }

    private MemoryStatus store(boolean complete, boolean failed) {
      AnswerAssembler assembled = toStore();
      List<StoredMessage> messages = assembled == null ? List.of() : assembled.messages();
      if (assembled == null || (held > 0 && values(messages) > MAX_VALUES)) {
        return heapExhausted ? store.heapExhausted() : store.tooLong();
      }
      if (failed && messages.isEmpty()) {
        return MemoryStatus.OFF;
      }
      boolean readable = !assembled.unreadable();
      if (!readable) {
        LOGGER.warn("A turn is stored incomplete: its answer has events that cannot be read");
      }
      boolean whole = complete && !failed && readable;
      String body = Replay.storedBody(true, assembled.metadata());
      return commit(messages, whole ? body : null, readable);
    }

    private static long values(List<StoredMessage> messages) {
      return messages.stream()
          .mapToLong(message -> ValueCount.of(message.content().getBytes(UTF_8)))
          .sum();
    }

    /** The answer, with heap reserved to store it; null if it cannot be stored. */
    private @Nullable AnswerAssembler toStore() {
      if (answer != null
          && held > 0
          && !reservation.awaitAnswer(held * STORED_COST, HEAP_TIMEOUT)) {
        heapExhausted = true;
        discardAnswer();
      }
      return answer;
    }

    @Override
    public void interrupted(boolean failed, boolean complete) {
      try {
        MemoryStatus unused = store(complete, failed);
      } catch (RuntimeException e) {
        LOGGER.warn("A turn that broke off could not be stored", e);
      }
    }
  }
}

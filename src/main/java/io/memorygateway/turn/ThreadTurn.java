package io.memorygateway.turn;

import io.memorygateway.auth.Caller;
import io.memorygateway.dialect.AnswerAssembler;
import io.memorygateway.dialect.Dialect;
import io.memorygateway.dialect.SseEvent;
import io.memorygateway.dialect.StoredMessage;
import io.memorygateway.http.ApiException;
import io.memorygateway.json.JsonText;
import io.memorygateway.json.JsonValue;
import io.memorygateway.memory.NewMessage;
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

  private final Turns turns;
  private final Target target;
  private final Dialect dialect;
  private final List<StoredMessage> asked;
  private final byte[] upstreamBody;

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
   */
  ThreadTurn(
      Turns turns, Target target, Dialect dialect, List<StoredMessage> asked, byte[] upstreamBody) {
    this.turns = turns;
    this.target = target;
    this.dialect = dialect;
    this.asked = asked;
    this.upstreamBody = upstreamBody;
  }

  @Override
  public byte[] upstreamBody() {
    return upstreamBody;
  }

  @Override
  public MemoryStatus status() {
    return MemoryStatus.STORED;
  }

  @Override
  public MemoryStatus answered(byte[] answer) {
    if (answer.length > LARGEST_ANSWER) {
      return turns.tooLong();
    }
    List<StoredMessage> said = dialect.answer(answer);
    if (said.isEmpty() && reportsError(answer)) {
      return MemoryStatus.OFF;
    }
    return commit(said, true);
  }

  /** Some providers report an error with status 200. */
  private static boolean reportsError(byte[] answer) {
    try {
      JsonValue error = JsonText.parse(answer, JsonText.SHALLOW).members().get("error");
      return error != null && !error.is(JsonValue.Kind.NULL);
    } catch (ApiException e) {
      return false; // stricter than what may pass here
    }
  }

  private MemoryStatus commit(List<StoredMessage> answer, boolean complete) {
    List<NewMessage> turn = new ArrayList<>();
    asked.forEach(question -> turn.add(message(question, target.openedAt(), complete)));
    answer.forEach(said -> turn.add(message(said, null, complete)));
    Amendment amendment = complete ? target.amendment() : target.amendment().withoutCompletion();
    return turns.commit(target, turn, amendment);
  }

  private static NewMessage message(
      StoredMessage message, @Nullable Instant createdAt, boolean complete) {
    return new NewMessage(
        null, message.role(), message.type(), message.content(), createdAt, !complete);
  }

  @Override
  public Streamed streamed() {
    return new Stream(dialect.openAssembler(LARGEST_ANSWER));
  }

  private final class Stream implements Streamed {
    private final AnswerAssembler answer;

    Stream(AnswerAssembler answer) {
      this.answer = answer;
    }

    @Override
    public void accept(SseEvent event) {
      answer.accept(event);
    }

    @Override
    public boolean tooLong() {
      return answer.overflowed();
    }

    @Override
    public MemoryStatus complete() {
      return answer.overflowed() ? turns.tooLong() : commit(answer.messages(true), true);
    }

    @Override
    public void brokenOff(boolean failed, boolean whole) {
      if (answer.overflowed()) {
        turns.tooLong();
        return;
      }
      boolean complete = whole && !failed;
      List<StoredMessage> said = answer.messages(complete);
      if (failed && said.isEmpty()) {
        return;
      }
      try {
        commit(said, complete);
      } catch (RuntimeException e) {
        LOGGER.warn("A turn that broke off could not be stored", e);
      }
    }
  }
}

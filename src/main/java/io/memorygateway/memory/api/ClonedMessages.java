package io.memorygateway.memory.api;

import static java.util.Objects.requireNonNull;

import io.memorygateway.database.Transactions;
import io.memorygateway.http.BodyReservation;
import io.memorygateway.json.JsonOut;
import io.memorygateway.json.JsonValue;
import io.memorygateway.memory.MessageSnapshot;
import io.memorygateway.memory.MessageRevisions;
import io.memorygateway.memory.MessageDao;
import io.memorygateway.memory.MessageRow;
import io.memorygateway.memory.MessageSizes;
import io.memorygateway.memory.Outcome;
import io.memorygateway.memory.SeqRanges;
import jakarta.ws.rs.core.StreamingOutput;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;

/**
 * Writes the answer to a copy of a thread: {@code {"thread":…,"clonedMessages":[…]}}. The messages
 * are read in portions while they are written, however many they are.
 */
final class ClonedMessages {
  private static final int ROWS = 500;

  /** Contents that are read at once, at one message or more; nobody is asked for so little. */
  private static final long BYTES = 256 << 10;

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Transactions transactions;

  ClonedMessages(Transactions transactions) {
    this.transactions = transactions;
  }

  /**
   * The whole answer.
   *
   * @param reservation waited for where a message is large
   * @param outcome with the thread as its body and the copies as its messages
   */
  StreamingOutput beside(Outcome outcome, BodyReservation reservation) {
    JsonValue thread = requireNonNull(JsonValue.ofStored(outcome.body().toString()).get("thread"));
    String publicId = thread.text("id");
    long threadId = requireNonNull(outcome.threadId());
    MessageSnapshot messages = requireNonNull(outcome.messages());
    return out -> {
      out.write(
          new JsonOut(thread.length() + 64)
              .ascii("{\"thread\":")
              .raw(thread.rawBytes())
              .ascii(",\"clonedMessages\":[")
              .toBytes());
      for (SeqRanges.Range range : messages.seqs().ranges()) {
        write(out, threadId, publicId, messages, range, reservation);
      }
      out.write(new JsonOut(2).ascii("]}").toBytes());
    };
  }

  private void write(
      OutputStream out,
      long threadId,
      String publicId,
      MessageSnapshot messages,
      SeqRanges.Range range,
      BodyReservation reservation)
      throws IOException {
    String separator = "";
    long next = range.first();
    while (true) {
      long from = next;
      List<MessageDao.Size> sizes =
          transactions.read(
              handle ->
                  handle.attach(MessageDao.class).sizes(threadId, from, range.last() + 1, ROWS));
      if (sizes.isEmpty()) {
        return;
      }
      MessageSizes.Fitting fitting =
          transactions.read(handle -> new MessageSizes(handle, threadId).fitting(sizes, BYTES));
      long heap = fitting.bytes() <= BYTES ? 0 : fitting.bytes() * BodyReservation.ANSWER_COST;
      if (heap > 0 && !reservation.awaitAnswer(heap, PATIENCE)) {
        throw new IOException("no room for a large message of an answer that has begun");
      }
      next = sizes.get(fitting.count() - 1).seq() + 1;
      for (MessageRow message : read(threadId, messages, from, next, fitting.count())) {
        JsonOut json = new JsonOut(message.content().length() + 256).ascii(separator);
        out.write(MessageJson.write(json, publicId, message).toBytes());
        separator = ",";
      }
      reservation.keepAnswer(0);
    }
  }

  private List<MessageRow> read(
      long threadId, MessageSnapshot messages, long from, long to, int count) {
    return transactions.read(
        handle ->
            MessageRevisions.asTheyWere(
                handle,
                threadId,
                messages,
                handle.attach(MessageDao.class).range(threadId, from, to, count)));
  }
}

package io.memorygateway.memory.replay;

import io.memorygateway.database.Transactions;
import io.memorygateway.http.admission.RequestReservation;
import io.memorygateway.memory.rows.MessageDao;
import io.memorygateway.memory.rows.MessageRow;
import io.memorygateway.memory.rows.MessageSizes;
import io.memorygateway.memory.rows.MessageSnapshot;
import io.memorygateway.memory.rows.SeqRanges;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Reads the messages of a response in batches of bounded size, while they are written. */
public record MessageBatches(Transactions transactions) {
  private static final int ROWS = 500;

  /** Contents of a batch in bytes, at one message or more; so few need no reservation. */
  private static final long BYTES = 256 << 10;

  private static final Duration HEAP_TIMEOUT = Duration.ofSeconds(30);

  @FunctionalInterface
  public interface Sink {
    void accept(MessageRow message) throws IOException;
  }

  /**
   * Reads all messages of a response except those that have been deleted.
   *
   * @param threadId {@code threads.id}
   * @param reservation of heap for messages that are large, waited for if necessary
   */
  public void read(
      long threadId, MessageSnapshot messages, RequestReservation reservation, Sink sink)
      throws IOException {
    for (SeqRanges.Range range : messages.seqs().ranges()) {
      read(threadId, messages, range, reservation, sink);
    }
  }

  private void read(
      long threadId,
      MessageSnapshot messages,
      SeqRanges.Range range,
      RequestReservation reservation,
      Sink sink)
      throws IOException {
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
      MessageSizes.Fitting fitting = MessageSizes.fitting(sizes, BYTES);
      long heap = fitting.bytes() <= BYTES ? 0 : fitting.bytes() * RequestReservation.ANSWER_COST;
      if (heap > 0 && !reservation.awaitAnswer(heap, HEAP_TIMEOUT)) {
        throw new IOException("no room for a large message of an answer that has begun");
      }
      next = sizes.get(fitting.count() - 1).seq() + 1;
      for (MessageRow message : batch(threadId, messages, from, next, fitting.count())) {
        sink.accept(message);
      }
      reservation.shrinkAnswerTo(0);
    }
  }

  private List<MessageRow> batch(
      long threadId, MessageSnapshot messages, long from, long to, int count) {
    return transactions.read(
        handle ->
            MessageRevisions.restore(
                handle,
                threadId,
                messages,
                handle.attach(MessageDao.class).range(threadId, from, to, count)));
  }
}

package io.memorygateway.memory;

import static java.util.Objects.requireNonNull;

import io.memorygateway.json.JsonOut;
import io.memorygateway.json.JsonText;
import io.memorygateway.json.JsonValue;
import jakarta.ws.rs.core.StreamingOutput;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/**
 * Writes the answer to a copy of a thread: {@code {"thread":…,"clonedMessages":[…]}}. The messages
 * are read in portions while they are written, however many they are.
 */
final class ClonedMessages {
  private static final int PORTION = 500;

  private final Transactions transactions;

  ClonedMessages(Transactions transactions) {
    this.transactions = transactions;
  }

  /**
   * The whole answer.
   *
   * @param outcome with the thread as its body and the copies as its messages
   */
  StreamingOutput beside(Outcome outcome) {
    JsonValue thread =
        requireNonNull(
            JsonText.parse(outcome.body().toBytes(), JsonText.SHALLOW).members().get("thread"));
    String publicId = requireNonNull(thread.members().get("id")).text();
    long threadId = requireNonNull(outcome.threadId());
    AnsweredMessages messages = requireNonNull(outcome.messages());
    return out -> {
      out.write(
          new JsonOut(thread.length() + 64)
              .ascii("{\"thread\":")
              .raw(thread.raw())
              .ascii(",\"clonedMessages\":[")
              .toBytes());
      for (SeqRanges.Range range : messages.seqs().ranges()) {
        write(out, threadId, publicId, messages, range);
      }
      out.write(new JsonOut(2).ascii("]}").toBytes());
    };
  }

  private void write(
      OutputStream out,
      long threadId,
      String publicId,
      AnsweredMessages messages,
      SeqRanges.Range range)
      throws IOException {
    String separator = "";
    long next = range.first();
    List<MessageRow> portion;
    do {
      long from = next;
      portion =
          transactions.read(
              handle ->
                  FirstMessages.asTheyWere(
                      handle,
                      threadId,
                      messages,
                      handle
                          .attach(MessageDao.class)
                          .range(threadId, from, range.last() + 1, PORTION)));
      JsonOut json = new JsonOut(64 << 10);
      for (MessageRow message : portion) {
        MessageJson.write(json.ascii(separator), publicId, message);
        separator = ",";
        next = message.seq() + 1;
      }
      out.write(json.toBytes());
    } while (portion.size() == PORTION);
  }
}

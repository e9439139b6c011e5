package io.memorygateway.memory;

import io.memorygateway.auth.Caller;
import io.memorygateway.database.Transactions;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;

/** Finds single messages. */
public final class MessageLookup {
  private final Transactions transactions;

  public MessageLookup(Transactions transactions) {
    this.transactions = transactions;
  }

  /**
   * A message by its id; 404 without telling whether it is the thread or the message.
   *
   * @param room is told how many bytes its content has, if they may be many
   */
  public MessageRow get(Caller caller, String threadId, String messageId, LongConsumer room) {
    long project = caller.projectId();
    Optional<MessageDao.Found> found =
        transactions.read(
            handle -> handle.attach(MessageDao.class).findIfSmall(project, threadId, messageId));
    MessageDao.Found message = found.orElseThrow(NotFound::message);
    if (message.row() != null) {
      return message.row();
    }
    return transactions.snapshot(
        handle -> {
          MessageDao dao = handle.attach(MessageDao.class);
          List<MessageDao.Size> size = dao.sizesBySeq(message.threadId(), List.of(message.seq()));
          room.accept(new MessageSizes(handle, message.threadId()).fitting(size, 0).bytes());
          return dao.find(message.threadId(), messageId).orElseThrow(NotFound::message);
        });
  }
}

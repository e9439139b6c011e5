package io.memorygateway.memory;

import io.memorygateway.auth.Caller;

/** Finds single messages. */
final class MessageLookup {
  private final Transactions transactions;

  MessageLookup(Transactions transactions) {
    this.transactions = transactions;
  }

  /** A message by its id; 404 without telling whether it is the thread or the message. */
  MessageRow get(Caller caller, String threadId, String messageId) {
    return transactions
        .read(
            handle ->
                handle
                    .attach(MessageDao.class)
                    .findInProject(caller.projectId(), threadId, messageId))
        .orElseThrow(NotFound::message);
  }
}

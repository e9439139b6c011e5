package io.memorygateway.turn;

import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.memory.limit.StorageLimit;
import io.memorygateway.memory.write.TurnCall;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call that is ready to go up, and what is stored of it. Its turn holds it until the answer ends,
 * so it holds nothing of the call as it was read.
 *
 * @param stored the messages that are stored before the answer
 * @param answerStored whether the answer is part of the conversation
 * @param amendment what the turn changes of the messages that the thread has
 * @param turnCall by which the turn is found
 * @param context what of the thread goes up with the call; null if it goes up unchanged
 * @param upstreamBody UTF-8 JSON
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record PreparedCall(
    List<StoredMessage> stored,
    boolean answerStored,
    Amendment amendment,
    TurnCall turnCall,
    @Nullable TurnContext context,
    byte[] upstreamBody) {

  /** Whether nothing of its turn is stored. */
  boolean isPlain() {
    return !answerStored && stored.isEmpty();
  }

  /** Whether a part of the thread does not go up, for lack of room. */
  boolean isCut() {
    return context != null && context.isCut();
  }

  /** Bytes that its messages add to what its project stores. */
  long bytes() {
    return StorageLimit.bytesOf(stored.stream().map(StoredMessage::content));
  }
}

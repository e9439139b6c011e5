package io.memorygateway.dialect;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The context that memory adds to a call.
 *
 * @param observations text that goes behind the caller's system prompt; null for none
 * @param elided how many messages of the thread are neither observed nor sent, because there is too
 *     much of them; one line says so
 * @param skipped how many of the messages that the call was aligned with come before {@code stored}
 *     and do not go up: they are observed or elided
 * @param stored messages that go before the caller's new ones, oldest first
 * @param recall text of a user message that goes right before the caller's new ones; null for none
 */
public record MemoryContext(
    @Nullable String observations,
    long elided,
    int skipped,
    List<StoredMessage> stored,
    @Nullable String recall) {

  /** A context without recall. */
  public MemoryContext(
      @Nullable String observations, long elided, int skipped, List<StoredMessage> stored) {
    this(observations, elided, skipped, stored, null);
  }

  /** A context with all the messages that the call was aligned with. */
  public MemoryContext(@Nullable String observations, List<StoredMessage> stored) {
    this(observations, 0, 0, stored);
  }

  /** The part that a call needs: without observations, if it brings its own. */
  MemoryContext forCall(Conversation conversation) {
    return observations != null && conversation.bringsObservations()
        ? new MemoryContext(null, elided, skipped, stored, recall)
        : this;
  }

  /** The line that stands for messages which are not observed and do not go up. */
  public static String elision(long messages) {
    return messages == 1
        ? "[1 earlier message of this conversation is not shown yet.]"
        : "[" + messages + " earlier messages of this conversation are not shown yet.]";
  }

  /** The texts that go behind the caller's system prompt, each as a message or block of its own. */
  List<String> systemTexts() {
    List<String> texts = new ArrayList<>();
    if (observations != null) {
      texts.add(observations);
    }
    if (elided > 0) {
      texts.add(elision(elided));
    }
    return texts;
  }

  boolean isEmpty() {
    return observations == null && elided == 0 && stored.isEmpty() && recall == null;
  }
}

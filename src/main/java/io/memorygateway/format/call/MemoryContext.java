package io.memorygateway.format.call;

import io.memorygateway.format.content.StoredMessage;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The context that memory adds to a call.
 *
 * @param observations text that follows the caller's system prompt; null for none
 * @param elided number of the thread's messages that are neither observed nor sent, because they
 *     exceed the bound; one line says so
 * @param skipped number of the messages that the call was aligned with that precede {@code stored}
 *     and are not sent: they are observed or elided
 * @param stored messages that precede the caller's new ones, oldest first
 * @param recall text of a user message directly before the caller's new ones; null for none
 * @param known text between the caller's system prompt and the observations; null for none
 */
public record MemoryContext(
    @Nullable String observations,
    long elided,
    int skipped,
    List<StoredMessage> stored,
    @Nullable String recall,
    @Nullable String known) {

  /** A context without what is known over threads. */
  public MemoryContext(
      @Nullable String observations,
      long elided,
      int skipped,
      List<StoredMessage> stored,
      @Nullable String recall) {
    this(observations, elided, skipped, stored, recall, null);
  }

  /** A context without recall. */
  public MemoryContext(
      @Nullable String observations, long elided, int skipped, List<StoredMessage> stored) {
    this(observations, elided, skipped, stored, null);
  }

  /** A context with all the messages that the call was aligned with. */
  public MemoryContext(@Nullable String observations, List<StoredMessage> stored) {
    this(observations, 0, 0, stored);
  }

  /** The context without observations, if the call brings its own; else the context itself. */
  public MemoryContext forCall(Conversation conversation) {
    return (observations != null || known != null) && conversation.bringsObservations()
        ? new MemoryContext(null, elided, skipped, stored, recall)
        : this;
  }

  /** The line that stands for messages which are neither observed nor sent. */
  public static String elision(long messages) {
    return messages == 1
        ? "[1 earlier message of this conversation is not shown yet.]"
        : "[" + messages + " earlier messages of this conversation are not shown yet.]";
  }

  /** The texts that follow the caller's system prompt, each as a separate message or block. */
  public List<String> systemTexts() {
    List<String> texts = new ArrayList<>();
    if (known != null) {
      texts.add(known);
    }
    if (observations != null) {
      texts.add(observations);
    }
    if (elided > 0) {
      texts.add(elision(elided));
    }
    return texts;
  }

  /** The last text that stays the same from call to call; null for none. */
  public @Nullable String stableText() {
    return observations == null ? known : observations;
  }

  /** Whether messages of the thread, observed or elided ones, are not sent. */
  public boolean isPartial() {
    return observations != null || elided > 0 || skipped > 0;
  }

  public boolean isEmpty() {
    return systemTexts().isEmpty() && stored.isEmpty() && recall == null;
  }
}

package io.memorygateway.turn;

import io.memorygateway.format.align.Atom;
import io.memorygateway.format.align.NormalForm;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.StoredMessage;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A summary that a client has put in the place of what it sums up. It is told by its words, in
 * which a user may ask as well ("What did we do so far?"): a summary has something behind it, and
 * is no message of the thread's.
 */
final class Compaction {
  private final MemoryConfiguration configuration;
  private final List<StoredMessage> call;
  private final Set<List<Atom>> thread = new HashSet<>();

  /** Index behind the summary; 0 if there is none. */
  private final int end;

  /**
   * The compaction of a call, if its client has made one.
   *
   * @param stored messages of the thread, with which the call is compared
   */
  Compaction(MemoryConfiguration configuration, List<StoredMessage> call, List<NormalForm> stored) {
    this.configuration = configuration;
    this.call = call;
    int summary = call.size() - 1;
    while (summary >= 0 && !configuration.isSummary(call.get(summary))) {
      summary--;
    }
    if (summary >= 0) {
      stored.forEach(message -> thread.add(message.atoms()));
    }
    while (summary >= 0 && !isSummary(summary)) {
      summary--;
    }
    int behind = summary + 1;
    while (behind > 0 && behind < call.size() && call.get(behind).role().equals("assistant")) {
      behind++; // opencode asks for its summary where it stands.
    }
    this.end = behind;
  }

  private boolean isSummary(int index) {
    StoredMessage message = call.get(index);
    if (!configuration.isSummary(message)) {
      return false;
    }
    List<Part> parts = message.utterance().parts();
    return !configuration.beginsAsSummary(parts.get(parts.size() - 1))
        || (index < call.size() - 1 && !isKnown(message));
  }

  private boolean isKnown(StoredMessage message) {
    return thread.contains(NormalForm.of(message).atoms());
  }

  /** Whether the call is whole without the thread. */
  boolean isMade() {
    return end > 0;
  }

  /**
   * What is to be stored of a call: up to its summary only words of the user that the thread does
   * not have, for it has what is summed up.
   *
   * @param asked the last messages of the call, which are new
   */
  List<StoredMessage> stored(List<StoredMessage> asked) {
    int summed = Math.min(end - call.size() + asked.size(), asked.size() - 1);
    if (thread.isEmpty() || summed <= 0) {
      return asked;
    }
    List<StoredMessage> stored = new ArrayList<>(asked.subList(0, summed));
    stored.removeIf(
        message -> !message.isOfUser() || configuration.isSummary(message) || isKnown(message));
    stored.addAll(asked.subList(summed, asked.size()));
    return stored;
  }
}

package io.memorygateway.turn;

import io.memorygateway.format.align.Atom;
import io.memorygateway.format.align.NormalForm;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.StoredMessage;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A summary that a client has put in the place of what it sums up. It is told by its words, in
 * which a user may ask as well ("What did we do so far?"): a summary is announced by them, or has
 * something behind it, and is no message of the thread's.
 */
final class Compaction {
  private final MemoryConfiguration configuration;
  private final List<StoredMessage> call;
  private final Set<List<Atom>> thread = new HashSet<>();

  /** The message with which the thread begins. */
  private final List<Atom> first;

  /** Index behind the summary; 0 if there is none. */
  private final int end;

  /** Index of the user's message of which the model then says that it is one; else negative. */
  private final int read;

  /**
   * The compaction of a call, if its client has made one.
   *
   * @param stored messages of the thread, with which the call is compared
   */
  Compaction(MemoryConfiguration configuration, List<StoredMessage> call, List<NormalForm> stored) {
    this.configuration = configuration;
    this.call = call;
    this.first = stored.isEmpty() ? List.of() : stored.get(0).atoms();
    int last = call.size() - 1;
    while (last >= 0 && !configuration.isSummary(call.get(last))) {
      last--;
    }
    if (last >= 0) {
      stored.forEach(message -> thread.add(message.atoms()));
    }
    while (last >= 0 && !isSummary(last)) {
      last--;
    }
    int behind = last + 1;
    while (behind > 0 && behind < call.size() && call.get(behind).role().equals("assistant")) {
      behind++; // opencode asks for its summary where it stands.
    }
    this.end = behind;
    boolean isRead =
        last > 0 && configuration.saysRead(call.get(last)) && call.get(last - 1).isOfUser();
    this.read = isRead ? last - 1 : -1;
  }

  private boolean isSummary(int index) {
    StoredMessage message = call.get(index);
    if (!configuration.isSummary(message)) {
      return false;
    }
    return !isTold(message)
        || ((index < call.size() - 1 || goesOn(message) || isSurelySummary(message))
            && (!isKnown(message) || isStoredSummary(index)));
  }

  /** Whether it is a tag that the thread has as well, but not as that with which it begins. */
  private boolean isStoredSummary(int index) {
    return MemoryConfiguration.isTag(call.get(index))
        && call.subList(0, index).stream().allMatch(before -> before.utterance().ofSystem())
        && !NormalForm.of(call.get(index)).atoms().equals(first);
  }

  /** Whether it is one by its words, and not by its type. */
  private static boolean isTold(StoredMessage message) {
    return message.utterance().parts().stream().noneMatch(MemoryConfiguration::isCompaction);
  }

  /** Whether something stands behind the summary in its message. */
  private boolean goesOn(StoredMessage message) {
    List<Part> parts = message.utterance().parts();
    return !configuration.isSummary(message, parts.get(parts.size() - 1));
  }

  /** Whether a message is its client's even if nothing is behind it, so that no words are lost. */
  private boolean isSurelySummary(StoredMessage message) {
    List<Part> parts = message.utterance().parts();
    return !parts.isEmpty()
        && (configuration.announcesSummary(message)
            || (parts.size() == 1 && MemoryConfiguration.isCompaction(parts.get(0))));
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
   * not have, for it has what is summed up; and what the summary's message ends with, if the call
   * ends there.
   *
   * @param asked the last messages of the call, which are new
   */
  List<StoredMessage> stored(List<StoredMessage> asked) {
    int summed = end - call.size() + asked.size();
    if (thread.isEmpty() || summed <= 0) {
      return asked;
    }
    StoredMessage asking = asked.get(asked.size() - 1);
    if (summed == asked.size() && (!isSurelySummary(asking) || MemoryConfiguration.isTag(asking))) {
      summed--; // What the user asks, in doubt.
    }
    List<StoredMessage> stored = new ArrayList<>();
    for (int at = 0; at < summed; at++) {
      boolean isRead = at + call.size() - asked.size() == read;
      StoredMessage said = isRead ? null : behindSummary(asked.get(at));
      boolean isLast = at == asked.size() - 1;
      if (said != null && said.isOfUser() && (isLast || !isKnown(said))) {
        stored.add(said);
      }
    }
    stored.addAll(asked.subList(summed, asked.size()));
    return stored;
  }

  /** What a message says behind its summary; the message, if it holds none. */
  private @Nullable StoredMessage behindSummary(StoredMessage message) {
    for (Part part : message.utterance().parts()) {
      if (configuration.isSummary(message, part)) {
        return message.beside(part, false);
      }
    }
    return message;
  }

  /**
   * What a call that asks for a summary brings of the conversation: some clients say it there
   * alone.
   *
   * @param asked the last messages of the call, which are new
   * @param question the words that ask; empty if an item does
   */
  static List<StoredMessage> before(List<StoredMessage> asked, String question) {
    List<StoredMessage> before = new ArrayList<>();
    for (StoredMessage message : asked) {
      Part asking = null;
      for (Part part : message.utterance().parts()) {
        asking = asking == null && asks(part, question) ? part : asking;
      }
      StoredMessage said = asking == null ? message : message.beside(asking, true);
      if (said != null) {
        before.add(said);
      }
      if (asking != null) {
        break;
      }
    }
    return before;
  }

  private static boolean asks(Part part, String question) {
    return question.isEmpty()
        ? "compaction_trigger".equals(part.source().string("type"))
        : part instanceof Part.Text text && text.text().stripLeading().startsWith(question);
  }
}

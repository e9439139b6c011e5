package io.memorygateway.turn;

import io.memorygateway.format.Format;
import io.memorygateway.format.align.Aligner;
import io.memorygateway.format.align.Alignment;
import io.memorygateway.format.align.NormalForm;
import io.memorygateway.format.call.CallEntry;
import io.memorygateway.format.call.Conversation;
import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.call.RequestBody;
import io.memorygateway.format.call.UpstreamModel;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.http.errors.ApiException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a call of a thread. It is made of the call and of what was read of the thread
 * alone, and has no effects: {@link Turns} reads, recalls and opens.
 *
 * @param fresh the part of the call that goes up with the context
 * @param stored its new messages
 * @param amendment what its turn changes of the messages that the thread has
 * @param context what of the thread goes up with it, but for what is recalled; null if it goes up
 *     unchanged, as it needs nothing of the thread
 * @param recalling the call that old messages are looked for, to be added to the context
 */
record CallPlan(
    CallFacts facts,
    Conversation fresh,
    List<StoredMessage> stored,
    Amendment amendment,
    @Nullable TurnContext context,
    Recall.Call recalling) {
  private static final int MAX_NEW_MESSAGES = 10_000;
  private static final String TOO_MANY_NEW =
      "A call with x-thread-id brings at most 10000 new messages; import a longer history through"
          + " /v1/memory.";

  /**
   * The plan of a call.
   *
   * @throws ApiException 400 for messages that cannot be read, and for too many new ones
   * @throws java.util.concurrent.CancellationException if the thread is interrupted meanwhile
   */
  static CallPlan of(
      MemoryConfiguration configuration, CallFacts facts, Format format, RequestBody body) {
    Conversation call = read(format, body);
    ThreadTail tail = facts.tail();
    Conversation.Aligned aligned = tail.align(call, facts.observedSeq());
    List<StoredMessage> fresh = aligned.fresh().messages();
    if (fresh.size() > MAX_NEW_MESSAGES) {
      throw ApiException.invalidRequest(TOO_MANY_NEW);
    }
    int storedTo = aligned.alignment().storedTo();
    Recall.Call recalling =
        new Recall.Call(
            facts.caller(),
            facts.threadId(),
            facts.request().quotedResource(),
            fresh,
            tail.question(storedTo, fresh),
            facts.receivedAt());
    Amendment amendment = Amendment.of(tail, aligned, facts.version(), facts.observedSeq());
    Compaction compaction = new Compaction(configuration, call.messages(), tail.normalForms());
    List<StoredMessage> stored = withoutParts(compaction.stored(aligned.asked()));
    String summary = facts.request().question();
    boolean isShortened = summary != null && aligned.known().cut(); // the prompt was too long
    TurnContext context = null;
    if (call.upstreamHoldsHistory() || compaction.isMade() || isShortened) {
      boolean isFound = aligned.alignment().storedFrom() > 0 || !compaction.isMade();
      Alignment known = behindSummary(facts, isFound ? List.of() : stored);
      boolean repeats = known.newFrom() > 0 && known.newFrom() == stored.size();
      amendment = repeats ? Amendment.ofRepeated(tail, known.storedTo(), stored.size()) : amendment;
      stored = without(known, stored);
    } else {
      boolean withNotes = !aligned.fresh().bringsObservations();
      Instant told = recalling.question() == null ? null : facts.receivedAt();
      context =
          new ContextBuilder(tail, storedTo, withNotes, aligned.own(), told).build(fresh, call);
    }
    if (!facts.request().stored()) { // beside the conversation
      stored = summary == null ? List.of() : withoutParts(Compaction.before(stored, summary));
      boolean branches = amendment.branch() != null && !stored.isEmpty();
      amendment = branches ? amendment : Amendment.NONE;
    }
    return new CallPlan(facts, aligned.fresh(), stored, amendment, context, recalling);
  }

  private static Conversation read(Format format, RequestBody body) {
    try {
      return format.read(body);
    } catch (MalformedBodyException e) {
      throw ApiException.invalidRequest(String.valueOf(e.getMessage()));
    }
  }

  private static List<StoredMessage> withoutParts(List<StoredMessage> messages) {
    return messages.stream().map(StoredMessage::withoutParts).toList();
  }

  /**
   * Aligns what a call says behind its summary, which hides that some of it stands at the thread's
   * end: answers that broke off, and which the client has not kept, leave it there, and one that is
   * asked for again.
   */
  private static Alignment behindSummary(CallFacts facts, List<StoredMessage> said) {
    List<TailEntry> messages = facts.tail().messages();
    Alignment none = new Alignment(0, 0, messages.size());
    if (said.isEmpty() || said.stream().anyMatch(message -> message.utterance().ofModel())) {
      return none;
    }
    if (facts.isAgain()) {
      int asked = messages.size();
      while (asked > 0 && messages.get(asked - 1).ofModel()) {
        asked--;
      }
      return new Alignment(said.size(), 0, asked);
    }
    List<NormalForm> forms = said.stream().map(NormalForm::of).toList();
    Alignment found = new Aligner(forms, facts.tail().normalForms(), List.of()).align();
    return found.branch() == null ? found : none;
  }

  private static List<StoredMessage> without(Alignment known, List<StoredMessage> said) {
    List<StoredMessage> rest = new ArrayList<>(said.subList(known.newFrom(), said.size()));
    if (!rest.isEmpty()) {
      rest.set(0, CallEntry.without(rest.get(0), known.knownParts()));
    }
    return rest;
  }

  /** Whether messages of the thread are not sent any more. */
  boolean hasOld() {
    return facts.observedSeq() >= 0 || (context != null && context.elided() > 0);
  }

  /**
   * The call as it goes up.
   *
   * @param recalled the context with the recalled messages; null without a context
   */
  PreparedCall prepared(Format format, UpstreamModel model, @Nullable TurnContext recalled) {
    return new PreparedCall(
        stored,
        facts.request().stored(),
        amendment,
        facts.turnCall(stored.size()),
        recalled,
        recalled == null
            ? format.prepare(fresh.body(), model)
            : format.write(fresh, model, recalled.toMemoryContext()));
  }
}

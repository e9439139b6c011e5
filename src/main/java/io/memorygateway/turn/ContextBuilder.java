package io.memorygateway.turn;

import io.memorygateway.format.call.Conversation;
import io.memorygateway.format.call.MemoryContext;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.observation.ContextConfig;
import io.memorygateway.observation.ContextNotes;
import io.memorygateway.observation.text.TokenCounter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Builds the context of a call from the tail of its thread, within the thread's bound (contract
 * §8). Messages that the call needs although they exceed the bound, such as calls of tools that it
 * has results of, go upstream in a short form.
 */
final class ContextBuilder {
  /** Divisor of the tokens for messages: the part that all short forms together may take. */
  private static final int SHORT_FORMS = 4;

  /** Tokens; a shorter form would say nothing. */
  private static final int MIN_SHORT_FORM_TOKENS = 40;

  private static final int CHARACTERS_PER_TOKEN = 4;

  private final ThreadTail tail;
  private final ContextNotes notes;
  private final Conversation.Own own;
  private final @Nullable Instant now;
  private final int first;
  private final int end;
  private final TokenCounter counter = new TokenCounter();

  /**
   * @param end number of the tail's messages that the call follows
   * @param withNotes whether the observations are sent
   * @param own what the call says otherwise than the tail
   * @param now when a user says something; null for other calls, which are not told the date
   */
  ContextBuilder(
      ThreadTail tail, int end, boolean withNotes, Conversation.Own own, @Nullable Instant now) {
    this.tail = tail;
    this.own = own;
    this.now = now;
    this.notes = withNotes ? tail.notes() : ContextNotes.NONE;
    this.end = end;
    this.first = Math.min(Math.max(tail.firstHeld(), own.instead()), end);
  }

  /** What the user said last, of a call that goes on with it; null if its new messages say it. */
  private @Nullable StoredMessage question(Conversation call, List<StoredMessage> fresh) {
    if (fresh.isEmpty() || fresh.stream().anyMatch(StoredMessage::isOfUser)) {
      return null;
    }
    List<StoredMessage> all = call.messages();
    for (int at = all.size() - 1; at >= 0; at--) {
      if (all.get(at).isOfUser()) {
        return all.get(at);
      }
    }
    return own.instead() > 0 ? null : tail.askedBefore(end);
  }

  /**
   * Builds the context, without recall.
   *
   * @param fresh the new messages of the call
   * @param call all of it: what the user said last in it, or else in the thread, is sent, if it
   *     goes on with that, whatever of the thread is observed or left out
   */
  TurnContext build(List<StoredMessage> fresh, Conversation call) {
    return build(fresh, question(call, fresh));
  }

  /** Builds the context of a call of new messages alone. */
  TurnContext build(List<StoredMessage> fresh) {
    return build(fresh, (StoredMessage) null);
  }

  private TurnContext build(List<StoredMessage> fresh, @Nullable StoredMessage question) {
    ContextConfig config = tail.config();
    long tokenBudget = config.tokensBeside(notes.tokens());
    Set<String> answered = new HashSet<>();
    for (StoredMessage message : fresh) {
      if (!message.type().equals("text")) {
        answered.addAll(message.resultIds());
      }
    }
    ContextCut cut = new ContextCut(tail.messages(), first, end, tail.elided() > 0);
    int from = cut.within(tokenBudget);
    Set<Integer> needed = needed(from, answered, tokenBudget);
    if (!needed.isEmpty()) {
      from = cut.within(tokenBudget - tokenBudget / SHORT_FORMS);
      needed = needed(from, answered, tokenBudget);
    }
    StoredMessage first = null;
    if (question != null && isMissing(question, from)) {
      long max = tokenBudget / SHORT_FORMS;
      first = counter.countContent(question.content()) <= max ? question : shortened(question, max);
      from = Math.max(from, cut.within(tokenBudget - counter.countContent(first.content())));
      needed = needed(from, answered, tokenBudget);
    }
    return context(from, needed, tokenBudget / SHORT_FORMS, fresh.isEmpty(), first);
  }

  /**
   * Assembles the context.
   *
   * @param repeats whether the call has no new messages: then its last message is the caller's own,
   *     and goes upstream as the caller sent it
   */
  private TurnContext context(
      int from,
      Set<Integer> needed,
      long shortFormBudget,
      boolean repeats,
      @Nullable StoredMessage question) {
    long bound = tail.config().bound();
    List<StoredMessage> stored = new ArrayList<>(own.before(from));
    if (question != null) {
      stored.add(question);
    }
    int before = stored.size() + needed.size();
    long tokens = notes.tokens();
    long cost = tokens + (question == null ? 0 : counter.countContent(question.content()));
    for (StoredMessage message : stored) {
      tokens += counter.countContent(message.content());
    }
    for (int at : needed) {
      StoredMessage message =
          shortened(
              tail.messages().get(at).heldMessage().message(), shortFormBudget / needed.size());
      int shortTokens = counter.countContent(message.content());
      stored.add(message);
      tokens += shortTokens;
      cost += shortTokens + ContextConfig.ENVELOPE;
    }
    int orphans = 0;
    Set<String> calls = new HashSet<>();
    needed.forEach(at -> calls.addAll(tail.messages().get(at).heldMessage().calls()));
    for (int at = from; at < end; at++) {
      TailEntry entry = tail.messages().get(at);
      ContextMessage message = entry.heldMessage();
      if (!message.calls().isEmpty()) {
        calls.addAll(message.calls());
      }
      if (entry.type().equals("tool-result")
          && message.results().stream().noneMatch(calls::contains)) {
        orphans++; // no upstream takes a result without its call
        continue;
      }
      StoredMessage changed = own.changed().get(at);
      StoredMessage known = repeats && at == end - 1 ? message.stored() : message.message();
      stored.add(changed == null ? known : changed);
      tokens += changed == null ? message.tokens() : counter.countContent(changed.content());
      cost += message.cost();
    }
    long missing = own.instead() > 0 ? 0 : tail.elided();
    boolean shown =
        question != null
            && tail.messages().subList(first, from).stream().anyMatch(TailEntry::ofUser);
    long elided = missing + (from - first - needed.size()) + orphans - (shown ? 1 : 0);
    boolean saysElided = elided > 0 && cost + ContextConfig.ELISION_LINE <= bound;
    if (saysElided) {
      tokens += counter.count(MemoryContext.elision(elided));
      cost += ContextConfig.ELISION_LINE;
    }
    int firstShown = needed.isEmpty() ? from : needed.iterator().next();
    boolean isPart = notes.text() != null || elided > 0 || from > before;
    TurnContext.Recalled today =
        today(isPart, firstShown < end ? tail.messages().get(firstShown) : null);
    if (today != null && cost + today.tokens() + ContextConfig.ENVELOPE <= bound) {
      tokens += today.tokens();
      cost += today.tokens() + ContextConfig.ENVELOPE;
    } else {
      today = null;
    }
    return new TurnContext(
        notes,
        List.copyOf(stored),
        from - before,
        elided,
        elided > 0 || !needed.isEmpty(),
        saysElided,
        tokens,
        Math.max(0, Math.min(tail.config().recallTokens(), bound - cost)),
        firstShown < tail.messages().size()
            ? tail.messages().get(firstShown).seq()
            : Long.MAX_VALUE,
        today);
  }

  /**
   * The line of today's date, where something is sent that another day's calls have said.
   *
   * @param isPart whether a part of the thread is not sent as it is stored
   * @param oldest the oldest message that is sent; null if none is
   */
  private TurnContext.@Nullable Recalled today(boolean isPart, @Nullable TailEntry oldest) {
    ContextConfig config = tail.config();
    DateLine dates = new DateLine(config.timeZone());
    Instant since = oldest == null ? null : oldest.createdAt();
    boolean isOld = isPart || (since != null && now != null && !dates.isSameDay(since, now));
    if (now == null || !isOld || !config.timeMarks()) {
      return null;
    }
    String line = dates.today(now, since);
    return new TurnContext.Recalled(line, 0, counter.count(line));
  }

  /**
   * Indexes of the messages before a cut that have to be sent: calls that are answered now, with
   * the results that they have already; and the newest message, if there is nothing else to send.
   */
  private Set<Integer> needed(int from, Set<String> answered, long tokenBudget) {
    Set<Integer> needed = new TreeSet<>();
    Set<String> open = new HashSet<>(answered);
    if (from == end && end > first && tokenBudget >= MIN_SHORT_FORM_TOKENS) {
      needed.add(end - 1);
      open.addAll(tail.messages().get(end - 1).heldMessage().results());
    }
    // Of calls that have the same id, the last one.
    tail.messages()
        .subList(from, end)
        .forEach(entry -> entry.heldMessage().calls().forEach(open::remove));
    Set<String> calls = new HashSet<>();
    for (int at = from - 1; at >= first && !open.isEmpty(); at--) {
      ContextMessage message = tail.messages().get(at).heldMessage();
      if (message.calls().stream().anyMatch(open::contains)) {
        needed.add(at);
        message.calls().forEach(open::remove);
        calls.addAll(message.calls());
      }
    }
    if (needed.isEmpty()) {
      return needed;
    }
    for (int at = needed.iterator().next(); at < from; at++) {
      if (tail.messages().get(at).heldMessage().results().stream().anyMatch(calls::contains)) {
        needed.add(at);
      }
    }
    return needed;
  }

  /** Whether nothing that is sent is of the user, so that the newest of the user's is not. */
  private boolean isMissing(StoredMessage question, int from) {
    String text = question.text();
    return tail.messages().subList(from, end).stream().noneMatch(TailEntry::ofUser)
        && own.before(from).stream().noneMatch(message -> message.text().equals(text));
  }

  private StoredMessage shortened(StoredMessage message, long max) {
    int characters = (int) Math.min(max * CHARACTERS_PER_TOKEN, Integer.MAX_VALUE);
    StoredMessage shorter = message.shortened(characters);
    while (characters > 0 && counter.countContent(shorter.content()) > max) {
      characters /= 2;
      shorter = message.shortened(characters);
    }
    return shorter;
  }
}

package io.memorygateway.turn;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import io.memorygateway.auth.Caller;
import io.memorygateway.bench.cache.CacheUsage;
import io.memorygateway.bench.cache.PromptBlock;
import io.memorygateway.bench.cache.PromptCache;
import io.memorygateway.format.Format;
import io.memorygateway.format.call.Conversation;
import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.call.ProviderTraits;
import io.memorygateway.format.call.RequestBody;
import io.memorygateway.format.call.UpstreamModel;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.translation.Terms;
import io.memorygateway.format.translation.Translation;
import io.memorygateway.format.translation.Translator;
import io.memorygateway.memory.rows.MessageRow;
import io.memorygateway.observation.ContextConfig;
import io.memorygateway.observation.ContextNotes;
import io.memorygateway.observation.RecallScope;
import io.memorygateway.observation.text.TokenCounter;
import io.memorygateway.search.Hit;
import io.memorygateway.search.Passages;
import io.memorygateway.search.Search;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * A thread over many turns as the gateway sends it up, without a database: it is observed when it
 * has grown, late at times, so that messages are elided; days pass; and old messages are quoted.
 */
public final class LongThread {
  private static final Caller CALLER = new Caller(1, 1, "p", "p", "msk_t", Map.of());
  private static final Instant START = Instant.parse("2026-03-02T09:00:00Z");

  /** Turns of which one is the first of a day. */
  private static final int TURNS_A_DAY = 15;

  /** The share of a log to what was observed. */
  private static final int CONDENSED = 8;

  /** What is done for a thread. */
  public enum Memory {
    /** The client sends all that was said, and there is no gateway. */
    FULL_HISTORY,
    WITHOUT_RECALL,
    WITH_RECALL
  }

  /**
   * What the calls of a thread cost.
   *
   * @param kept the share of each prompt that the next one begins with, on average
   */
  public record Cost(CacheUsage usage, double kept, int quoted, int elided, int observed) {}

  private final Memory memory;
  private final LongTalk.Endpoint endpoint;
  private final Format format;
  private final LongTalk talk;
  private final boolean toMessages;
  private final PromptCache cache;
  private final ContextConfig config;
  private final Random random;
  private final TokenCounter counter = new TokenCounter();
  private final List<MessageRow> rows = new ArrayList<>();
  private final Map<Long, Integer> counted = new HashMap<>();
  private final List<String> history = new ArrayList<>();
  private final StringBuilder log = new StringBuilder();
  private final Recall recall;
  private List<PromptBlock> before = List.of();
  private CacheUsage usage = CacheUsage.NONE;
  private double kept;
  private int prompts;
  private int quoted;
  private int elided;
  private int observations;
  private int observed;
  private int logTokens;
  private ThreadTail tail;
  private Instant now = START;

  public LongThread(
      Memory memory,
      LongTalk.Endpoint endpoint,
      LongTalk.Marks marks,
      ContextConfig config,
      long seed) {
    this(memory, endpoint, marks, config, seed, false);
  }

  private LongThread(
      Memory memory,
      LongTalk.Endpoint endpoint,
      LongTalk.Marks marks,
      ContextConfig config,
      long seed,
      boolean toMessages) {
    this.toMessages = toMessages;
    this.memory = memory;
    this.endpoint = endpoint;
    this.format = endpoint.format();
    this.talk = new LongTalk(endpoint, marks, seed);
    this.cache =
        endpoint == LongTalk.Endpoint.MESSAGES || toMessages
            ? PromptCache.marked()
            : PromptCache.automatic();
    this.config = config;
    this.random = new Random(seed);
    this.tail = ThreadTail.empty(config);
    this.recall =
        new Recall(
            (caller, asked, timeout, heap) ->
                new Search.Recalled(found(asked.before()), Passages.NONE),
            Duration.ofMinutes(5),
            null,
            System::nanoTime,
            new PrometheusRegistry());
  }

  /** A thread whose calls of another format go to a provider of Messages. */
  static LongThread translated(Memory memory, LongTalk.Endpoint endpoint) {
    return new LongThread(memory, endpoint, LongTalk.Marks.NOTHING, shipped(), 1, true);
  }

  /** The shipped limits. */
  public static ContextConfig shipped() {
    return new ContextConfig(30_000, 40_000, 2_000, RecallScope.THREAD, true, ZoneOffset.UTC);
  }

  /** The cost of so many turns. */
  public Cost run(int turns) {
    return run(turns, turns, turns);
  }

  /** The same with observers that rest for some turns. */
  public Cost run(int turns, int from, int to) {
    for (int turn = 0; turn < turns; turn++) {
      boolean newDay = turn % TURNS_A_DAY == TURNS_A_DAY - 1;
      now = now.plus(newDay ? Duration.ofHours(20) : Duration.ofMinutes(2));
      for (LongTalk.Step step : talk.turn()) {
        call(step);
      }
      boolean isLate = turn >= from && turn < to;
      if (!isLate && pending() > config.messageTokens()) {
        observe();
      }
    }
    return new Cost(usage, kept / (prompts - 1), quoted, elided, observations);
  }

  private void call(LongTalk.Step step) {
    List<StoredMessage> asked;
    if (memory == Memory.FULL_HISTORY) {
      unmark(talk.marksAgain());
      history.addAll(step.fresh());
      send(talk.body(history));
      history.addAll(step.said());
      return;
    }
    Conversation call = read(talk.body(step.fresh()));
    Conversation.Aligned aligned = tail.align(call, -1);
    asked = aligned.fresh().messages();
    boolean withNotes = tail.notes().text() != null;
    Recall.Call recalling = new Recall.Call(CALLER, "t", null, asked, null, now);
    TurnContext context =
        new ContextBuilder(
                tail,
                aligned.alignment().storedTo(),
                withNotes,
                aligned.own(),
                recalling.question() == null ? null : now)
            .build(asked, call);
    if (memory == Memory.WITH_RECALL && (observed > 0 || context.elided() > 0)) {
      context = recall.addTo(context, config, true, recalling);
    }
    quoted += context.headerValue().endsWith("recalled=0") ? 0 : 1;
    elided += context.elided() > 0 ? 1 : 0;
    UpstreamModel model = new UpstreamModel("m", ProviderTraits.ALL, 0);
    send(upstream(format.write(aligned.fresh(), model, context.toMemoryContext())));
    List<MessageRow> added = new ArrayList<>();
    for (StoredMessage message : aligned.asked()) {
      added.add(row(message, added.size()));
    }
    for (StoredMessage message : format.answer(step.answer())) {
      added.add(row(message, added.size()));
    }
    rows.addAll(added);
    tail = tail.with(added);
  }

  /** The body as a provider of Messages gets it, if it is the target. */
  private String upstream(byte[] body) {
    if (!toMessages) {
      return new String(body, UTF_8);
    }
    UpstreamModel model = new UpstreamModel("m", ProviderTraits.ALL, 0);
    Terms terms =
        new Terms(
            model, "m", 9L, "max_tokens", Terms.Reasoning.EFFORT, Map.of(), Set.of(), "t", true);
    try {
      Translator messages = new MessagesFormat().translator();
      return new String(
          Translation.of(
                  format.translator(), messages, body, () -> body, terms, null, () -> 0, text -> 0)
              .body(),
          UTF_8);
    } catch (MalformedBodyException e) {
      throw new IllegalArgumentException(new String(body, UTF_8), e);
    }
  }

  /** Leaves so many of the newest marks in what was said, for those of the next call. */
  private void unmark(int left) {
    int marks = 0;
    for (int at = history.size() - 1; at >= 0; at--) {
      if (history.get(at).contains("\"cache_control\"") && ++marks > left) {
        history.set(at, history.get(at).replaceAll(",\"cache_control\":[^}]*}", ""));
        return;
      }
    }
  }

  private void send(String body) {
    JsonNode tree = PromptBlock.tree(body);
    List<PromptBlock> prompt = PromptBlock.of(tree);
    usage = usage.plus(cache.send(prompt, tree.path("cache_control")));
    if (prompts++ > 0) {
      kept += (double) PromptBlock.shared(before, prompt) / PromptBlock.tokens(before);
    }
    before = prompt;
  }

  private Conversation read(String body) {
    try {
      return format.read(RequestBody.parse(body.getBytes(UTF_8)));
    } catch (MalformedBodyException e) {
      throw new IllegalArgumentException(body, e);
    }
  }

  private MessageRow row(StoredMessage message, int more) {
    long seq = rows.size() + (long) more;
    return new MessageRow(
        seq, "m" + seq, message.role(), message.type(), message.content(), now, false, false);
  }

  private long pending() {
    return rows.subList(observed, rows.size()).stream().mapToLong(this::tokens).sum();
  }

  private int tokens(MessageRow row) {
    return counted.computeIfAbsent(row.seq(), seq -> counter.countContent(row.content()));
  }

  /** Observes all but the newest fifth, as the observer does. */
  private void observe() {
    long rest = config.messageTokens() / 5;
    int to = rows.size();
    while (to > observed && rest > 0) {
      rest -= tokens(rows.get(--to));
    }
    while (to > observed && !isOfUser(rows.get(to))) {
      to--;
    }
    long tokens = 0;
    for (MessageRow row : rows.subList(observed, to)) {
      tokens += tokens(row);
    }
    log.append(log.isEmpty() ? "" : "\n")
        .append("Date: Mar ")
        .append(++observations)
        .append(", 2026");
    for (long words = 0; words < tokens / CONDENSED; words += 20) {
      log.append("\n* User: ")
          .append(new LongTalk(endpoint, LongTalk.Marks.NOTHING, words + to).words(20));
    }
    observed = to;
    logTokens = counter.count(log.toString());
    ContextNotes notes =
        ContextNotes.of(
            new ContextNotes.LogEnd(log.toString(), 0, logTokens),
            "Plans of the " + observations + ". week.",
            null,
            config.maxObservationTokens());
    List<TailEntry.Text> texts = new ArrayList<>();
    for (int at = Math.max(0, to - ThreadTail.WITNESSES); at < rows.size(); at++) {
      texts.add(text(rows.get(at), at >= to));
    }
    tail = ThreadTail.read(config, notes, 0, texts);
  }

  private static boolean isOfUser(MessageRow row) {
    return new StoredMessage(row.role(), row.content(), row.type()).isOfUser();
  }

  private static TailEntry.Text text(MessageRow row, boolean sent) {
    TailRow outline =
        new TailRow(
            row.seq(),
            row.role(),
            row.type(),
            row.createdAt(),
            false,
            false,
            null,
            row.content().getBytes(UTF_8).length,
            row.content());
    return new TailEntry.Text(outline, row.content(), sent);
  }

  /** Old messages with their neighbours, others at each call; one call in five finds nothing. */
  private List<Hit> found(long end) {
    List<Hit> hits = new ArrayList<>();
    int number = random.nextInt(5) == 0 ? 0 : 8;
    for (int hit = 0; hit < number; hit++) {
      int at = random.nextInt((int) Math.min(end, rows.size()));
      hits.add(
          new Hit("t", null, rows.get(at), 1, List.of(), neighbour(at - 1), neighbour(at + 1)));
    }
    return hits;
  }

  private List<MessageRow> neighbour(int at) {
    MessageRow row = at >= 0 && at < rows.size() ? rows.get(at) : null;
    return row == null ? List.<MessageRow>of() : List.of(row);
  }
}

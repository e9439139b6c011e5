package io.memorygateway.turn;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.Calls;
import io.memorygateway.format.Format;
import io.memorygateway.format.call.Conversation;
import io.memorygateway.format.call.RequestBody;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.responses.ResponsesFormat;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.memory.rows.MessageRow;
import io.memorygateway.observation.ContextConfig;
import io.memorygateway.observation.ContextNotes;
import io.memorygateway.observation.RecallScope;
import io.memorygateway.observation.text.TokenCounter;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §8: the context is bounded in every state, whatever a thread holds. */
class ContextBoundTest {
  private static final TokenCounter COUNTER = new TokenCounter();
  private static final Instant START = Instant.parse("2026-11-20T09:00:00Z");

  private final Map<String, Integer> counts = new HashMap<>();

  /** The three endpoints, each with a call that brings messages. */
  enum Endpoint {
    CHAT(new ChatFormat()),
    MESSAGES(new MessagesFormat()),
    RESPONSES(new ResponsesFormat());

    @SuppressWarnings("ImmutableEnumChecker") // Formats have no state.
    private final Format format;

    Endpoint(Format format) {
      this.format = format;
    }

    Format format() {
      return format;
    }

    String messagesMember() {
      return this == RESPONSES ? "input" : "messages";
    }

    String result(String id) {
      return switch (this) {
        case CHAT -> "{\"role\":\"tool\",\"tool_call_id\":\"" + id + "\",\"content\":\"done\"}";
        case MESSAGES ->
            "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\""
                + id
                + "\",\"content\":\"done\"}]}";
        case RESPONSES ->
            "{\"type\":\"function_call_output\",\"call_id\":\"" + id + "\",\"output\":\"done\"}";
      };
    }

    Conversation read(String message) {
      return read(List.of(message));
    }

    Conversation read(List<String> messages) {
      String body =
          "{\"model\":\"m\",\"" + messagesMember() + "\":[" + String.join(",", messages) + "]}";
      try {
        return format.read(RequestBody.parse(body.getBytes(UTF_8)));
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Endpoint.class)
  void whatMemoryAddsIsWithinTheBoundAndEachMessageIsSentOrCounted(Endpoint endpoint) {
    for (int seed = 0; seed < 25; seed++) {
      Random random = new Random(seed);
      ContextConfig config = config(random);
      ContextNotes notes = notes(random, config);
      ThreadTail tail = ThreadTail.read(config, notes, 0, List.of());
      Set<String> pending = new HashSet<>();
      int stored = 0;
      int turns = 1 + random.nextInt(14);
      for (int turn = 0; turn < turns; turn++) {
        List<MessageRow> rows = turn(stored, random, pending);
        stored += rows.size();
        tail = tail.with(rows);
        String question =
            pending.isEmpty() || random.nextInt(4) == 0
                ? "{\"role\":\"user\",\"content\":\"And now?\"}"
                : endpoint.result(pending.iterator().next());
        Conversation call = endpoint.read(question);
        List<StoredMessage> fresh = call.messages();

        TurnContext context =
            new ContextBuilder(
                    tail,
                    tail.messages().size(),
                    true,
                    Conversation.Own.NONE,
                    START.minusSeconds(1))
                .build(fresh);

        assertThat(context.stored().size() + context.elided())
            .as("messages of seed %s", seed)
            .isEqualTo(stored);
        byte[] body = endpoint.format.write(call, Calls.model("m"), context.toMemoryContext());
        long added = tokens(body) - COUNTER.countContent("\"And now?\"");
        if (config.bound() >= 500) {
          assertThat(added)
              .as("tokens of seed %s, turn %s: %s", seed, turn, context.headerValue())
              .isLessThanOrEqualTo(config.bound());
          assertThat(context.tokens()).isBetween(added * 9 / 10 - 20, config.bound());
        }
        assertPairs(body, seed);
      }
    }
  }

  @Test
  void aThreadInWhichNothingIsLateIsSentWhole() {
    ContextConfig config =
        new ContextConfig(30_000, 40_000, 2_000, RecallScope.THREAD, true, ZoneOffset.UTC);
    ThreadTail tail = ThreadTail.empty(config);
    for (int i = 0; i < 290; i++) {
      tail = tail.with(List.of(row(i, i % 2 == 0 ? "user" : "assistant", "\"" + words(i) + "\"")));
    }

    TurnContext context =
        new ContextBuilder(tail, tail.messages().size(), true, Conversation.Own.NONE, null)
            .build(List.of());

    assertThat(context.tokens()).isBetween(15_000L, 30_000L);
    assertThat(context.elided()).isZero();
    assertThat(context.stored()).hasSize(290);
  }

  @ParameterizedTest
  @ValueSource(ints = {50, 300, 1_000, 2_000, 30_000})
  void whatIsKnownTakesNoRoomOfMessagesWithinTheirThreshold(int threshold) {
    ContextConfig config =
        new ContextConfig(
            threshold, 2 * threshold, 2_000, RecallScope.THREAD, true, ZoneOffset.UTC);
    String facts = "* 🔴 (09:30) " + words(400) + "\n";
    ContextNotes notes =
        ContextNotes.NONE.knowing(facts.repeat(3), config.maxKnownTokens(2_000, 0));
    assertThat(notes.knownTokens()).isEqualTo(notes.tokens()).isLessThanOrEqualTo(2_150);
    assertThat(notes.known() == null).isEqualTo(threshold < 300);
    ThreadTail tail = ThreadTail.empty(config, notes);
    long tokens = 0;
    for (int i = 0; tokens + 30 < threshold - 4L * i; i++) {
      tail = tail.with(List.of(row(i, i % 2 == 0 ? "user" : "assistant", "\"" + words(30) + "\"")));
      TurnContext context =
          new ContextBuilder(tail, tail.messages().size(), true, Conversation.Own.NONE, null)
              .build(List.of());
      assertThat(context.elided()).isZero();
      assertThat(context.tokens()).isBetween((long) notes.tokens() + i, config.bound());
      tokens = context.tokens() - notes.tokens();
    }
    assertThat(tail.alone().notes()).isEqualTo(ContextNotes.NONE);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7})
  void whileAThreadGrowsTheCutMovesInSteps(int ofSeed) {
    ContextConfig config =
        new ContextConfig(5_000, 5_000, 0, RecallScope.THREAD, false, ZoneOffset.UTC);
    ThreadTail tail = ThreadTail.empty(config);
    Random random = new Random(ofSeed);
    List<Long> cuts = new ArrayList<>();
    for (int i = 0; i < 700; i++) {
      String text = words(random.nextInt(1000));
      tail = tail.with(List.of(row(i, i % 2 == 0 ? "user" : "assistant", "\"" + text + "\"")));
      TurnContext context =
          new ContextBuilder(tail, tail.messages().size(), true, Conversation.Own.NONE, null)
              .build(List.of());
      assertThat(context.tokens()).isLessThanOrEqualTo(config.bound());
      if (context.elided() > 0) {
        assertThat(context.tokens()).isGreaterThan(config.bound() * 6 / 10);
        cuts.add(context.firstSent());
      }
    }
    assertThat(cuts).hasSizeGreaterThan(400).isSorted();
    assertThat(new HashSet<>(cuts)).hasSizeLessThan(cuts.size() / 6);
  }

  @Test
  void theCutIsTheSameForANodeThatReadsTheThreadAnew() {
    ContextConfig config =
        new ContextConfig(2_000, 2_000, 0, RecallScope.THREAD, true, ZoneOffset.UTC);
    ThreadTail grown = ThreadTail.empty(config);
    List<TailEntry.Text> texts = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      MessageRow row = row(i, i % 2 == 0 ? "user" : "assistant", "\"" + words(i) + "\"");
      grown = grown.with(List.of(row));
      texts.add(text(row));
      if (i > 200 && i % 13 == 0) {
        ThreadTail read = ThreadTail.read(config, ContextNotes.NONE, 0, texts);
        TurnContext one =
            new ContextBuilder(grown, grown.messages().size(), true, Conversation.Own.NONE, null)
                .build(List.of());
        TurnContext other =
            new ContextBuilder(read, read.messages().size(), true, Conversation.Own.NONE, null)
                .build(List.of());
        assertThat(one.firstSent()).isEqualTo(other.firstSent());
        assertThat(one.stored()).isEqualTo(other.stored());
      }
    }
  }

  @Test
  void ofALogThatIsTooLargeTheEndIsSent() {
    StringBuilder log = new StringBuilder();
    long max = 1_000;
    Set<String> beginnings = new HashSet<>();
    long tokens = 0;
    for (int day = 1; day <= 28; day++) {
      log.append(day == 1 ? "" : "\n").append("Date: Nov ").append(day).append(", 2026");
      for (int line = 0; line < 10; line++) {
        String last = "\n* User: thing " + day + " of " + line + words(line);
        String text = log.append(last).toString();
        tokens += COUNTER.count(last) + 8;
        ContextNotes notes =
            ContextNotes.of(new ContextNotes.LogEnd(text, 0, tokens), "a task", null, max);
        assertThat(notes.tokens()).isLessThanOrEqualTo((int) max);
        String sent = String.valueOf(notes.text());
        assertThat(COUNTER.count(sent)).isLessThanOrEqualTo(notes.tokens());
        assertThat(sent).contains(last, "</observations>");
        assertThat(notes.observations()).isPositive();
        if (sent.contains("(Older notes are not shown.)")) {
          assertThat(sent).contains("not shown.)\nDate: Nov ");
          assertThat(notes.tokens()).isGreaterThan(600);
          beginnings.add(sent.substring(sent.indexOf("not shown.)"), sent.indexOf("* User") + 40));
        }
      }
    }
    assertThat(beginnings).hasSizeBetween(5, 93);
  }

  private static ContextConfig config(Random random) {
    int[] thresholds = {1, 50, 300, 1_000, 2_000};
    return new ContextConfig(
        thresholds[random.nextInt(thresholds.length)],
        thresholds[random.nextInt(thresholds.length)],
        random.nextBoolean() ? 2_000 : 0,
        RecallScope.THREAD,
        random.nextBoolean(),
        ZoneOffset.UTC);
  }

  private static ContextNotes notes(Random random, ContextConfig config) {
    String log = "Date: Nov 20, 2026" + ("\n* User: " + words(5)).repeat(random.nextInt(85));
    return random.nextInt(3) == 0
        ? ContextNotes.NONE
        : ContextNotes.of(
            new ContextNotes.LogEnd(log, 0, COUNTER.count(log)),
            random.nextBoolean() ? null : words(random.nextInt(100)),
            null,
            config.maxObservationTokens());
  }

  /** Messages of a turn, whose calls may stay without results. */
  private static List<MessageRow> turn(int seq, Random random, Set<String> pending) {
    List<MessageRow> rows = new ArrayList<>();
    int at = seq;
    rows.add(row(at++, "user", answerId(random)));
    if (random.nextInt(3) == 0) {
      pending.clear();
      int calls = 1 + random.nextInt(3);
      for (int i = 0; i < calls; i++) {
        String id = "call_" + at + "_" + i;
        pending.add(id);
      }
      rows.add(row(at++, "assistant", calls(pending, random)));
      for (String id : List.copyOf(pending)) {
        if (random.nextInt(3) > 0) {
          rows.add(
              row(
                  at++,
                  "tool",
                  "{\"tool_call_id\":\"" + id + "\",\"content\":" + answerId(random) + "}"));
          pending.remove(id);
        }
      }
      if (!pending.isEmpty()) {
        return rows;
      }
    }
    pending.clear();
    rows.add(row(at, "assistant", answerId(random)));
    return rows;
  }

  private static String calls(Set<String> ids, Random random) {
    List<String> calls = new ArrayList<>();
    for (String id : ids) {
      String arguments = "{\"a\":" + answerId(random) + "}";
      calls.add(
          "{\"id\":\"%s\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":%s}}"
              .formatted(id, JsonWriter.quote(arguments)));
    }
    return "{\"content\":null,\"tool_calls\":[" + String.join(",", calls) + "]}";
  }

  private static String answerId(Random random) {
    return switch (random.nextInt(8)) {
      case 0 -> "\"ok\"";
      case 1 -> JsonWriter.quote(words(random.nextInt(100)).repeat(1 + random.nextInt(5)));
      case 2 -> JsonWriter.quote("漢字かな".repeat(1 + random.nextInt(100)));
      case 3 -> JsonWriter.quote("x".repeat(random.nextInt(5_000)));
      default -> JsonWriter.quote(words(random.nextInt(100)));
    };
  }

  private static String words(int number) {
    return " So it is said that thing " + number + " was seen on its way".repeat(1 + number % 20);
  }

  private static MessageRow row(long seq, String role, String content) {
    return new MessageRow(
        seq,
        "m" + seq,
        role,
        StoredMessage.typeOf(content),
        content,
        START.plus(Duration.ofHours(seq)),
        false,
        false);
  }

  private static TailEntry.Text text(MessageRow row) {
    return new TailEntry.Text(
        new TailRow(
            row.seq(),
            row.role(),
            row.type(),
            row.createdAt(),
            false,
            false,
            null,
            row.content().getBytes(UTF_8).length,
            row.content()),
        row.content(),
        true);
  }

  /** Of all that a body says: its system prompt and its messages. */
  private long tokens(byte[] body) {
    JsonValue root = JsonValue.of(new String(body, UTF_8));
    long tokens = 0;
    JsonValue system = root.get("system");
    if (system != null) {
      tokens += count(system);
    }
    JsonValue messages = root.get("messages");
    for (JsonValue message : (messages == null ? required(root, "input") : messages).items()) {
      tokens += count(message);
    }
    return tokens;
  }

  /** The bodies of a thread have most of their messages in common. */
  private int count(JsonValue content) {
    return counts.computeIfAbsent(content.raw(), COUNTER::countContent);
  }

  private static JsonValue required(JsonValue object, String member) {
    JsonValue value = object.get(member);
    assertThat(value).as(member).isNotNull();
    return value;
  }

  /** Every call has its result behind it, and every result its call before it. */
  private static void assertPairs(byte[] body, int seed) {
    JsonValue root = JsonValue.of(new String(body, UTF_8));
    JsonValue messages = root.get("messages");
    Set<String> open = new HashSet<>();
    for (JsonValue message : (messages == null ? required(root, "input") : messages).items()) {
      StoredMessage read =
          new StoredMessage(
              message.text("role").isEmpty() ? "user" : message.text("role"),
              message.raw(),
              "mixed");
      for (String id : read.resultIds()) {
        assertThat(open.remove(id)).as("call of the result %s, seed %s", id, seed).isTrue();
      }
      open.addAll(read.callIds());
    }
    assertThat(open).as("calls without results, seed %s", seed).isEmpty();
  }
}

package io.memorygateway.format;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.memorygateway.format.call.Conversation;
import io.memorygateway.format.call.MemoryContext;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.json.CanonicalJson;
import io.memorygateway.json.JsonValue;
import io.memorygateway.testing.Runs;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What is stored of an answer is what the maker's SDK makes of it, streamed or whole; what goes up
 * in the next call passes the checker of its format, and has all that the caller sent, once.
 */
class WhatGoesUpPropertyTest {
  private static final Set<String> WORDS = Set.of("qst", "ans", "tht", "sig", "enc", "res", "sum");

  /**
   * Habits that content alone does not tell: a history of which nothing is known looks like another
   * one, and marks of clients tell it ({@code Sessions}).
   */
  private static final Set<ClientHabit> MISUNDERSTOOD = EnumSet.of(ClientHabit.SUMMARISES);

  /** Habits of which the thread's beginning goes up as the client says it. */
  private static final Set<ClientHabit> PARTS =
      EnumSet.of(
          ClientHabit.SUMMARISES_BUT_THE_LAST_TURN,
          ClientHabit.MERGES_QUESTIONS,
          ClientHabit.PUTS_WORDS_FIRST);

  private static final int RUNS = Runs.of(20);
  private static final int RUNS_OF_A_KIND = 2;
  private static final int STEPS = 8;

  static Set<ClientHabit> understood() {
    return EnumSet.complementOf(EnumSet.copyOf(MISUNDERSTOOD));
  }

  @ParameterizedTest
  @EnumSource
  void storesWhatTheSdkMakesOfAStream(AnswerKind kind) {
    for (int seed = 0; seed < RUNS; seed++) {
      JsonNode answer = kind.answer(seed);
      Format format = kind.wire().format();
      List<StoredMessage> whole = format.answer(kind.wire().whole(answer));
      String stream = StreamedAnswer.of(kind.wire(), answer, new Random(seed));
      List<StoredMessage> streamed =
          Assembled.feedAsIs(format, stream, 1 << 20, Assembled.ENOUGH).messages();

      assertThat(words(streamed.toString())).isEqualTo(words(answer.toString()));
      assertThat(forms(streamed)).as(stream).isEqualTo(forms(whole));
    }
  }

  @ParameterizedTest
  @EnumSource
  void sendsUpWhatItsMakerTakes(AnswerKind kind) {
    for (int seed = 0; seed < RUNS; seed++) {
      for (ClientHabit habit : List.of(ClientHabit.SENDS_ALL, ClientHabit.SENDS_ONLY_NEW)) {
        new Talking(habit, List.of(kind), seed).run();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("understood")
  void sendsUpWhatTheCallerSent(ClientHabit habit) {
    for (Wire wire : Wire.values()) {
      for (int seed = 0; seed < RUNS; seed++) {
        new Talking(habit, plain(wire), seed).run();
      }
    }
  }

  @Tag("heavy")
  @ParameterizedTest
  @MethodSource("understood")
  void soItDoesWhereAllAnswersAreOfOneKind(ClientHabit habit) {
    for (Wire wire : Wire.values()) {
      for (AnswerKind kind : plain(wire)) {
        for (int seed = 0; seed < RUNS_OF_A_KIND; seed++) {
          new Talking(habit, List.of(kind), seed).run();
        }
      }
    }
  }

  /** Claude Code's reminders, in its one window. */
  @ParameterizedTest
  @EnumSource
  void systemMessagesStandWhereTheyMay(Wire wire) {
    for (int seed = 0; seed < RUNS; seed++) {
      new Talking(ClientHabit.SENDS_ALL, plain(wire), seed).reminding().run();
    }
  }

  /** What is broken of a branch that a client goes on with goes up as that client sends it. */
  @ParameterizedTest
  @EnumSource
  void severalClientsWriteToOneThread(Wire wire) {
    Set<AnswerKind> broken = EnumSet.of(AnswerKind.CHAT_BROKEN_CALL, AnswerKind.MESSAGES_PAUSED);
    List<AnswerKind> whole = plain(wire).stream().filter(kind -> !broken.contains(kind)).toList();
    for (int seed = 0; seed < RUNS; seed++) {
      new Talking(ClientHabit.SENDS_ALL, whole, seed).inWindows(2).run();
      new Talking(ClientHabit.SENDS_ALL, whole, seed).inWindows(2).reminding().run();
      new Talking(ClientHabit.GOES_BACK, whole, seed).inWindows(3).run();
      new Talking(ClientHabit.CLEARS_RESULTS, whole, seed).inWindows(2).run();
    }
  }

  /**
   * Each call of a tool is the same; only the question behind which it stands tells whose it is.
   */
  @ParameterizedTest
  @EnumSource(
      names = {
        "TRUNCATES",
        "CLEANS_IDS",
        "RENEWS_IDS",
        "REWRITES_CALLS",
        "TURNS_RESULTS_ROUND",
        "MERGES_TEXTS",
        "RESPELLS_NUMBERS",
        "STRIPS_THOUGHTS",
        "DROPS_TOOLS",
        "SPLITS_QUESTIONS",
        "MERGES_QUESTIONS",
        "TRIMS_QUESTIONS",
        "REMINDS_ITSELF",
        "PUTS_WORDS_FIRST",
        "CHANGES_ITS_FIRST_WORDS",
        "SUMMARISES_BUT_THE_LAST_TURN"
      })
  void severalClientsAlterWhatTheySend(ClientHabit habit) {
    Set<AnswerKind> broken = EnumSet.of(AnswerKind.CHAT_BROKEN_CALL, AnswerKind.MESSAGES_PAUSED);
    for (Wire wire : Wire.values()) {
      List<AnswerKind> whole = plain(wire).stream().filter(kind -> !broken.contains(kind)).toList();
      for (int seed = 0; seed < RUNS; seed++) {
        new Talking(habit, whole, seed).inWindows(2).run();
      }
    }
  }

  /** Answers that say the same are told by their places. */
  @ParameterizedTest
  @EnumSource(names = {"SENDS_ALL", "EDITS_ITS_QUESTION", "GOES_BACK"})
  void severalClientsAreAnsweredTheSame(ClientHabit habit) {
    for (Wire wire : List.of(Wire.CHAT, Wire.MESSAGES)) {
      for (int seed = 0; seed < RUNS; seed++) {
        new Talking(habit, plain(wire).subList(0, 1), seed).alike().inWindows(2).run();
      }
    }
  }

  /** Observed messages are not sent, and old ones are quoted before the new ones. */
  @ParameterizedTest
  @EnumSource
  void aPartOfTheThreadIsSent(Wire wire) {
    for (int seed = 0; seed < RUNS; seed++) {
      for (ClientHabit habit : List.of(ClientHabit.SENDS_ALL, ClientHabit.SENDS_ONLY_NEW)) {
        new Talking(habit, plain(wire), seed).cutting().run();
        new Talking(habit, plain(wire), seed).cutting().reminding().run();
      }
    }
  }

  static Stream<Arguments> onOtherEndpoints() {
    return Arrays.stream(AnswerKind.values())
        .flatMap(
            kind ->
                Stream.of(Wire.values())
                    .filter(wire -> wire != kind.wire())
                    .map(wire -> Arguments.of(kind, wire)));
  }

  @ParameterizedTest
  @MethodSource("onOtherEndpoints")
  void aThreadGoesOnAtAnotherEndpoint(AnswerKind kind, Wire wire) {
    for (int seed = 0; seed < RUNS; seed++) {
      Talking talking = new Talking(ClientHabit.SENDS_ALL, List.of(kind), seed).unchecked();
      talking.steps(1 + seed % STEPS);
      talking.goOnAt(wire);
    }
  }

  @ParameterizedTest
  @EnumSource
  void keepsWhatTheClientGotOfAStreamThatBrokeOff(AnswerKind kind) {
    Format format = kind.wire().format();
    for (int seed = 0; seed < RUNS; seed++) {
      Random random = new Random(seed);
      String stream = StreamedAnswer.of(kind.wire(), kind.answer(seed % 10), random);
      List<String> events = List.of(stream.split("(?<=\n\n)", -1));
      String got = String.join("", events.subList(0, random.nextInt(events.size())));
      String stored =
          Assembled.feedAsIs(format, got, 1 << 20, Assembled.ENOUGH).messages().toString();
      assertThat(words(stored)).as(got).containsAll(words(got));
    }
  }

  private static List<AnswerKind> plain(Wire wire) {
    return Arrays.stream(AnswerKind.values()).filter(kind -> kind.wire() == wire).toList();
  }

  private static List<String> forms(List<StoredMessage> messages) {
    return messages.stream()
        .map(message -> message.role() + CanonicalJson.of(JsonValue.of(message.content())))
        .map(form -> form.replaceAll("\"(refusal|annotations)\":(null|\\[\\]),", ""))
        .toList();
  }

  static Set<String> words(String json) {
    return new TreeSet<>(wordsInOrder(json));
  }

  /** Looks for them by hand, because half of the time went into an expression. */
  private static List<String> wordsInOrder(String json) {
    List<String> words = new ArrayList<>();
    for (int i = json.indexOf('_'); i >= 0; i = json.indexOf('_', i + 1)) {
      int end = i + 1;
      while (end < json.length() && Character.isDigit(json.charAt(end))) {
        end++;
      }
      if (end > i + 1 && i >= 3 && WORDS.contains(json.substring(i - 3, i))) {
        words.add(json.substring(i - 3, end));
      }
    }
    return words;
  }

  /** Clients on one thread, the gateway and a provider, over some steps. */
  private static final class Talking {
    private final Wire wire;
    private final ClientHabit habit;
    private final List<AnswerKind> kinds;
    private final Random random;
    private final Set<String> ofMaker;
    private final List<Window> windows = new ArrayList<>(List.of(new Window()));
    private final List<JsonNode> answers = new ArrayList<>();
    private final BranchedThread thread = new BranchedThread();
    private boolean reminds;
    private boolean checks = true;
    private boolean cuts;
    private boolean alike;

    /** What one client has seen. */
    private static final class Window {
      private final List<JsonNode> history = new ArrayList<>();
      private final Set<String> left = new TreeSet<>();
      private boolean isLoop;
      private boolean isAnswered;
    }

    Talking(ClientHabit habit, List<AnswerKind> kinds, int seed) {
      this.wire = kinds.get(0).wire();
      this.habit = habit;
      this.kinds = kinds;
      this.random = new Random(seed);
      this.ofMaker =
          kinds.stream()
              .flatMap(kind -> kind.ofMaker().stream())
              .collect(Collectors.toUnmodifiableSet());
    }

    /** The same with a system message behind each question and the results of each step. */
    Talking reminding() {
      reminds = true;
      return this;
    }

    /** The same without a check of what goes up. */
    Talking unchecked() {
      checks = false;
      return this;
    }

    /** The same with a part of the thread observed, and some of it quoted. */
    Talking cutting() {
      cuts = true;
      return this;
    }

    /** The same with one answer to all that is asked. */
    Talking alike() {
      alike = true;
      return this;
    }

    Talking inWindows(int number) {
      while (windows.size() < number) {
        windows.add(new Window());
      }
      return this;
    }

    void run() {
      steps(STEPS);
    }

    /** A new question at another endpoint, whose provider is of another maker. */
    void goOnAt(Wire other) {
      Conversation call = Calls.read(other.format(), other.body(List.of(other.question("And?"))));
      Conversation.Aligned aligned = thread.align(call);
      MemoryContext context = new MemoryContext(null, thread.live());
      String up = Answers.text(other.format().write(aligned.fresh(), Calls.strict("m"), context));

      assertThat(other.checker(Set.of(), List.of()).faults(up)).as("%s%n%s", thread, up).isEmpty();
    }

    void steps(int number) {
      for (int at = 0; at < number; at++) {
        int step = at;
        Window window = windows.get(random.nextInt(windows.size()));
        List<JsonNode> history = window.history;
        if (!window.isLoop) {
          if (random.nextInt(3) == 0) {
            leave(window, () -> habit.goBack(history));
          }
          if (habit == ClientHabit.MERGES_QUESTIONS
              && wire != Wire.MESSAGES
              && random.nextBoolean()) {
            history.add(wire.question("First qst_9" + step + "?"));
          }
          history.add(wire.question("And now qst_" + step + "?"));
        }
        if (reminds) {
          history.add(wire.reminder("Mind this: sum_" + step));
        }
        List<JsonNode> sent = leave(window, () -> habit.call(wire, history, step));
        if (habit == ClientHabit.REPEATS_ITS_CALL && window.isAnswered && random.nextInt(3) == 0) {
          window.left.addAll(words(call(window, sent, 80 + step).toString()));
        }
        JsonNode answer = call(window, sent, step);
        history.addAll(wire.remembered(answer));
        window.isAnswered = true;
        List<JsonNode> results = wire.results(answer, step);
        history.addAll(results);
        window.isLoop = !results.isEmpty();
      }
    }

    /** Does what the client does, and notes what of its history it has left. */
    private static <T> T leave(Window window, Supplier<T> act) {
      Set<String> before = words(window.history.toString());
      T done = act.get();
      window.left.addAll(before);
      window.left.removeAll(words(window.history.toString()));
      return done;
    }

    private JsonNode call(Window window, List<JsonNode> sent, int step) {
      Format format = wire.format();
      Conversation call = Calls.read(format, wire.body(sent));
      Conversation.Aligned aligned = thread.align(call);
      List<StoredMessage> before =
          new ArrayList<>(thread.live().subList(0, aligned.alignment().storedTo()));
      aligned.own().changed().forEach(before::set);
      byte[] body = format.write(aligned.fresh(), Calls.model("m"), context(before, aligned));
      String upstream = Answers.text(body);
      if (checks) {
        check(window, sent, upstream);
      }
      JsonNode answer = kinds.get(random.nextInt(kinds.size())).answer(alike ? 99 : step);
      thread.store(aligned, stored(answer));
      answers.add(answer);
      return answer;
    }

    private MemoryContext context(List<StoredMessage> before, Conversation.Aligned aligned) {
      List<StoredMessage> asked = aligned.fresh().messages();
      int skipped = cuts ? random.nextInt(before.size() + 1) : 0;
      while (skipped > 0 && (skipped == before.size() || !before.get(skipped).isOfUser())) {
        skipped--;
      }
      boolean asks = asked.stream().anyMatch(StoredMessage::isOfUser);
      String recall = cuts && asks && random.nextBoolean() ? "Quoted." : null;
      String observed = skipped > 0 ? "Observed." : null;
      int from = Math.max(skipped, aligned.own().instead());
      List<StoredMessage> rest = new ArrayList<>(aligned.own().before(from));
      int first = from - rest.size();
      rest.addAll(before.subList(from, before.size()));
      return new MemoryContext(observed, 0, first, rest, recall);
    }

    private void check(Window window, List<JsonNode> sent, String upstream) {
      // Made where a check fails alone: it is longer than all that is checked.
      Supplier<String> what =
          () -> habit + " " + kinds + "\nsent " + sent + "\nthread " + thread + "\nup " + upstream;
      String asked = sent.toString();
      Set<String> up = words(upstream);

      assertThat(wire.checker(ofMaker, answers).faults(upstream)).as(what).isEmpty();
      // Of a part of a thread, Responses leaves out what its tools have done, and of a branch that
      // comes back without its reasoning.
      boolean isStripped = windows.size() > 1 && habit == ClientHabit.STRIPS_THOUGHTS;
      boolean isPart = cuts || isStripped || PARTS.contains(habit);
      assertThat(up)
          .as(what)
          .containsAll(words(isPart ? sent.get(sent.size() - 1).toString() : asked));
      assertThat(cuts || up.containsAll(words(sent.get(0).toString()))).as(what).isTrue();
      assertThat(cuts || inOrder(upstream, asked).equals(inOrder(asked, asked))).as(what).isTrue();
      assertThat(window.left).as(what).noneMatch(up::contains);
      assertThat(thread.isStoredOnce()).as(what).isTrue();
      for (String word : up) {
        boolean question = word.startsWith("qst");
        assertThat(!question || isOnceIn(upstream, word + "?")).as(what).isTrue();
      }
    }

    private static boolean isOnceIn(String text, String said) {
      int at = text.indexOf(said);
      return at >= 0 && text.indexOf(said, at + 1) < 0;
    }

    /** What of a client's questions and answers stands in a text, in its order. */
    private List<String> inOrder(String json, String sent) {
      Set<String> all = words(sent);
      all.removeIf(word -> !word.startsWith("qst") && (alike || !word.startsWith("ans")));
      return wordsInOrder(json).stream().filter(all::contains).toList();
    }

    private List<StoredMessage> stored(JsonNode answer) {
      Format format = wire.format();
      if (random.nextBoolean()) {
        return format.answer(wire.whole(answer));
      }
      String stream = StreamedAnswer.of(wire, answer, random);
      return Assembled.feedAsIs(format, stream, 1 << 20, Assembled.ENOUGH).messages();
    }
  }
}

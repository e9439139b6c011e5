package io.memorygateway.format.align;

import static io.memorygateway.format.Talk.forms;
import static io.memorygateway.format.Talk.talk;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.Talk;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/**
 * Random conversations of very few words, so that everything is said again and again, with callers
 * of all habits. The model knows what is new because it made it. Where a caller cuts out or alters
 * parts, the answers differ at least: else nobody could tell which of them are left.
 */
class AlignmentPropertyTest {
  private static final String[] WORDS = {"yes", "no", "ok"};

  private final List<String> thread = new ArrayList<>();

  /** Each word is read once, as a thread's are. */
  private final Map<String, NormalForm> read = new HashMap<>();

  private int seed;
  private Random random = new Random();
  private int calls;

  /** The whole history, nothing but what is new, or a window: even if all answers are the same. */
  @RepeatedTest(300)
  void findsWhatIsNewByTheOrderAlone(RepetitionInfo repetition) {
    seed = repetition.getCurrentRepetition();
    random = new Random(seed);
    for (int turn = 0; turn < 12; turn++) {
      takeATurn(List.of(this::whole, List::of, this::window), word());
    }
  }

  @RepeatedTest(300)
  void findsWhatIsNewBehindACutOrAlteredHistory(RepetitionInfo repetition) {
    seed = repetition.getCurrentRepetition();
    random = new Random(seed);
    for (int turn = 0; turn < 12; turn++) {
      takeATurn(List.of(this::withoutTurnsInTheMiddle, this::altered), "answer" + turn);
    }
  }

  private void takeATurn(List<Supplier<List<String>>> habits, String answer) {
    List<String> said = new ArrayList<>(List.of("u:" + word()));
    if (random.nextInt(5) == 0) {
      said.add("u:" + word());
    }
    send(habits, said);
    thread.addAll(said);
    int steps = random.nextInt(3);
    for (int step = 0; step < steps; step++) {
      String call = "c:" + ++calls;
      thread.add(call);
      List<String> result = List.of("r:" + calls + "=" + word());
      send(habits, result);
      thread.addAll(result);
    }
    thread.add("a:" + answer);
  }

  /** A call with something new, by callers of every habit; and its repetition. */
  private void send(List<Supplier<List<String>>> habits, List<String> fresh) {
    for (Supplier<List<String>> habit : habits) {
      List<String> history = habit.get();
      List<String> call = new ArrayList<>(history);
      call.addAll(fresh);

      assertThat(align(call, thread))
          .as("seed %s: %s on %s", seed, call, thread)
          .isEqualTo(new Alignment(history.size(), 0, thread.size()));

      if (history.stream().anyMatch(word -> !isUsers(word))) {
        List<String> answered = new ArrayList<>(thread);
        answered.addAll(fresh);
        answered.add("a:fresh");
        assertThat(align(call, answered))
            .as("seed %s, repeated: %s on %s", seed, call, answered)
            .isEqualTo(new Alignment(call.size(), 0, answered.size() - 1));
      }
    }
  }

  private List<String> whole() {
    return List.copyOf(thread);
  }

  /** A tail with at least one thing of the model in it; shorter ones are of habit 1. */
  private List<String> window() {
    int from = thread.size();
    int least = thread.size() - 1 - random.nextInt(8);
    while (from > 0 && (from > least || isUsers(thread.get(from)))) {
      from--;
    }
    return List.copyOf(thread.subList(from, thread.size()));
  }

  private List<String> withoutTurnsInTheMiddle() {
    List<String> kept = new ArrayList<>();
    int lastTurn = thread.size() - 1;
    while (lastTurn > 0 && !thread.get(lastTurn).startsWith("u:")) {
      lastTurn--;
    }
    boolean keep = true;
    for (int i = 0; i < thread.size(); i++) {
      if (thread.get(i).startsWith("u:") && (i == 0 || thread.get(i - 1).startsWith("a:"))) {
        keep = random.nextBoolean();
      }
      if (keep || i >= lastTurn) {
        kept.add(thread.get(i));
      }
    }
    return kept;
  }

  /** Some answers in other words, never two in a row. */
  private List<String> altered() {
    List<String> altered = new ArrayList<>();
    int since = 0;
    for (String word : thread) {
      boolean echo = word.startsWith("a:") && since++ > 0 && random.nextInt(3) == 0;
      altered.add(echo ? "a:altered" + random.nextInt(9) : word);
      since = echo ? 0 : since;
    }
    return altered;
  }

  private static boolean isUsers(String word) {
    return word.startsWith("u:");
  }

  private String word() {
    return WORDS[random.nextInt(WORDS.length)];
  }

  private Alignment align(List<String> call, List<String> stored) {
    return Talk.align(formsOf(call), formsOf(stored));
  }

  private List<NormalForm> formsOf(List<String> words) {
    return words.stream()
        .map(word -> read.computeIfAbsent(word, one -> forms(talk(one)).get(0)))
        .toList();
  }
}

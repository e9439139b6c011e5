package io.memorygateway.format.align;

import static io.memorygateway.format.Talk.forms;
import static io.memorygateway.format.Talk.talk;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The search over equal pairs against the one over all pairs, and its bounds. */
class ChainSearchTest {
  private static final int PAIRS = 1 << 20;

  @RepeatedTest(500)
  void findsWhatTheSearchOverAllPairsFinds(RepetitionInfo repetition) {
    Random random = new Random(repetition.getCurrentRepetition());
    Lines lines = new Lines(words(random), words(random));
    DenseWitnessSearch dense = new DenseWitnessSearch(lines.call, lines.thread);

    ChainSearch sparse = lines.search(PAIRS);

    assertThat(sparse.isCut()).as("seed %s", repetition.getCurrentRepetition()).isFalse();
    assertThat(List.of(sparse.callTo(), sparse.threadTo()))
        .as("seed %s", repetition.getCurrentRepetition())
        .isEqualTo(List.of(dense.callTo(), dense.threadTo()));
  }

  /** Down to eight pairs of an atom: mostly nothing is left out, and then nothing changes. */
  @RepeatedTest(500)
  void findsTheSameWithinALowBoundWhereNothingIsLeftOut(RepetitionInfo repetition) {
    Random random = new Random(repetition.getCurrentRepetition());
    Lines lines = new Lines(words(random), words(random));
    DenseWitnessSearch dense = new DenseWitnessSearch(lines.call, lines.thread);

    ChainSearch sparse = lines.search(1);

    if (!sparse.isCut()) {
      assertThat(List.of(sparse.callTo(), sparse.threadTo()))
          .as("seed %s", repetition.getCurrentRepetition())
          .isEqualTo(List.of(dense.callTo(), dense.threadTo()));
    }
    assertThat(sparse.callTo() > 0)
        .as("seed %s", repetition.getCurrentRepetition())
        .isEqualTo(dense.callTo() > 0);
  }

  @Test
  void beyondItsBoundItStillFindsTheEndOfTheThread() {
    List<String> thread = repeat(3000, i -> i % 2 == 0 ? "u:yes" : "a:ok");
    List<String> call = new ArrayList<>(thread);
    Collections.addAll(call, "u:and", "a:elsewhere", "u:now");
    Lines lines = new Lines(call, thread);

    ChainSearch search = lines.search(20_000);

    assertThat(search.isCut()).isTrue();
    assertThat(search.callTo()).isEqualTo(3000);
    assertThat(search.threadTo()).isEqualTo(3000);
  }

  /** A result that came back changed is an echo of each stored one behind an equal call. */
  @ParameterizedTest
  @CsvSource({"40,20,false", "40,21,true", "1000,40,false", "1,8,false"})
  void asManyEchoesAreFollowedAsTheBoundAllowsForEachAtomOfTheCall(
      int maxPairs, int echoes, boolean cut) {
    List<String> call = List.of("c:1", "r:1=new");
    List<String> thread = repeat(2 * echoes, i -> i % 2 == 0 ? "c:1" : "r:1=old");

    ChainSearch search = new Lines(call, thread).search(maxPairs);

    assertThat(search.isCut()).isEqualTo(cut);
    assertThat(List.of(search.callTo(), search.threadTo())).isEqualTo(List.of(2, 2 * echoes));
  }

  @ParameterizedTest
  @ValueSource(strings = {"equal", "alternating", "reversed", "sameTool", "altered", "new"})
  void itsWorkIsInProportionToBothLists(String kind) {
    int calls = 10_000;
    int stored = 2_000;
    int maxPairs = PAIRS / 10;
    IntFunction<String> word =
        switch (kind) {
          case "equal" -> i -> "a:ok";
          case "alternating" -> i -> i % 2 == 0 ? "a:yes" : "a:no";
          case "sameTool" -> i -> i % 2 == 0 ? "c:1" : "r:1=" + i % 3;
          default -> i -> i % 2 == 0 ? "u:" + i : "a:" + i;
        };
    List<String> thread = repeat(stored, word);
    List<String> call =
        switch (kind) {
          case "reversed" -> repeat(calls, i -> word.apply(calls - 1 - i));
          case "altered" -> repeat(calls, i -> i % 4 == 1 ? "a:other" + i : word.apply(i));
          case "new" -> repeat(calls, i -> "a:new" + i);
          default -> repeat(calls, word);
        };
    ChainSearch search = new Lines(call, thread).search(maxPairs);

    // All pairs of equal texts would be up to twenty million.
    assertThat(search.steps()).isLessThan(8L * (maxPairs + calls + stored));
    if (kind.equals("altered")) {
      assertThat(search.threadTo()).isEqualTo(stored);
    }
  }

  @Test
  void endsWhenItsThreadIsInterrupted() {
    List<String> words = repeat(2000, i -> "a:ok");
    Lines lines = new Lines(words, words);
    Thread.currentThread().interrupt();
    try {
      assertThatThrownBy(() -> lines.search(PAIRS)).isInstanceOf(CancellationException.class);
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  private static List<String> repeat(int length, IntFunction<String> word) {
    return IntStream.range(0, length).mapToObj(word).toList();
  }

  private static List<String> words(Random random) {
    return repeat(
        random.nextInt(30),
        i ->
            switch (random.nextInt(4)) {
              case 0 -> "u:" + random.nextInt(3);
              case 1 -> "a:" + random.nextInt(6);
              case 2 -> "c:" + random.nextInt(3);
              default -> "r:" + random.nextInt(3) + "=" + random.nextInt(2);
            });
  }

  private static final class Lines {
    private final Map<String, Integer> codes = new HashMap<>();
    private final AtomSequence call;
    private final AtomSequence thread;

    Lines(List<String> call, List<String> thread) {
      this.call = AtomSequence.ofCall(forms(talk(String.join(" ", call))), Map.of(), codes);
      this.thread = AtomSequence.ofThread(forms(talk(String.join(" ", thread))), codes);
    }

    ChainSearch search(int maxPairs) {
      ChainSearch search = new ChainSearch(call, thread, codes.size(), maxPairs);
      search.find();
      return search;
    }
  }
}

package io.memorygateway.observation.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Contract §8: a message of any size is observed, in batches of a bounded size. */
class BatchesTest {
  private static final TokenCounter COUNTER = new TokenCounter();

  /** Tokens of the frame around a passage. */
  private static final int FRAME = 40;

  @Test
  void aBatchIsFilledUpToItsSize() {
    List<Passage> passages = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      passages.add(passage("one two three four five six seven eight nine ten"));
    }
    int each = COUNTER.count(passages.get(0).text()) + FRAME;
    assertThat(sizes(Batches.of(passages, COUNTER, 3 * each, 1000))).containsExactly(3, 3, 1);
    assertThat(sizes(Batches.of(passages, COUNTER, 3 * each - 1, 1000)))
        .containsExactly(2, 2, 2, 1);
    assertThat(sizes(Batches.of(passages, COUNTER, each, 1000)))
        .containsExactly(1, 1, 1, 1, 1, 1, 1);
    assertThat(Batches.of(List.of(), COUNTER, 100, 1000)).isEmpty();
  }

  @Test
  void onlyAPassageOverTheThresholdIsSplit() {
    Passage passage = passage("one two three four five six seven eight nine ten");
    int tokens = COUNTER.count(passage.text());
    assertThat(sizes(Batches.of(List.of(passage, passage), COUNTER, 1000, tokens)))
        .containsExactly(2);
    assertThat(Batches.of(List.of(passage, passage), COUNTER, 1000, tokens - 1))
        .hasSizeGreaterThan(3)
        .allMatch(batch -> batch.size() == 1);
  }

  @Test
  void noBatchIsTooLargeAndNothingIsLost() {
    Random random = new Random(20261123);
    for (int round = 0; round < 50; round++) {
      List<Passage> passages = new ArrayList<>();
      StringBuilder all = new StringBuilder();
      for (int i = random.nextInt(20); i >= 0; i--) {
        String text = "A sentence, and one more. ".repeat(1 + random.nextInt(60));
        passages.add(passage(text));
        all.append(text);
      }
      int maxTokens = 100 + random.nextInt(300);
      StringBuilder parts = new StringBuilder();
      for (List<Passage> batch : Batches.of(passages, COUNTER, maxTokens, 200)) {
        assertThat(batch.stream().mapToInt(p -> COUNTER.count(p.text()) + FRAME).sum())
            .isLessThanOrEqualTo(maxTokens + 16);
        batch.forEach(passage -> parts.append(passage.text()));
      }
      assertThat(parts.toString()).isEqualTo(all.toString());
    }
  }

  @Test
  void aPartHasAboutAsManyTokensAsFit() {
    String text = "word after word ".repeat(1000);
    List<List<Passage>> batches = Batches.of(List.of(passage(text)), COUNTER, 1000, 100);
    assertThat(batches).hasSizeBetween(30, 60);
  }

  private static List<Integer> sizes(List<List<Passage>> batches) {
    return batches.stream().map(List::size).toList();
  }

  private static Passage passage(String text) {
    return new Passage("user", Instant.EPOCH, Passage.Kind.TEXT, "", text);
  }
}

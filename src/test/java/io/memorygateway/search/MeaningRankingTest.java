package io.memorygateway.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.memorygateway.search.Ranking.Ranked;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Contract §11: two rankings are merged by reciprocal rank. */
class MeaningRankingTest {
  private static final Ranked A = new Ranked(0, 1, 1, 9);
  private static final Ranked B = new Ranked(0, 2, 2, 5);
  private static final Ranked C = new Ranked(1, 1, 7, 0.5);

  @Test
  void whatBothFindStandsFirst() {
    List<Ranked> merged =
        MeaningRanking.fuse(
            List.of(A, at(B, 8)), List.of(new Ranked(1, 1, 7, 0.9), at(B, 0.8)), 10);
    assertThat(merged).extracting(Ranked::seq).containsExactly(2L, 1L, 7L);
    assertThat(merged.get(0).score()).isCloseTo(1.5 / 62, within(1e-12));
    assertThat(merged.get(1).score()).isCloseTo(1 / 61.0, within(1e-12));
    assertThat(merged.get(2).score()).isCloseTo(0.5 / 61, within(1e-12));
  }

  /** However many messages hold a frequent word of the query. */
  @Test
  void whatIsMeantIsFoundAmongMessagesWithFewOfTheWords() {
    List<Ranked> byWords = new ArrayList<>();
    byWords.add(A);
    for (int i = 10; i < 110; i++) {
      byWords.add(new Ranked(0, i, i, 1));
    }
    assertThat(MeaningRanking.fuse(byWords, List.of(C), 3)).extracting(Ranked::seq).contains(7L);
  }

  @Test
  void messagesOfDifferentThreadsAreDifferentOnes() {
    assertThat(MeaningRanking.fuse(List.of(A), List.of(C), 10)).hasSize(2);
  }

  @Test
  void endsAtTheLimit() {
    assertThat(MeaningRanking.fuse(List.of(A, B), List.of(C), 1))
        .extracting(Ranked::seq)
        .containsExactly(1L);
    assertThat(MeaningRanking.fuse(List.of(), List.of(), 5)).isEmpty();
  }

  private static Ranked at(Ranked message, double score) {
    return new Ranked(message.thread(), message.message(), message.seq(), score);
  }
}

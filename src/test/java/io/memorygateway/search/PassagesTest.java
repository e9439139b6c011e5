package io.memorygateway.search;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.LocalDate;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §11: what is quoted of a long message is around what was asked. */
class PassagesTest {
  private static final String TEXT =
      "Here is some advice. Take it slowly.\nMeasure your chest.\n"
          + "Shops differ. The two suits that I like are these. One is of linen, by Canali;"
          + " the other is of wool. Shoes are another matter. 日本語です。終わり。";

  private final TermReader reader = new TermReader();

  @Test
  void theSentencesThatAnswerStandFirst() {
    assertThat(best("What are the two suits?", 1))
        .containsExactly("The two suits that I like are these.");
    assertThat(best("suit of linen", 3))
        .contains("The two suits that I like are these.", "One is of linen, by Canali;");
  }

  /** A sentence beside one that matches goes before others. */
  @Test
  void aSentenceBesideCounts() {
    assertThat(best("chest", 3))
        .containsExactly("Measure your chest.", "Take it slowly.", "Shops differ.");
  }

  @ParameterizedTest
  @ValueSource(ints = {20, 100, 10_000})
  void allOfATextIsInItsSentencesWhichHaveTheirBound(int tokens) {
    for (String text :
        List.of(
            TEXT,
            "x".repeat(2_000),
            "word ".repeat(500),
            "🙂".repeat(700),
            "日本語".repeat(300),
            "{\"a\":[1,{\"b\":\"c\"}],".repeat(100),
            "")) {
      List<Passages.Sentence> sentences = Passages.NONE.best(text, tokens);
      int at = 0;
      for (Passages.Sentence sentence : sentences) {
        assertThat(text.substring(at, sentence.start())).isBlank();
        assertThat(sentence.end() - sentence.start()).isBetween(1, 400);
        assertThat(RoughTokens.of(text.substring(sentence.start(), sentence.end())))
            .isLessThanOrEqualTo(tokens + 1);
        at = sentence.end();
      }
      assertThat(text.substring(at)).isBlank();
    }
  }

  private List<String> best(String query, int count) {
    Query words = Query.of(query, reader, LocalDate.of(2026, 11, 20));
    double[] weights = new double[words.size()];
    for (int i = 0; i < weights.length; i++) {
      weights[i] = words.word(i).length();
    }
    return new Passages(words, weights, reader)
        .best(TEXT, 100).stream()
            .limit(count)
            .map(at -> TEXT.substring(at.start(), at.end()).strip())
            .toList();
  }
}

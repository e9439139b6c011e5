package io.memorygateway.observation.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SentencesTest {
  @Test
  void aTextIsSplitWhereASentenceOrLineEnds() {
    assertThat(Sentences.of("One is here. Two? Three!\n- four\n\n ... \nfünf。六です。"))
        .containsExactly("One is here.", "Two?", "Three!", "- four", "fünf。", "六です。");
    assertThat(Sentences.of("")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"; ", ", ", "、", "，", " "})
  void aLongSentenceIsCutAfterItsLastClauseThatFits(String separator) {
    String clause = "x".repeat(100);
    List<String> parts =
        Sentences.of(clause + separator + clause + separator + clause + clause + separator + "end");
    assertThat(parts)
        .containsExactly(
            (clause + separator + clause + separator).strip(),
            (clause + clause + separator + "end").strip());
  }

  @Test
  void aClauseIsPreferredToAWord() {
    String sentence = "x".repeat(200) + "; " + "word ".repeat(40).strip();
    assertThat(Sentences.of(sentence))
        .containsExactly("x".repeat(200) + ";", "word ".repeat(40).strip());
    // An early one would leave too little.
    String early = "x; " + "word ".repeat(80).strip();
    assertThat(Sentences.of(early).get(0)).hasSizeBetween(300, Sentences.MAX_CHARACTERS);
  }

  @Test
  void whatHasNoSpaceIsCutBetweenCharacters() {
    String longest = "x".repeat(Sentences.MAX_CHARACTERS);
    assertThat(Sentences.of(longest)).containsExactly(longest);
    assertThat(Sentences.of(longest + "y")).containsExactly(longest, "y");
    String pair = "x".repeat(Sentences.MAX_CHARACTERS - 1) + "😀y";
    assertThat(Sentences.of(pair)).containsExactly("x".repeat(Sentences.MAX_CHARACTERS - 1), "😀y");
    String atTheEnd = "x".repeat(Sentences.MAX_CHARACTERS - 1) + " y";
    assertThat(Sentences.of(atTheEnd))
        .containsExactly("x".repeat(Sentences.MAX_CHARACTERS - 1), "y");
  }
}

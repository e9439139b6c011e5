package io.memorygateway.observation.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a sentence says raises its score, what it takes to say it lowers the score. */
class SentenceScoreTest {
  private static final SignalWords SIGNALS = SignalWords.load();

  /** Four words that no list has. */
  private static final String PLAIN = "zorp blick mank tuld";

  private final SentenceScore score = new SentenceScore(SIGNALS);

  @ParameterizedTest
  @CsvSource({
    "zorp blick mank tuld, my blick mank tuld",
    "zorp blick mank tuld, always blick mank tuld",
    "zorp blick mank tuld, friday blick mank tuld",
    "zorp blick mank tuld, zorp 42 mank tuld",
    "zorp blick mank tuld, zorp twenty mank tuld",
    "zorp blick mank tuld, zorp Blick mank tuld",
    "zorp blick mank tuld, zorp blick@mank.com mank tuld",
    "zorp blick mank tuld, zorp blick_mank mank tuld",
    "zorp blick mank tuld, zorp blick.mank mank tuld",
    "zorp the mank tuld, zorp blick mank tuld",
    "zorp blick mank tuld?, zorp blick mank tuld",
    "zorp blick mank tuld？, zorp blick mank tuld.",
    "friday blick mank tuld, friday blick march tuld",
    "always blick mank tuld, always blick never tuld",
    "zorp Blick mank tuld, zorp Blick mank Tuld",
    "zorp 42 mank tuld, zorp 42 mank 17",
    "always blick mank tuld, friday blick mank tuld",
    "42 zorp the of a, 42 zorp",
  })
  void theSecondSaysMore(String less, String more) {
    assertThat(score.of(more)).isGreaterThan(score.of(less) + 0.01);
  }

  @ParameterizedTest
  @CsvSource({
    "Zorp blick mank tuld",
    "zorp blick mank tuld.",
    "zorp blick? mank tuld",
    "'zorp, blick; mank: tuld!'"
  })
  void howItIsWrittenSaysNothing(String sentence) {
    assertThat(score.of(sentence)).isEqualTo(score.of(PLAIN), within(1e-9));
  }

  /** The capital of {@code L'eau} and {@code I'm} is that of a short word, not of a name. */
  @ParameterizedTest
  @CsvSource({
    "zorp l'blick mank, zorp L'blick mank",
    "zorp l’blick mank, zorp L’blick mank",
    "zorp x mank, zorp X mank",
  })
  void notEveryCapitalMakesAName(String lower, String upper) {
    assertThat(score.of(upper)).isEqualTo(score.of(lower), within(1e-9));
  }

  @Test
  void eachPropertyCountsUpToABound() {
    assertThat(score.of("2 3 4 5 6 7 8 9"))
        .isLessThan(score.of("zorp 3 4 Mank Tuld Blick Quux Narl"));
    assertThat(score.of("my our mine us my me")).isLessThan(score.of("my 7 us my me our"));
    for (String many :
        new String[] {"Aa Bb Cc Dd Ee Ff Gg Hh", "1 2 3 4 5 6 7 8", "friday march may june july"}) {
      assertThat(score.of(many)).isBetween(0.0, 3.0);
    }
  }

  @Test
  void courtesiesAreWorthLessThanNothing() {
    assertThat(score.of("Thanks, that is great!")).isNegative();
    assertThat(score.of("thanks a lot")).isLessThan(score.of(PLAIN) - 0.5);
    assertThat(score.of("thanks a lot 42")).isPositive();
    assertThat(score.of("thanks a lot Ada")).isPositive();
  }

  @Test
  void whatHasNoWordsScoresNothing() {
    assertThat(score.of("... !")).isZero();
  }

  @Test
  void rareWordsSayMoreThanFrequentOnes() {
    for (int i = 0; i < 18; i++) {
      score.learn(i % 2 == 0 ? "zorp " + i : "mank mank " + i);
      score.learn("tuld " + i);
    }
    score.learn("quux narl");
    assertThat(score.of("quux narl")).isGreaterThan(score.of("zorp mank") + 0.05);
    assertThat(score.of("zorp quux")).isGreaterThan(score.of("tuld quux") + 0.01);
    // A sentence counts once for each of its words.
    assertThat(score.of("zorp quux")).isEqualTo(score.of("mank quux"), within(1e-9));
  }

  /** Words without a list: those of a language that the gateway does not know. */
  @Test
  void wordsOfManySentencesAreTakenForUsual() {
    for (int i = 0; i < 39; i++) {
      score.learn(i % 5 == 0 ? "zorp" : i % 10 == 1 ? "blick" : "mank" + i);
    }
    assertThat(score.of("zorp quux")).isGreaterThan(score.of("the quux") + 0.01);
    score.learn("mank");
    assertThat(score.of("zorp quux")).isEqualTo(score.of("the quux"), within(1e-9));
    assertThat(score.of("blick quux")).isGreaterThan(score.of("the quux") + 0.01);
  }
}

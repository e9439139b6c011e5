package io.memorygateway.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.embedding.ThreadVectors;
import io.memorygateway.embedding.VectorsOfThread;
import io.memorygateway.search.Ranking.Ranked;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §11: words and meaning count as far as each lets a message stand out. */
class MeaningRankingTest {
  private static final Instant TIME = Instant.parse("2026-11-20T09:30:00Z");
  private static final float[] NEAR = {1, 0.1f};
  private static final float[] FAR = {0.1f, 1};

  private final TermReader reader = new TermReader();

  @Test
  void whatBothFindStandsFirst() {
    String[] texts = {"A marmot.", "Nothing.", "A marmot.", "Nothing.", "Fiddles.", "Nothing."};
    assertThat(best("marmot", texts, FAR, FAR, NEAR, FAR, NEAR, FAR).subList(0, 3))
        .startsWith(2)
        .contains(0, 4);
  }

  @Test
  void aMessageIsFoundByWhatItMeansAndByItsWordsBeforeItHasAVector() {
    String[] texts = {"Fiddles.", "Nothing.", "A marmot."};
    assertThat(best("marmot", texts, NEAR, FAR, null).subList(0, 2))
        .containsExactlyInAnyOrder(0, 2);
    assertThat(best("violin", new String[] {"Fiddles."}, NEAR)).containsExactly(0);
  }

  /** A question is next to its answer: what is around counts where it lets a message stand out. */
  @Test
  void aMessageStandsOutWithItsNeighboursToo() {
    float[][] vectors = new float[40][];
    Arrays.fill(vectors, FAR);
    vectors[10] = NEAR;
    vectors[12] = NEAR;
    String[] texts = new String[40];
    Arrays.fill(texts, "Nothing.");
    assertThat(best("violin", texts, vectors).subList(0, 3)).containsExactlyInAnyOrder(10, 11, 12);
  }

  @Test
  void endsAtTheLimit() {
    String[] texts = new String[200];
    Arrays.fill(texts, "A marmot.");
    float[][] vectors = new float[200][];
    Arrays.fill(vectors, NEAR);
    assertThat(best("marmot", texts, vectors)).hasSize(100);
  }

  /**
   * Words find the message for some of the questions, and mislead for the others; vectors find as
   * many as the model is good. Of a hundred questions that the better of the two answers, six are
   * lost at most.
   */
  @Tag("heavy")
  @ParameterizedTest
  @CsvSource({"0.3, exact", "1.2, good", "2.5, poor", "1000, random"})
  void fusionNeverLosesMuchToTheBetterOfTheTwo(double noise, String model) {
    Random random = new Random(7);
    int messages = 300;
    String[] texts = new String[messages];
    float[][] vectors = new float[messages][];
    for (int i = 0; i < messages; i++) {
      StringBuilder text = new StringBuilder();
      for (int word = 0; word < 12; word++) {
        text.append('w').append((int) Math.exp(random.nextDouble() * 7)).append("x ");
      }
      texts[i] = text.toString();
      vectors[i] = gaussian(random);
    }
    ThreadTerms thread = terms(texts);
    ThreadVectors held = VectorsOfThread.of(vectors);
    int words = 0;
    int meaning = 0;
    int fused = 0;
    int questions = 300;
    for (int i = 0; i < questions; i++) {
      int wanted = random.nextInt(messages);
      int told = random.nextInt(messages);
      String[] said = texts[random.nextInt(10) < 7 ? wanted : told].split(" ", -1);
      String question = said[0] + ' ' + said[1] + ' ' + said[2];
      float[] asked = gaussian(random);
      for (int k = 0; k < asked.length; k++) {
        asked[k] = (float) (noise * asked[k] + vectors[wanted][k]);
      }
      words += finds(rank(thread, question, null, asked), wanted);
      meaning += finds(rank(thread, "", held, asked), wanted);
      fused += finds(rank(thread, question, held, asked), wanted);
    }
    assertThat(words).isBetween(questions / 2, questions * 8 / 10);
    assertThat(fused)
        .as("by %s vectors: %d by words, %d by meaning", model, words, meaning)
        .isGreaterThanOrEqualTo(Math.max(words, meaning) - questions * 6 / 100);
  }

  private static int finds(List<Ranked> ranked, int wanted) {
    return ranked.stream().limit(5).anyMatch(hit -> hit.message() == wanted) ? 1 : 0;
  }

  private static float[] gaussian(Random random) {
    float[] vector = new float[64];
    for (int i = 0; i < vector.length; i++) {
      vector[i] = (float) random.nextGaussian();
    }
    return vector;
  }

  private List<Integer> best(String query, String[] texts, float[]... vectors) {
    return rank(terms(texts), query, VectorsOfThread.of(vectors), NEAR).stream()
        .map(Ranked::message)
        .toList();
  }

  private List<Ranked> rank(
      ThreadTerms thread, String query, @Nullable ThreadVectors vectors, float[] asked) {
    List<ThreadTerms> threads = List.of(thread);
    Ranking.Filter filter = (of, role, time, seq) -> true;
    Ranking.Best byWords =
        Ranking.rank(
            threads,
            Query.of(query, reader, LocalDate.of(2026, 11, 20)),
            filter,
            MeaningRanking.DEPTH,
            0,
            true);
    if (vectors == null) {
      return byWords.hits();
    }
    List<@Nullable ThreadVectors> all = new ArrayList<>(List.of(vectors));
    List<Ranked> ranked =
        new MeaningRanking(threads, all, VectorsOfThread.query(asked)).fuse(byWords, filter, 100);
    assertThat(ranked).allMatch(hit -> hit.score() > 0);
    return ranked;
  }

  private ThreadTerms terms(String... texts) {
    SegmentWriter writer = new SegmentWriter(0, 0);
    MessageTerms terms = new MessageTerms(reader);
    for (int seq = 0; seq < texts.length; seq++) {
      int count = terms.read(texts[seq], TIME);
      writer.add(seq, Roles.number("user"), seq, 0, terms.terms(), 0, count);
    }
    return ThreadTerms.EMPTY.plus(writer.toSegment());
  }
}

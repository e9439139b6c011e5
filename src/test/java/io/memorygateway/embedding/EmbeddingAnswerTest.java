package io.memorygateway.embedding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.embedding.EmbeddingClient.Embeddings;
import io.memorygateway.embedding.EmbeddingFailureException.Reason;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §11: what counts as an answer of an embedding model. */
class EmbeddingAnswerTest {
  @Test
  void readsVectorsInTheOrderOfTheTexts() throws Exception {
    Embeddings answer =
        read(
            """
            {"data":[{"index":1,"embedding":[3, -4.5e0]},{"index":0,"embedding":[0.25,1]}],"usage":{"prompt_tokens":7}}
            """);
    assertThat(answer.vectors().get(0)).containsExactly(0.25f, 1);
    assertThat(answer.vectors().get(1)).containsExactly(3, -4.5f);
    assertThat(answer.inputTokens()).isEqualTo(7);
  }

  @Test
  void needsNeitherIndexNorUsage() throws Exception {
    Embeddings answer = read("{\"data\":[{\"embedding\":[1]},{\"embedding\":[2]}]}");
    assertThat(answer.vectors().get(1)).containsExactly(2);
    assertThat(answer.inputTokens()).isEqualTo(-1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "<html>",
        "[]",
        "{}",
        "{\"data\":{}}",
        "{\"data\":[1,2]}",
        "{\"data\":[{\"embedding\":[1]}]}",
        "{\"data\":[{\"embedding\":[1]},{\"embedding\":[1,2]}]}",
        "{\"data\":[{\"embedding\":[1,2]},{\"embedding\":[1]}]}",
        "{\"data\":[{\"embedding\":[1]},{\"embedding\":[]}]}",
        "{\"data\":[{\"embedding\":[1]},{\"embedding\":[0.0]}]}",
        "{\"data\":[{\"embedding\":[1]},{\"embedding\":[NaN]}]}",
        "{\"data\":[{\"embedding\":[1]},{\"embedding\":[\"NaN\"]}]}",
        "{\"data\":[{\"embedding\":[1]},{\"embedding\":[1e99]}]}",
        "{\"data\":[{\"embedding\":[1]},{\"embedding\":[null]}]}",
        "{\"data\":[{\"embedding\":[1]},{\"embedding\":[[1]]}]}",
        "{\"data\":[{\"embedding\":[1]},{\"embedding\":\"AACAPw==\"}]}",
        "{\"data\":[{\"embedding\":[1]},{}]}",
        "{\"data\":[{\"index\":0,\"embedding\":[1]},{\"index\":0,\"embedding\":[1]}]}",
        "{\"data\":[{\"index\":0,\"embedding\":[1]},{\"index\":2,\"embedding\":[1]}]}",
        "{\"data\":[{\"index\":0,\"embedding\":[1]},{\"index\":-1,\"embedding\":[1]}]}",
        "{\"data\":[{\"embedding\":[1]},{\"embedding\":[1]}]"
      })
  void refusesWhatIsNotAVectorForEachText(String answer) {
    assertInvalid(answer);
  }

  @Test
  void refusesMoreNumbersThanAreStored() {
    String vector = "1" + ",1".repeat(EmbeddingAnswer.MAX_DIMENSIONS);
    assertInvalid("{\"data\":[{\"embedding\":[" + vector + "]},{\"embedding\":[" + vector + "]}]}");
  }

  @Test
  void asksInTheFormOfEmbeddings() {
    assertThat(
            new String(
                EmbeddingAnswer.question("m", null, List.of("a \"b\"", "ü")),
                StandardCharsets.UTF_8))
        .isEqualTo("{\"model\":\"m\",\"input\":[\"a \\\"b\\\"\",\"ü\"]}");
    assertThat(
            new String(
                EmbeddingAnswer.question("m", "search_query", List.of("a")),
                StandardCharsets.UTF_8))
        .isEqualTo("{\"model\":\"m\",\"input\":[\"a\"],\"input_type\":\"search_query\"}");
  }

  /** The nearest of some directions stays the nearest in a byte a number. */
  @Test
  void keepsAnglesInAByteANumber() {
    float[] query = {0.3f, -0.2f, 0.9f, 0.01f};
    ThreadVectors vectors =
        ThreadVectors.NONE.plus(
            new VectorBlock(
                new long[] {1, 2},
                joined(
                    QuantisedVector.of(new float[] {30, -20, 90, 1}),
                    QuantisedVector.of(new float[] {-0.3f, 0.2f, -0.9f, 0})),
                4));
    ThreadVectors.Cursor cursor =
        vectors.cursor(new ThreadVectors.Query(QuantisedVector.of(query)));
    assertThat(cursor.cosine(1)).isBetween(0.999, 1.0);
    assertThat(cursor.cosine(2)).isBetween(-1.0, -0.999);
    assertThat(cursor.cosine(3)).isNaN();
  }

  private static byte[] joined(byte[] one, byte[] other) {
    byte[] joined = new byte[one.length + other.length];
    System.arraycopy(one, 0, joined, 0, one.length);
    System.arraycopy(other, 0, joined, one.length, other.length);
    return joined;
  }

  private static void assertInvalid(String answer) {
    assertThatThrownBy(() -> read(answer))
        .isInstanceOfSatisfying(
            EmbeddingFailureException.class,
            failure -> assertThat(failure.reason()).isEqualTo(Reason.INVALID));
  }

  private static Embeddings read(String answer) throws EmbeddingFailureException {
    return EmbeddingAnswer.read(answer.getBytes(StandardCharsets.UTF_8), 2);
  }
}

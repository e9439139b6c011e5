package io.memorygateway.embedding;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Client of an embedding model that asks once, without retries. */
public interface EmbeddingClient {

  /**
   * Asks and waits for the whole answer. May be called by several threads at once.
   *
   * @return a vector for each text, in the order of the texts, all of one length
   * @throws EmbeddingFailureException if there is no valid answer, or none in time
   */
  Embeddings embed(Request request) throws EmbeddingFailureException, InterruptedException;

  /**
   * Texts to be embedded.
   *
   * @param model {@code provider/model}
   * @param inputType what the texts are, in the words of the model; null to say nothing of it
   * @param texts at least one; none is empty
   * @param timeLimit from the call to the last byte of the answer
   */
  record Request(String model, @Nullable String inputType, List<String> texts, Duration timeLimit) {
    public Request {
      texts = List.copyOf(texts);
    }
  }

  /**
   * An answer.
   *
   * @param vectors in the order of the texts
   * @param inputTokens as the provider counts; -1 if not reported
   */
  record Embeddings(List<float[]> vectors, long inputTokens) {
    public Embeddings {
      vectors = List.copyOf(vectors);
    }

    int dimensions() {
      return vectors.get(0).length;
    }
  }
}

package io.memorygateway.embedding;

import io.memorygateway.embedding.EmbeddingFailureException.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;

/** An embedding model of a few topics: texts with words of one topic lie near one another. */
final class FakeEmbeddings implements EmbeddingClient {
  static final String MODEL = "fake/embedding";

  private static final List<List<String>> TOPICS =
      List.of(List.of("violin", "fiddle"), List.of("dog", "puppy"), List.of("train", "railway"));

  /** Every text that was asked for. */
  final List<String> texts = new CopyOnWriteArrayList<>();

  /** Sees each call before it is answered; may throw, or change the answer's vectors. */
  volatile Mood mood = request -> vectors -> vectors;

  /** What a model does. */
  @FunctionalInterface
  interface Mood {
    UnaryOperator<List<float[]>> on(Request request)
        throws EmbeddingFailureException, InterruptedException;
  }

  @Override
  public Embeddings embed(Request request) throws EmbeddingFailureException, InterruptedException {
    texts.addAll(request.texts());
    List<float[]> vectors = new ArrayList<>();
    for (String text : request.texts()) {
      vectors.add(vector(text));
    }
    return new Embeddings(mood.on(request).apply(vectors), request.texts().size());
  }

  static float[] vector(String text) {
    float[] vector = new float[TOPICS.size() + 1];
    vector[TOPICS.size()] = 0.1f;
    for (int i = 0; i < TOPICS.size(); i++) {
      for (String word : TOPICS.get(i)) {
        vector[i] += text.toLowerCase(Locale.ROOT).contains(word) ? 1 : 0;
      }
    }
    return vector;
  }

  static Mood failing(Reason reason) {
    return request -> {
      throw new EmbeddingFailureException(reason, "as the test wants it");
    };
  }
}

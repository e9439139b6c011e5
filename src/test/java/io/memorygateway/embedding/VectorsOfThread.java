package io.memorygateway.embedding;

import java.util.Arrays;

/** Makes the vectors of a thread, and of a query, for tests of other rooms. */
public final class VectorsOfThread {
  private VectorsOfThread() {}

  /** Vectors of the messages 0, 1, 2 and so on; null for one without. */
  public static ThreadVectors of(float[]... vectors) {
    ThreadVectors all = ThreadVectors.NONE;
    for (int seq = 0; seq < vectors.length; seq++) {
      float[] vector = vectors[seq];
      if (vector != null) {
        byte[] bytes = QuantisedVector.of(vector);
        all = all.plus(new VectorBlock(new long[] {seq}, bytes, vector.length));
      }
    }
    return all;
  }

  /** The vector of a query. */
  public static ThreadVectors.Query query(float... vector) {
    return new ThreadVectors.Query(QuantisedVector.of(Arrays.copyOf(vector, vector.length)));
  }
}

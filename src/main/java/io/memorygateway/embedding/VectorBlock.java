package io.memorygateway.embedding;

import java.util.Arrays;

/** Vectors of consecutive messages of a thread. Its arrays never change. */
final class VectorBlock {
  private static final int OVERHEAD = 100;

  private final long[] seqs;
  private final byte[] vectors;
  private final float[] norms;
  private final int dimensions;

  /**
   * A block that takes over these arrays.
   *
   * @param seqs of the messages, ascending
   * @param vectors one after the other
   */
  VectorBlock(long[] seqs, byte[] vectors, int dimensions) {
    this.seqs = seqs;
    this.vectors = vectors;
    this.dimensions = dimensions;
    this.norms = new float[seqs.length];
    for (int i = 0; i < seqs.length; i++) {
      norms[i] = QuantisedVector.norm(vectors, i * dimensions, dimensions);
    }
  }

  int size() {
    return seqs.length;
  }

  long seq(int index) {
    return seqs[index];
  }

  /** The cosine of the angle between one of the vectors and a vector of this length. */
  double cosine(int index, byte[] query, float queryNorm) {
    int product = QuantisedVector.product(query, vectors, index * dimensions);
    return product / ((double) queryNorm * norms[index]);
  }

  VectorBlock before(long seq) {
    int at = Arrays.binarySearch(seqs, seq);
    int count = at < 0 ? -at - 1 : at;
    return count == seqs.length
        ? this
        : new VectorBlock(
            Arrays.copyOf(seqs, count), Arrays.copyOf(vectors, count * dimensions), dimensions);
  }

  VectorBlock plus(VectorBlock later) {
    long[] allSeqs = Arrays.copyOf(seqs, seqs.length + later.seqs.length);
    System.arraycopy(later.seqs, 0, allSeqs, seqs.length, later.seqs.length);
    byte[] all = Arrays.copyOf(vectors, vectors.length + later.vectors.length);
    System.arraycopy(later.vectors, 0, all, vectors.length, later.vectors.length);
    return new VectorBlock(allSeqs, all, dimensions);
  }

  /** Bytes of heap. */
  long weight() {
    return OVERHEAD + (long) seqs.length * (dimensions + Long.BYTES + Float.BYTES);
  }
}

package io.memorygateway.embedding;

import java.util.ArrayList;
import java.util.List;

/** The vectors of a thread's messages, in the order of the messages. Immutable. */
public final class ThreadVectors {
  static final ThreadVectors NONE = new ThreadVectors(List.of());

  /** Bytes; larger blocks are not merged. */
  private static final long MAX_MERGED_BYTES = 1 << 20;

  private final List<VectorBlock> blocks;

  private ThreadVectors(List<VectorBlock> blocks) {
    this.blocks = List.copyOf(blocks);
  }

  public static final class Query {
    private final byte[] vector;
    private final float norm;

    Query(byte[] vector) {
      this.vector = vector;
      this.norm = QuantisedVector.norm(vector, 0, vector.length);
    }
  }

  /** Iterates over the vectors in the order of their messages. */
  public final class Cursor {
    private final Query query;
    private int block;
    private int index;

    private Cursor(Query query) {
      this.query = query;
    }

    /**
     * The cosine of the query and a message's vector.
     *
     * @param seq of the message; larger than in the previous call
     * @return NaN if the message has no vector
     */
    public double cosine(long seq) {
      while (block < blocks.size()) {
        VectorBlock at = blocks.get(block);
        while (index < at.size() && at.seq(index) < seq) {
          index++;
        }
        if (index < at.size()) {
          return at.seq(index) == seq ? at.cosine(index, query.vector, query.norm) : Double.NaN;
        }
        block++;
        index = 0;
      }
      return Double.NaN;
    }
  }

  /**
   * A cursor before the first vector.
   *
   * @param query of the same model
   */
  public Cursor cursor(Query query) {
    return new Cursor(query);
  }

  boolean isEmpty() {
    return blocks.isEmpty();
  }

  ThreadVectors plus(VectorBlock later) {
    if (later.size() == 0) {
      return this;
    }
    List<VectorBlock> all = new ArrayList<>(blocks);
    VectorBlock last = later;
    while (!all.isEmpty() && all.get(all.size() - 1).weight() + last.weight() <= MAX_MERGED_BYTES) {
      last = all.remove(all.size() - 1).plus(last);
    }
    all.add(last);
    return new ThreadVectors(all);
  }

  ThreadVectors before(long seq) {
    List<VectorBlock> rest = new ArrayList<>();
    for (VectorBlock block : blocks) {
      VectorBlock earlier = block.before(seq);
      if (earlier.size() > 0) {
        rest.add(earlier);
      }
    }
    return new ThreadVectors(rest);
  }

  /** The vectors of the newest messages, in about so many bytes; the last block at least. */
  ThreadVectors newest(long maxWeight) {
    int first = Math.max(0, blocks.size() - 1);
    long left = first == 0 ? 0 : maxWeight - blocks.get(first).weight();
    while (first > 0 && blocks.get(first - 1).weight() <= left) {
      left -= blocks.get(--first).weight();
    }
    return first == 0 ? this : new ThreadVectors(blocks.subList(first, blocks.size()));
  }

  /** Bytes of heap. */
  long weight() {
    return 100 + blocks.stream().mapToLong(VectorBlock::weight).sum();
  }
}

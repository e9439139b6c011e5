package io.memorygateway.format.translation;

import org.jspecify.annotations.Nullable;

/**
 * An event of a streamed answer in no format's words. An {@link AnswerReader} gives a {@link Start}
 * first; then pieces, each with a number of its own, from 0 in the order in which they begin, which
 * may interleave; then a {@link Finish} and an {@link End}. A {@link Fail} may come at any time and
 * is the last one. A piece may be left open, as a call is that the limit has cut: {@link Finish}
 * ends all.
 */
public sealed interface AnswerEvent {
  /** The piece that it is of; -1 if it is of none. */
  default int piece() {
    return -1;
  }

  /** What it adds to its piece; empty if it adds no text. */
  default String delta() {
    return "";
  }

  /** A part of what it adds; itself if it adds no text. */
  default AnswerEvent part(int from, int to) {
    return this;
  }

  /** The head of the answer; see {@link Answer}. */
  record Start(String id, String model, long created, Usage usage) implements AnswerEvent {}

  /**
   * More of a text; the first one begins the piece, as with those below.
   *
   * @param logprobs see {@link Piece.Text}
   */
  record Text(int piece, String delta, String logprobs) implements AnswerEvent {
    public Text(int piece, String delta) {
      this(piece, delta, "");
    }

    @Override
    public AnswerEvent part(int from, int to) {
      return new Text(piece, delta.substring(from, to), logprobs);
    }
  }

  record Refusal(int piece, String delta) implements AnswerEvent {
    @Override
    public AnswerEvent part(int from, int to) {
      return new Refusal(piece, delta.substring(from, to));
    }
  }

  /** More of the reasoning that may be shown; may be empty. */
  record Thought(int piece, String delta) implements AnswerEvent {
    @Override
    public AnswerEvent part(int from, int to) {
      return new Thought(piece, delta.substring(from, to));
    }
  }

  /** The maker's own form of a piece of reasoning, once, before its {@link Close}. */
  record Sealed(int piece, Seal seal) implements AnswerEvent {}

  record Cited(int piece, Piece.Citation citation) implements AnswerEvent {}

  /**
   * The beginning of a call, once its name is known.
   *
   * @param id not empty, and of no other call of the answer
   * @param name as the target said it, not empty
   */
  record Call(int piece, String id, String name) implements AnswerEvent {}

  /** More of the arguments of a call that has begun. */
  record Arguments(int piece, String delta) implements AnswerEvent {
    @Override
    public AnswerEvent part(int from, int to) {
      return new Arguments(piece, delta.substring(from, to));
    }
  }

  /** A piece is whole; nothing more comes of it. */
  record Close(int piece) implements AnswerEvent {}

  /** The whole answer was said. */
  record Finish(Stop stop, @Nullable String stopSequence, Usage usage) implements AnswerEvent {
    /** Whether it says neither why the answer stopped nor what it used. */
    boolean saysNothing() {
      return stop == Stop.NONE && usage.isEmpty();
    }
  }

  record Fail(Fault fault) implements AnswerEvent {}

  record End() implements AnswerEvent {}
}

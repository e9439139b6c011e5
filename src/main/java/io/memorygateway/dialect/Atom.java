package io.memorygateway.dialect;

/**
 * The smallest thing that is said: what two messages are compared by.
 *
 * @param exact equal when the same is said
 * @param loose equal when it may be the same, altered by whoever kept it: any answer in words, or
 *     the call or the result of the same id; empty if nothing else can be the same
 */
record Atom(Kind kind, String exact, String loose) {

  enum Kind {
    /** An answer in words. */
    ANSWER,
    /** A tool call of the model. */
    CALL,
    /** What a tool gave. */
    RESULT,
    /** What the user said or showed. */
    SAID;

    /** Whether only the model can have brought it up. */
    boolean ofModel() {
      return this == ANSWER || this == CALL;
    }
  }

  static Atom answer(String text) {
    return new Atom(Kind.ANSWER, "answer " + text, "answer");
  }

  static Atom call(String id, String nameAndArguments) {
    return new Atom(
        Kind.CALL, "call " + id + " " + nameAndArguments, id.isEmpty() ? "" : "call " + id);
  }

  static Atom result(String id, String content) {
    return new Atom(
        Kind.RESULT, "result " + id + " " + content, id.isEmpty() ? "" : "result " + id);
  }

  static Atom said(String what) {
    return new Atom(Kind.SAID, what, "");
  }
}

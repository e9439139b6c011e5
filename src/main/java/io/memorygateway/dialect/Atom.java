package io.memorygateway.dialect;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The smallest thing that is said: what two messages are compared by. Long texts are compared by
 * their SHA-256, so that what is compared can be kept without what was said.
 *
 * @param exact equal when the same is said
 * @param loose equal when it may be the same, altered by whoever kept it: any answer in words, or
 *     the call or the result of the same id; empty if nothing else can be the same
 */
record Atom(Kind kind, String exact, String loose) {
  private static final int LONGEST = 128;

  Atom {
    exact = shortened(exact);
    loose = shortened(loose);
  }

  private static String shortened(String key) {
    if (key.length() <= LONGEST) {
      return key;
    }
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      byte[] hash = digest.digest(key.getBytes(StandardCharsets.UTF_8));
      return "#" + HexFormat.of().formatHex(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has it", e);
    }
  }

  enum Kind {
    /** An answer in words. */
    ANSWER,
    /** A tool call of the model. */
    CALL,
    /** The result of a tool. */
    RESULT,
    /** Text or media of the user. */
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

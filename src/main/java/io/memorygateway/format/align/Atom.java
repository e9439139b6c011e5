package io.memorygateway.format.align;

import io.memorygateway.json.Sha256;

/**
 * The smallest unit of content in which messages are compared. Long texts are represented by their
 * SHA-256, so that messages can be compared without holding their content.
 *
 * @param exact equal if the content is the same
 * @param loose equal if the content may be the same, altered by a client: any answer as text, or
 *     the call or the result of the same id; empty if only the exact key counts
 */
public record Atom(Kind kind, String exact, String loose) {
  private static final int MAX_LENGTH = 128;

  /** Characters of a call's name and arguments, so that they stand apart from most ids. */
  private static final int MAX_CALL_LENGTH = 64;

  private static final String CALL = "call ";
  private static final String RESULT = "result ";
  private static final String OTHER = "other ";
  private static final String AUDIO = "audio ";

  public Atom {
    exact = shortened(exact, MAX_LENGTH);
    loose = shortened(loose, MAX_LENGTH);
  }

  private static String shortened(String key, int max) {
    return key.length() <= max ? key : "#" + Sha256.hex(key);
  }

  enum Kind {
    /** Text of an answer. */
    ANSWER,
    /** A tool call of the model. */
    CALL,
    /** The result of a tool. */
    RESULT,
    /** Text or media of the user. */
    USER;

    /** Whether only the model can have produced it. */
    boolean ofModel() {
      return this == ANSWER || this == CALL;
    }
  }

  /**
   * A call or result of no known kind.
   *
   * @param said all that is compared of it besides its own id
   * @param callId empty if it has none
   */
  static Atom other(Kind kind, String type, String said, String ownId, String callId) {
    String loose = callId.isEmpty() ? said : type + " " + callId;
    return new Atom(kind, OTHER + said + " " + ownId, OTHER + loose);
  }

  /** An answer that is spoken; an echo has no more of it than its id. */
  static Atom audio(String id) {
    return new Atom(Kind.CALL, AUDIO + id, AUDIO + id);
  }

  static Atom answer(String text) {
    return new Atom(Kind.ANSWER, "answer " + text, "answer");
  }

  static Atom call(String id, String nameAndArguments) {
    String said = shortened(nameAndArguments, MAX_CALL_LENGTH);
    return new Atom(Kind.CALL, CALL + id + " " + said, id.isEmpty() ? "" : CALL + id);
  }

  static Atom result(String id, String content) {
    return new Atom(Kind.RESULT, RESULT + id + " " + content, id.isEmpty() ? "" : RESULT + id);
  }

  static Atom user(String content) {
    return new Atom(Kind.USER, content, "");
  }

  /** The id of a call; empty if it has none, or a very long one. */
  String id() {
    boolean apart = !loose.isEmpty() && exact.startsWith(loose + " ");
    return kind == Kind.CALL && apart ? loose.substring(CALL.length()) : "";
  }

  /** The loose form of the call that a result is of; empty if it has no id, or a very long one. */
  String ofCall() {
    boolean named = kind == Kind.RESULT && loose.startsWith(RESULT);
    return named ? CALL + loose.substring(RESULT.length()) : "";
  }

  /** The id that a call of any kind has in common with its result; empty as {@link #id} is. */
  String pairId() {
    if (kind == Kind.RESULT && loose.startsWith(RESULT)) {
      return loose.substring(RESULT.length());
    }
    // Of one without an id it is some text, which no result has.
    return loose.startsWith(OTHER) ? loose.substring(loose.indexOf(' ', OTHER.length()) + 1) : id();
  }

  /** What a call and its result have in common; empty if that cannot be told. */
  String pair() {
    return isNameless() || isOfNoCall() ? CALL : kind == Kind.CALL ? loose : ofCall();
  }

  /** Whether it is a call of the caller's tools, which needs a result. */
  boolean isCall() {
    return kind == Kind.CALL && (loose.startsWith(CALL) || isNameless());
  }

  /** Whether it is a call or a result, which clients that keep texts alone leave out. */
  boolean isOfTool() {
    return kind == Kind.CALL || kind == Kind.RESULT;
  }

  /** Whether it is an answer that is spoken. */
  boolean isAudio() {
    return kind == Kind.CALL && loose.startsWith(AUDIO);
  }

  /** Whether it is the same, or a result of the same call, of which clients clear old ones. */
  boolean isEchoOf(Atom other) {
    boolean isOfOneCall =
        kind == Kind.RESULT && !ofCall().isEmpty() && ofCall().equals(other.ofCall());
    return isOfOneCall || equals(other);
  }

  /** Whether it is the same, or one that a client has altered. */
  boolean mayBe(Atom other) {
    return equals(other) || (!loose.isEmpty() && loose.equals(other.loose));
  }

  /** Whether it is a result without an id. */
  boolean isOfNoCall() {
    return kind == Kind.RESULT && loose.isEmpty();
  }

  /** Whether it is a call without an id. */
  boolean isNameless() {
    return loose.isEmpty() && exact.startsWith(CALL + " ");
  }

  /** Whether a call may be of the same tool as another, which long arguments do not tell. */
  boolean mayBeOfToolOf(Atom other) {
    String name = said();
    String known = other.said();
    return name.startsWith("#")
        || known.startsWith("#")
        || known.startsWith(name.substring(0, name.indexOf(' ') + 1));
  }

  /** Name and arguments of a call, in a short form, with a blank behind the name. */
  String said() {
    return exact.substring(Math.max(loose.length(), CALL.length()) + 1);
  }
}

package io.memorygateway.admin;

/** Refusal of invalid credentials, or of good ones that have no role. */
final class LoginRefusedException extends Exception {
  private final String name;
  private final boolean known;

  /**
   * @param name presented by the sender; contains no secret
   */
  LoginRefusedException(String name, String reason) {
    this(name, reason, false);
  }

  private LoginRefusedException(String name, String reason, boolean known) {
    super(reason, null, false, false);
    this.name = name;
    this.known = known;
  }

  /** A refusal of a sender who is known for certain, and may be told the reason. */
  static LoginRefusedException withoutRole(String name, String reason) {
    return new LoginRefusedException(name, reason, true);
  }

  boolean isKnown() {
    return known;
  }

  String name() {
    return name;
  }

  /** Reason for operators; contains no secret. */
  String reason() {
    return String.valueOf(getMessage());
  }
}

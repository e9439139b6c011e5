package io.memorygateway.admin;

/** Refusal of invalid credentials. */
final class LoginRefusedException extends Exception {
  private static final long serialVersionUID = 1;

  private final String name;

  /**
   * Creates a refusal.
   *
   * @param name presented by the sender; contains no secret
   */
  LoginRefusedException(String name, String reason) {
    super(reason, null, false, false);
    this.name = name;
  }

  String name() {
    return name;
  }

  /** Reason for operators; contains no secret. */
  String reason() {
    return String.valueOf(getMessage());
  }
}

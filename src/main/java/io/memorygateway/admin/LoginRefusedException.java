package io.memorygateway.admin;

/** Refusal of credentials that are there but not good. */
final class LoginRefusedException extends Exception {
  private static final long serialVersionUID = 1;

  private final String name;

  /**
   * A refusal.
   *
   * @param name who it was said to be; holds no secret
   */
  LoginRefusedException(String name, String reason) {
    super(reason, null, false, false);
    this.name = name;
  }

  String name() {
    return name;
  }

  /** For operators; holds no secret. */
  String reason() {
    return String.valueOf(getMessage());
  }
}

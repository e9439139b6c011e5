package io.memorygateway.operator;

/**
 * Parameter of a command and of the admin task of the same name: {@code --name value} and {@code
 * ?name=value}; of a command also {@code --name} alone, if it is a flag.
 */
public record Parameter(String name, String help, boolean required, boolean flag) {
  /** The value of a flag that is given. */
  public static final String SET = "yes";

  public static Parameter required(String name, String help) {
    return new Parameter(name, help, true, false);
  }

  public static Parameter optional(String name, String help) {
    return new Parameter(name, help, false, false);
  }

  public static Parameter flag(String name, String help) {
    return new Parameter(name, help, false, true);
  }
}

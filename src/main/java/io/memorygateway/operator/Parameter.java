package io.memorygateway.operator;

/**
 * Parameter of a command and of the admin task of the same name: {@code --name value} and {@code
 * ?name=value}.
 */
public record Parameter(String name, String help, boolean required) {

  public static Parameter required(String name, String help) {
    return new Parameter(name, help, true);
  }

  public static Parameter optional(String name, String help) {
    return new Parameter(name, help, false);
  }
}

package io.memorygateway.operator;

/**
 * A parameter of a command and of the admin task of the same name: {@code --name value} and {@code
 * ?name=value}.
 */
public record Word(String name, String help, boolean required) {

  public static Word required(String name, String help) {
    return new Word(name, help, true);
  }

  public static Word optional(String name, String help) {
    return new Word(name, help, false);
  }
}

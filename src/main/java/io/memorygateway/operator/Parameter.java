package io.memorygateway.operator;

import com.fasterxml.jackson.annotation.JsonIgnore;

/**
 * Parameter of a command and of the admin task of the same name: {@code --name value} and {@code
 * ?name=value}.
 *
 * @param form on the command line
 */
public record Parameter(String name, String help, boolean required, @JsonIgnore Form form) {
  /** The value of a flag that is given. */
  public static final String SET = "yes";

  /** How a command takes a parameter. */
  public enum Form {
    /** {@code --name value}. */
    NAMED,
    /** Likewise, and an empty value takes away what is set. */
    CLEARED,
    /** {@code --name}. */
    FLAG,
    /** The value alone, before the configuration file. */
    POSITIONAL
  }

  public static Parameter required(String name, String help) {
    return new Parameter(name, help, true, Form.NAMED);
  }

  public static Parameter optional(String name, String help) {
    return new Parameter(name, help, false, Form.NAMED);
  }

  /** An optional one whose empty value takes away what is set; of all others it is refused. */
  public static Parameter cleared(String name, String help) {
    return new Parameter(name, help, false, Form.CLEARED);
  }

  public static Parameter flag(String name, String help) {
    return new Parameter(name, help, false, Form.FLAG);
  }

  /** A required one without its name on the command line. */
  public static Parameter positional(String name, String help) {
    return new Parameter(name, help, true, Form.POSITIONAL);
  }
}

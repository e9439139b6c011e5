package io.memorygateway.operator;

/**
 * Operator who sends a request to the admin port.
 *
 * @param name of the user or the token
 */
public record AdminCaller(String name, Role role) {
  public static final String ATTRIBUTE = AdminCaller.class.getName();
}

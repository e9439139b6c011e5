package io.memorygateway.operator;

import java.io.Console;

/** Test of whether standard output is a terminal. */
public final class Terminal {
  private Terminal() {}

  /**
   * Whether standard output is a terminal. From Java 22 on a console exists without a terminal,
   * too, and tells by itself.
   */
  @SuppressWarnings("SystemConsoleNull") // Both meanings are handled.
  public static boolean isAttached() {
    Console console = System.console();
    if (console == null) {
      return false;
    }
    try {
      return (boolean) Console.class.getMethod("isTerminal").invoke(console);
    } catch (NoSuchMethodException e) {
      return true;
    } catch (ReflectiveOperationException e) {
      return false;
    }
  }
}

package io.memorygateway.operator;

import java.io.Console;

/** Whether a person is looking at standard output. */
public final class Terminal {
  private Terminal() {}

  /** From Java 22 on there is a console without a terminal, too; it says itself which it is. */
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

package io.memorygateway.ops;

import io.dropwizard.configuration.ConfigurationException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Collectors;
import net.sourceforge.argparse4j.inf.ArgumentParserException;

/**
 * Reports why the gateway, or a command, did not start: in one line that an operator can act on
 * (contract §9).
 */
public final class StartFailure {
  private StartFailure() {}

  /**
   * Prints the reason.
   *
   * @return the exit status
   */
  public static int print(Throwable failure, PrintStream err) {
    if (failure instanceof ArgumentParserException usage) {
      usage.getParser().handleError(usage, new PrintWriter(err, true, StandardCharsets.UTF_8));
    } else {
      err.println(describe(failure));
    }
    return 1;
  }

  public static String describe(Throwable failure) {
    if (failure instanceof ConfigurationException) {
      return Arrays.stream(String.valueOf(failure.getMessage()).split("\n", -1))
          .map(String::strip)
          // The rest quotes the file, including passwords.
          .takeWhile(line -> !line.startsWith("in 'reader'"))
          .filter(line -> !line.isEmpty() && !line.endsWith("has an error:"))
          .filter(line -> !line.endsWith("has the following errors:"))
          .map(line -> line.startsWith("* ") ? line.substring(2) : line)
          .map(StartFailure::withoutClassNames)
          .map(line -> line.replaceAll("; *$", ""))
          .limit(3)
          .collect(Collectors.joining("; "))
          .replaceAll("Did you mean\\?:; - (\\S+)", "did you mean $1?");
    }
    Throwable cause = failure;
    while (cause.getCause() != null && !(cause instanceof IllegalArgumentException)) {
      cause = cause.getCause();
    }
    String message = cause.getMessage();
    String line =
        message == null || message.isBlank()
            ? cause.getClass().getSimpleName()
            : message.lines().findFirst().orElse("").strip();
    return cause instanceof java.net.BindException
            || cause.getCause() instanceof java.net.BindException
        ? "server: " + line
        : line;
  }

  /** Removes class names, which Jackson quotes; the operator knows only keys. */
  private static String withoutClassNames(String line) {
    return line.replaceAll("Cannot construct instance of `[^`]*`,? ?(problem: )?", "")
        .replaceAll("Cannot deserialize value of type `[^`]*` from", "Wrong type:")
        .replaceAll(" \\(token `[^`]*`\\)", "")
        .replaceAll(" ?at \\[Source:.*$", "")
        .replaceAll(" \\(through reference chain: .*$", "");
  }
}

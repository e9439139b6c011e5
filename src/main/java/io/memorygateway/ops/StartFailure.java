package io.memorygateway.ops;

import com.fasterxml.jackson.databind.JsonMappingException;
import io.dropwizard.configuration.ConfigurationException;
import io.dropwizard.configuration.ConfigurationValidationException;
import io.dropwizard.validation.ConstraintViolations;
import io.dropwizard.validation.ValidationMethod;
import io.memorygateway.http.errors.ApiException;
import jakarta.validation.ConstraintViolation;
import java.io.FileNotFoundException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.net.BindException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import net.sourceforge.argparse4j.inf.ArgumentParserException;

/**
 * Reports why the gateway, or a command, did not start: in one line that an operator can act on
 * (contract §9).
 */
public final class StartFailure {
  /** Jetty's message; it names the host before a slash and the address behind it. */
  private static final Pattern BOUND_TO = Pattern.compile("Failed to bind to [^/]*/(\\S+)");

  private static final Pattern SCHEMA_CHANGE_DENIED =
      Pattern.compile("^(CREATE|ALTER|DROP|INDEX|REFERENCES) command denied");

  /** Jetty shows the state of its own parts behind what it says. */
  private static final Pattern DUMP = Pattern.compile(" for \\S+@\\p{XDigit}+\\{.*");

  private static final Pattern OF_JAVA = Pattern.compile("^(java|javax|jdk|sun|com\\.google)\\.");

  /** Sections of config.yml by the packages that work by them. */
  private static final Map<String, String> SECTIONS =
      Map.of(
          "org.eclipse.jetty.", "server",
          "io.dropwizard.jetty.", "server",
          "io.dropwizard.core.server.", "server",
          "io.dropwizard.health.", "health",
          "io.dropwizard.metrics.", "metrics",
          "com.codahale.metrics.", "metrics",
          "io.dropwizard.logging.", "logging",
          "ch.qos.logback.", "logging",
          "org.apache.tomcat.jdbc.", "database",
          "com.mysql.", "database");

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
    return OneLine.of(line(failure));
  }

  private static String line(Throwable failure) {
    if (failure instanceof ConfigurationException) {
      String wrongValue = WrongValue.line(failure);
      return wrongValue != null
          ? wrongValue
          : Arrays.stream(withEscapes(messageOf(failure), failure).split("\n", -1))
              .map(String::strip)
              // The rest quotes the file, including passwords.
              .takeWhile(line -> !line.startsWith("in 'reader'"))
              .filter(line -> !line.isEmpty() && !line.endsWith("has an error:"))
              .filter(line -> !line.endsWith("has the following errors:"))
              .map(line -> line.startsWith("* ") ? line.substring(2) : line)
              .map(StartFailure::withoutClassNames)
              .map(line -> line.replaceAll("; *$", ""))
              .filter(line -> !line.isEmpty())
              .limit(3)
              .collect(Collectors.joining("; "))
              .replaceAll("Did you mean\\?:; - (\\S+)", "did you mean $1?")
              .replaceFirst("^Failed to parse configuration at: ([^;]+); ", "$1: ");
    }
    Throwable cause = failure;
    while (cause.getCause() != null && !(cause instanceof IllegalArgumentException)) {
      cause = cause.getCause();
    }
    String message = cause.getMessage();
    String line =
        message == null || message.isBlank()
            ? cause.getClass().getSimpleName()
            : isOneText(cause) ? message.strip() : message.lines().findFirst().orElse("").strip();
    if (SCHEMA_CHANGE_DENIED.matcher(line).find()) {
      return line + "; 'db migrate' takes the account for migrations, see ops/mysql/grants.sql";
    }
    if (cause instanceof FileSystemException file && line.equals(file.getFile())) {
      return section(cause) + line + ": " + what(file);
    }
    return cause instanceof BindException || cause.getCause() instanceof BindException
        ? "server: " + boundTo(failure) + line
        : section(cause) + DUMP.matcher(line).replaceFirst("");
  }

  /** What is wrong with a file, where a failure tells its name alone. */
  private static String what(FileSystemException file) {
    return file instanceof NoSuchFileException
        ? "there is no such file"
        : file instanceof AccessDeniedException
            ? "it may not be read or written"
            : file.getClass().getSimpleName();
  }

  /**
   * The section of config.yml that a library was to work by when it failed, as {@code server: };
   * empty if it was none of these, or the gateway itself has told what is wrong.
   */
  private static String section(Throwable cause) {
    return Arrays.stream(cause.getStackTrace())
        .map(StackTraceElement::getClassName)
        .filter(name -> !OF_JAVA.matcher(name).find())
        .findFirst()
        .flatMap(
            name ->
                SECTIONS.entrySet().stream()
                    .filter(section -> name.startsWith(section.getKey()))
                    .map(section -> section.getValue() + ": ")
                    .findFirst())
        .orElse("");
  }

  /** Whether the message of a failure has no lines but those of a text that it quotes. */
  private static boolean isOneText(Throwable failure) {
    return failure instanceof IllegalArgumentException
        || failure instanceof ApiException
        || failure instanceof FileNotFoundException;
  }

  /** The message with escapes in what it quotes of the file; its other lines stay as they are. */
  private static String withEscapes(String message, Throwable failure) {
    String escaped = message;
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof JsonMappingException mapping) {
        for (JsonMappingException.Reference part : mapping.getPath()) {
          if (part.getFieldName() != null) {
            escaped = withEscapes(escaped, part.getFieldName());
          }
        }
      } else if (isOneText(cause) && cause.getMessage() != null) {
        escaped = withEscapes(escaped, cause.getMessage());
      }
    }
    return escaped;
  }

  private static String withEscapes(String message, String quoted) {
    String line = OneLine.of(quoted);
    return line.equals(quoted) ? message : message.replace(quoted, line);
  }

  /** Where the server could not listen, as {@code 0.0.0.0:8080: }; empty if that is not known. */
  private static String boundTo(Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      Matcher address = BOUND_TO.matcher(String.valueOf(each.getMessage()));
      if (address.find()) {
        return address.group(1) + ": ";
      }
    }
    return "";
  }

  /** The message of a failure; of a check by a method, with the key that the check belongs to. */
  private static String messageOf(Throwable failure) {
    return failure instanceof ConfigurationValidationException invalid
        ? invalid.getConstraintViolations().stream()
            .map(StartFailure::line)
            .map(OneLine::of)
            .sorted()
            .collect(Collectors.joining("\n"))
        : String.valueOf(failure.getMessage());
  }

  private static String line(ConstraintViolation<?> violation) {
    String line = ConstraintViolations.format(violation);
    String path = violation.getPropertyPath().toString();
    boolean isNamed = line.contains(": ") || path.indexOf('.') < 0;
    return violation.getConstraintDescriptor().getAnnotation() instanceof ValidationMethod
            && !isNamed
        ? path.substring(0, path.lastIndexOf('.')) + ": " + line
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

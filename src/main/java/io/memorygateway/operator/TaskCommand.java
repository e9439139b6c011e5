package io.memorygateway.operator;

import static java.util.Objects.requireNonNull;

import io.dropwizard.core.Configuration;
import java.io.Console;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Command for admin tasks, with the same parameters. Standard output gets the answer and nothing
 * else.
 */
public final class TaskCommand<C extends Configuration> extends DatabaseCommand<C> {
  private static final String FORMAT = "format";

  public record Offered<C>(TaskUsage usage, Function<C, Ready> task) {}

  public record Ready(AdminTask task, TaskRunner runner) {}

  /** By the name of the subcommand, or of the command itself. */
  private final Map<String, Offered<C>> tasks;

  private final PrintStream out;

  private TaskCommand(
      String name, String description, Map<String, Offered<C>> tasks, PrintStream out) {
    super(
        name,
        description,
        tasks.entrySet().stream()
            .map(task -> task.getValue().usage().named(task.getKey()))
            .toList(),
        true);
    this.tasks = Map.copyOf(tasks);
    this.out = out;
  }

  public static <C extends Configuration> TaskCommand<C> of(Offered<C> task, PrintStream out) {
    TaskUsage usage = task.usage();
    return new TaskCommand<>(usage.name(), usage.help(), Map.of(usage.name(), task), out);
  }

  /**
   * Creates a command with a subcommand for each task.
   *
   * @param name first part of the tasks' names: {@code key issue} runs {@code key-issue}
   */
  public static <C extends Configuration> TaskCommand<C> ofAll(
      String name, String description, List<Offered<C>> tasks, PrintStream out) {
    Map<String, Offered<C>> byAction = new LinkedHashMap<>();
    tasks.forEach(task -> byAction.put(task.usage().name().substring(name.length() + 1), task));
    return new TaskCommand<>(name, description, byAction, out);
  }

  private Offered<C> task(Call call) {
    return requireNonNull(tasks.get(call.usage().name()));
  }

  @Override
  protected void runRemotely(RemoteGateway gateway, Call call) throws InterruptedException {
    out.print(gateway.run(task(call).usage().name(), withFormat(call)));
    out.flush();
  }

  /** Adds the table format for a terminal, if no format is given. */
  private static Map<String, String> withFormat(Call call) {
    Map<String, String> all = new LinkedHashMap<>(call.given());
    if (call.usage().parameters().stream().anyMatch(parameter -> parameter.name().equals(FORMAT))
        && isOnTerminal()) {
      all.putIfAbsent(FORMAT, "table");
    }
    return all;
  }

  @Override
  protected void run(C configuration, Call call) throws Exception {
    Ready ready = task(call).task().apply(configuration);
    AdminTask task = ready.task();
    Object answer = ready.runner().run(task, withFormat(call), CommandActor.current(), Role.OWNER);
    if (call.usage().hasTable() && isOnTerminal() && !call.inJson()) {
      out.print(task.table(answer).text());
    } else if (answer instanceof TextAnswer text) {
      out.print(text.text());
    } else {
      out.println(call.json().writerWithDefaultPrettyPrinter().writeValueAsString(answer));
    }
    out.flush();
  }

  /**
   * Whether standard output is a terminal. From Java 22 on a console exists without a terminal,
   * too, and tells by itself.
   */
  @SuppressWarnings("SystemConsoleNull") // Both meanings are handled.
  private static boolean isOnTerminal() {
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

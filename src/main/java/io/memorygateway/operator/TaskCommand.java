package io.memorygateway.operator;

import io.dropwizard.core.Configuration;
import io.dropwizard.core.setup.Bootstrap;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import net.sourceforge.argparse4j.impl.Arguments;
import net.sourceforge.argparse4j.inf.Namespace;
import net.sourceforge.argparse4j.inf.Subparser;
import org.jspecify.annotations.Nullable;

/**
 * Command for admin tasks, with the same parameters. Standard output gets the answer and nothing
 * else.
 */
public final class TaskCommand<C extends Configuration> extends DatabaseCommand<C> {
  private static final String ACTION = "action";
  private static final String JSON = "json";
  private static final String FORMAT = "format";

  /** A task that can be created from a configuration. */
  public record Offered<C>(TaskUsage usage, Function<C, Ready> task) {}

  /** A task and its runner. */
  public record Ready(AdminTask task, TaskRunner runner) {}

  private final @Nullable String group;
  private final List<Offered<C>> tasks;
  private final PrintStream out;

  private TaskCommand(
      String name,
      String description,
      Class<C> configurationClass,
      @Nullable String group,
      List<Offered<C>> tasks,
      PrintStream out) {
    super(name, description, configurationClass);
    this.group = group;
    this.tasks = List.copyOf(tasks);
    this.out = out;
  }

  /** Creates a command with the same name as its task. */
  public static <C extends Configuration> TaskCommand<C> of(
      Class<C> configurationClass, Offered<C> task, PrintStream out) {
    TaskUsage usage = task.usage();
    return new TaskCommand<>(
        usage.name(), usage.help(), configurationClass, null, List.of(task), out);
  }

  /**
   * Creates a command with a subcommand for each task.
   *
   * @param name first part of the tasks' names: {@code key issue} runs {@code key-issue}
   */
  public static <C extends Configuration> TaskCommand<C> ofAll(
      String name,
      String description,
      Class<C> configurationClass,
      List<Offered<C>> tasks,
      PrintStream out) {
    return new TaskCommand<>(name, description, configurationClass, name, tasks, out);
  }

  @Override
  public void configure(Subparser command) {
    if (group == null) {
      addParameters(command, tasks.get(0).usage());
      return;
    }
    var actions = command.addSubparsers().dest(ACTION);
    for (Offered<C> task : tasks) {
      TaskUsage usage = task.usage();
      Subparser action = actions.addParser(action(usage)).help(usage.help());
      action.description(usage.help());
      addParameters(action, usage);
    }
  }

  private static void addParameters(Subparser command, TaskUsage usage) {
    if (usage.hasTable()) {
      command
          .addArgument("--" + JSON)
          .dest(JSON)
          .action(Arguments.storeTrue())
          .help("JSON, even on a terminal");
    }
    RemoteOptions.add(command);
    addParameters(command, usage.parameters());
  }

  @Override
  protected boolean runRemotely(
      Bootstrap<?> bootstrap, Namespace arguments, Map<String, String> given)
      throws InterruptedException {
    RemoteGateway gateway = RemoteOptions.gateway(arguments, bootstrap.getObjectMapper());
    if (gateway == null) {
      return false;
    }
    TaskUsage usage = task(arguments).usage();
    out.print(gateway.run(usage.name(), withFormat(usage, given)));
    out.flush();
    return true;
  }

  /** Adds the table format for a terminal, if no format is given. */
  private static Map<String, String> withFormat(TaskUsage usage, Map<String, String> given) {
    Map<String, String> all = new LinkedHashMap<>(given);
    if (usage.parameters().stream().anyMatch(parameter -> parameter.name().equals(FORMAT))
        && Terminal.isAttached()) {
      all.putIfAbsent(FORMAT, "table");
    }
    return all;
  }

  private String action(TaskUsage usage) {
    return usage.name().substring((group + "-").length());
  }

  private Offered<C> task(Namespace arguments) {
    return tasks.stream()
        .filter(task -> group == null || action(task.usage()).equals(arguments.getString(ACTION)))
        .findFirst()
        .orElseThrow();
  }

  @Override
  public List<String> actions() {
    return group == null ? List.of() : tasks.stream().map(task -> action(task.usage())).toList();
  }

  @Override
  protected List<Parameter> parameters(Namespace arguments) {
    return task(arguments).usage().parameters();
  }

  @Override
  protected void run(
      Bootstrap<?> bootstrap, C configuration, Namespace arguments, Map<String, String> given)
      throws Exception {
    Offered<C> offered = task(arguments);
    TaskUsage usage = offered.usage();
    Map<String, String> all = withFormat(usage, given);
    Ready ready = offered.task().apply(configuration);
    AdminTask task = ready.task();
    Object answer = ready.runner().run(task, all, CommandActor.current(), Role.OWNER);
    boolean asTable =
        usage.hasTable()
            && Terminal.isAttached()
            && !Boolean.TRUE.equals(arguments.getBoolean(JSON));
    if (asTable) {
      out.print(task.table(answer).text());
    } else if (answer instanceof TextAnswer text) {
      out.print(text.text());
    } else {
      out.println(
          bootstrap.getObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(answer));
    }
    out.flush();
  }
}

package io.memorygateway;

import io.dropwizard.core.cli.Command;
import io.dropwizard.core.cli.ServerCommand;
import io.memorygateway.admin.AdminModule;
import io.memorygateway.admin.AdminTokenAction;
import io.memorygateway.audit.AuditLog;
import io.memorygateway.auth.AuthModule;
import io.memorygateway.auth.BudgetAction;
import io.memorygateway.auth.KeyAction;
import io.memorygateway.auth.ProjectTask;
import io.memorygateway.database.DatabaseClock;
import io.memorygateway.database.DatabaseModule;
import io.memorygateway.database.Migrations;
import io.memorygateway.database.Transactions;
import io.memorygateway.move.ProjectMoveTask;
import io.memorygateway.operator.AdminTask;
import io.memorygateway.operator.AuditCommand;
import io.memorygateway.operator.DatabaseCommand;
import io.memorygateway.operator.OperatorModule;
import io.memorygateway.operator.TaskCommand;
import io.memorygateway.operator.TaskUsage;
import io.memorygateway.ops.PriceCheckTask;
import io.memorygateway.ops.PriceShowTask;
import io.memorygateway.ops.PurgeTask;
import io.memorygateway.ops.StorageTask;
import io.memorygateway.transfer.ThreadCommand;
import io.memorygateway.usage.UsageTask;
import java.io.PrintStream;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** The gateway's commands, except {@code db}, which the migrations bring along. */
record Commands(MemoryGatewayApplication application, PrintStream out) {
  List<Command> all() {
    return List.of(
        new ServerCommand<>(application),
        new CheckCommand(application, Clock.systemUTC(), out),
        keys(),
        projects(),
        adminTokens(),
        prices(),
        command(UsageTask.USAGE, (configuration, jdbi) -> new UsageTask(jdbi, clock(jdbi))),
        command(
            PurgeTask.USAGE,
            (configuration, jdbi) ->
                new PurgeTask(jdbi, clock(jdbi), configuration.usage.retention().toJavaDuration())),
        command(
            StorageTask.USAGE,
            (configuration, jdbi) -> new StorageTask(jdbi, configuration.limits.storageBytes())),
        new AuditCommand<>(Commands::open, out),
        new ThreadCommand<>(Commands::open, out));
  }

  private static Jdbi open(MemoryGatewayConfiguration configuration) {
    return DatabaseModule.forCommand(configuration.getDatabase());
  }

  private static Clock clock(Jdbi jdbi) {
    return DatabaseClock.of(Transactions.ofOperators(jdbi));
  }

  /**
   * A line for the operator if the arguments name no command or subcommand; null if they do. The
   * parser would take the beginning of a name for it, and {@code serve} would start a server.
   */
  static @Nullable String unknown(List<Command> commands, String... arguments) {
    if (arguments.length == 0 || arguments[0].startsWith("-")) {
      return null;
    }
    for (Command command : commands) {
      if (command.getName().equals(arguments[0])) {
        List<String> actions =
            command instanceof DatabaseCommand<?> known
                ? known.actions()
                : command.getName().equals("db") ? Migrations.ACTIONS : List.of();
        boolean good =
            actions.isEmpty()
                || arguments.length == 1
                || arguments[1].startsWith("-")
                || actions.contains(arguments[1]);
        return good
            ? null
            : "there is no command '%s %s'; there are %s"
                .formatted(arguments[0], arguments[1], String.join(", ", actions));
      }
    }
    return "there is no command '%s'; there are %s"
        .formatted(
            arguments[0],
            commands.stream().map(Command::getName).sorted().collect(Collectors.joining(", ")));
  }

  private Command keys() {
    List<TaskCommand.Offered<MemoryGatewayConfiguration>> tasks =
        Arrays.stream(KeyAction.values())
            .map(
                action ->
                    task(
                        action.usage(),
                        (configuration, jdbi) ->
                            AuthModule.keyTask(
                                action,
                                Transactions.ofOperators(jdbi),
                                configuration.getDatabase().homes(),
                                configuration.rateLimits.rules().keySet())))
            .collect(Collectors.toCollection(ArrayList::new));
    tasks.add(budget(BudgetAction.KEY_BUDGET));
    tasks.add(budget(BudgetAction.KEY_BUDGET_INCREASE));
    return TaskCommand.ofAll("key", "Issue, list, rotate, revoke and limit API keys", tasks, out);
  }

  private Command projects() {
    return TaskCommand.ofAll(
        "project",
        "Make projects, move them and give them budgets",
        List.of(
            task(
                ProjectTask.USAGE,
                (configuration, jdbi) ->
                    AuthModule.projectTask(
                        Transactions.ofOperators(jdbi), configuration.getDatabase().homes())),
            task(ProjectMoveTask.USAGE, (configuration, jdbi) -> new ProjectMoveTask(jdbi)),
            budget(BudgetAction.PROJECT_BUDGET)),
        out);
  }

  private static TaskCommand.Offered<MemoryGatewayConfiguration> budget(BudgetAction action) {
    return task(
        action.usage(),
        (configuration, jdbi) ->
            AuthModule.budgetTask(
                action,
                Transactions.ofOperators(jdbi),
                configuration.getDatabase().homes(),
                configuration.budgets));
  }

  private Command adminTokens() {
    return TaskCommand.ofAll(
        "admin-token",
        "Issue, list and revoke tokens for the admin port",
        Arrays.stream(AdminTokenAction.values())
            .map(
                action ->
                    task(
                        action.usage(),
                        (configuration, jdbi) ->
                            AdminModule.tokenTask(action, Transactions.ofOperators(jdbi))))
            .toList(),
        out);
  }

  private Command prices() {
    return TaskCommand.ofAll(
        "price",
        "Show what models cost, and which have no price",
        List.of(
            task(
                PriceShowTask.USAGE,
                (configuration, jdbi) ->
                    new PriceShowTask(configuration.prices(), Clock.systemUTC())),
            task(
                PriceCheckTask.USAGE,
                (configuration, jdbi) ->
                    new PriceCheckTask(configuration.prices(), jdbi, clock(jdbi)))),
        out);
  }

  private Command command(
      TaskUsage usage, BiFunction<MemoryGatewayConfiguration, Jdbi, AdminTask> make) {
    return TaskCommand.of(task(usage, make), out);
  }

  /** Offers a task that needs only the database. */
  private static TaskCommand.Offered<MemoryGatewayConfiguration> task(
      TaskUsage usage, BiFunction<MemoryGatewayConfiguration, Jdbi, AdminTask> make) {
    return new TaskCommand.Offered<>(
        usage,
        configuration -> {
          Jdbi jdbi = open(configuration);
          return new TaskCommand.Ready(
              make.apply(configuration, jdbi),
              OperatorModule.forCommand(new AuditLog(Transactions.ofOperators(jdbi))));
        });
  }
}

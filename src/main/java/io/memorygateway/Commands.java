package io.memorygateway;

import io.dropwizard.core.cli.Command;
import io.dropwizard.core.cli.ServerCommand;
import io.memorygateway.auth.AuthModule;
import io.memorygateway.auth.KeyCommand;
import io.memorygateway.cli.TaskCommand;
import io.memorygateway.cli.Word;
import io.memorygateway.database.DatabaseModule;
import io.memorygateway.http.AdminTask;
import io.memorygateway.ops.CheckCommand;
import io.memorygateway.ops.PurgeTask;
import io.memorygateway.ops.StorageTask;
import io.memorygateway.transfer.ThreadCommand;
import io.memorygateway.usage.UsageTask;
import java.io.PrintStream;
import java.time.Clock;
import java.util.List;
import java.util.function.BiFunction;
import org.jdbi.v3.core.Jdbi;

/** The gateway's commands, but for {@code db}, which comes with the migrations. */
record Commands(MemoryGatewayApplication application, PrintStream out) {
  private static final Class<MemoryGatewayConfiguration> CONFIGURATION =
      MemoryGatewayConfiguration.class;

  List<Command> all() {
    return List.of(
        new ServerCommand<>(application),
        new CheckCommand<>(CONFIGURATION, MemoryGatewayConfiguration::getDatabase, out),
        new KeyCommand<>(
            CONFIGURATION,
            configuration ->
                AuthModule.openKeys(
                    DatabaseModule.migrated(configuration.getDatabase()),
                    configuration.getRateLimits().rules().keySet()),
            out),
        task(
            "usage",
            UsageTask.DESCRIPTION,
            UsageTask.WORDS,
            (configuration, jdbi) -> new UsageTask(jdbi, Clock.systemUTC())),
        task(
            "purge",
            PurgeTask.DESCRIPTION,
            PurgeTask.WORDS,
            (configuration, jdbi) ->
                new PurgeTask(
                    jdbi,
                    Clock.systemUTC(),
                    configuration.getUsage().retention().toJavaDuration())),
        task(
            "storage",
            StorageTask.DESCRIPTION,
            StorageTask.WORDS,
            (configuration, jdbi) ->
                new StorageTask(jdbi, configuration.getLimits().storageBytes())),
        new ThreadCommand<>(
            CONFIGURATION,
            configuration -> DatabaseModule.forCommand(configuration.getDatabase()),
            System.in,
            out));
  }

  /** An admin task that needs nothing but the database. */
  private Command task(
      String name,
      String description,
      List<Word> words,
      BiFunction<MemoryGatewayConfiguration, Jdbi, AdminTask> make) {
    return new TaskCommand<>(
        name,
        description,
        words,
        CONFIGURATION,
        configuration ->
            make.apply(configuration, DatabaseModule.forCommand(configuration.getDatabase())),
        out);
  }
}

package io.memorygateway;

import io.dropwizard.core.Configuration;
import io.dropwizard.core.setup.Bootstrap;
import io.dropwizard.db.DataSourceFactory;
import io.memorygateway.database.Database;
import io.memorygateway.database.DatabaseInspection;
import io.memorygateway.database.DatabaseModule;
import io.memorygateway.http.setup.Ports;
import io.memorygateway.memory.write.OrphanedRows;
import io.memorygateway.operator.DatabaseCommand;
import io.memorygateway.operator.Parameter;
import io.memorygateway.operator.TaskUsage;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jdbi.v3.core.Jdbi;

/**
 * {@code check config.yml}: checks whether a server would start and work with this configuration
 * and database. Replaces Dropwizard's own command, which checks the file only.
 */
final class CheckCommand<C extends Configuration> extends DatabaseCommand<C> {
  private static final TaskUsage USAGE =
      TaskUsage.of(
          "check",
          "Check the configuration and the database",
          List.of(
              Parameter.optional(
                  "database", "yes, or no to look at the file only; yes if left out"),
              Parameter.flag("providers", "ask the providers for their lists of models"),
              Parameter.flag(
                  "tokens", "with --providers: call a model of each, which costs a token"),
              Parameter.flag(
                  "budgets", "compare budgets with calls in flight and the request log")));

  private final Function<C, DataSourceFactory> database;
  private final BiFunction<Bootstrap<?>, C, List<String>> parts;
  private final BiFunction<C, Boolean, List<String>> providers;
  private final BiFunction<C, Jdbi, List<String>> stored;
  private final BiConsumer<C, Jdbi> budgets;
  private final PrintStream out;

  /**
   * Creates the command.
   *
   * @param parts builds all that a start builds, and describes it
   * @param providers asks the providers, and if it is told so for a token
   * @param stored says what in the database does not fit the configuration
   * @param budgets compares and prints budgets; throws if there is a difference
   */
  CheckCommand(
      Class<C> configurationClass,
      Function<C, DataSourceFactory> database,
      BiFunction<Bootstrap<?>, C, List<String>> parts,
      BiFunction<C, Boolean, List<String>> providers,
      BiFunction<C, Jdbi, List<String>> stored,
      BiConsumer<C, Jdbi> budgets,
      PrintStream out) {
    super(USAGE.name(), USAGE.help(), configurationClass, List.of(USAGE), false);
    this.database = database;
    this.parts = parts;
    this.providers = providers;
    this.stored = stored;
    this.budgets = budgets;
    this.out = out;
  }

  @Override
  protected void run(C configuration, Call call) {
    String look = call.values().oneOf("database", List.of("yes", "no"));
    List<String> described = new ArrayList<>(Database.replaced(database.apply(configuration)));
    described.addAll(parts.apply(call.bootstrap(), configuration));
    if (call.values().optional("providers") != null) {
      described.addAll(providers.apply(configuration, call.values().optional("tokens") != null));
    }
    if ("no".equals(look)) {
      out.println("configuration: good");
      print(described);
      return;
    }
    described.addAll(Ports.inUse(configuration.getServerFactory()));
    DataSourceFactory migrated = DatabaseModule.migrated(database.apply(configuration));
    DatabaseInspection found = DatabaseInspection.of(migrated);
    int tables = DatabaseInspection.grants(migrated);
    Jdbi jdbi = DatabaseModule.forCommand(migrated);
    int orphaned = OrphanedRows.count(jdbi);
    out.println("configuration: good");
    print(described);
    out.println(
        "database: %s, %s, every migration is there"
            .formatted(found.server(), found.topology().kind().title()));
    found.topology().advice().forEach(line -> out.println("advised: " + line));
    out.println("grants: enough on all " + tables + " tables");
    if (orphaned > 0) {
      out.println(
          "threads: rows of "
              + orphaned
              + " are left that are gone themselves; nobody sees them, and within the hour, or at"
              + " once by 'purge', they are removed");
    }
    print(stored.apply(configuration, jdbi));
    if (call.values().optional("budgets") != null) {
      budgets.accept(configuration, jdbi);
    }
  }

  private void print(List<String> lines) {
    lines.forEach(line -> out.println(OneLine.of(line)));
  }
}

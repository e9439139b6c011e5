package io.memorygateway;

import io.dropwizard.db.DataSourceFactory;
import io.memorygateway.budget.hold.BudgetCheck;
import io.memorygateway.budget.hold.BudgetModule;
import io.memorygateway.budget.hold.UnfitBudgets;
import io.memorygateway.database.Database;
import io.memorygateway.database.DatabaseInspection;
import io.memorygateway.database.DatabaseModule;
import io.memorygateway.database.Migrations;
import io.memorygateway.http.setup.PortCertificates;
import io.memorygateway.http.setup.Ports;
import io.memorygateway.memory.write.OrphanedRows;
import io.memorygateway.operator.DatabaseCommand;
import io.memorygateway.operator.Parameter;
import io.memorygateway.operator.TaskUsage;
import io.memorygateway.ops.OneLine;
import io.memorygateway.proxy.ProxyModule;
import io.memorygateway.proxy.route.IdlePatterns;
import java.io.PrintStream;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Jdbi;

/**
 * {@code check config.yml}: checks whether a server would start and work with this configuration
 * and database. Replaces Dropwizard's own command, which checks the file only.
 */
final class CheckCommand extends DatabaseCommand<MemoryGatewayConfiguration> {
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

  private final MemoryGatewayApplication application;
  private final InstantSource clock;
  private final PrintStream out;

  /**
   * Creates the command.
   *
   * @param clock that of the machine: whether a certificate is good does not depend on the database
   */
  CheckCommand(MemoryGatewayApplication application, InstantSource clock, PrintStream out) {
    super(USAGE.name(), USAGE.help(), List.of(USAGE), false);
    this.application = application;
    this.clock = clock;
    this.out = out;
  }

  @Override
  protected void run(MemoryGatewayConfiguration configuration, Call call) throws Exception {
    String look = call.values().oneOf("database", List.of("yes", "no"));
    DataSourceFactory database = configuration.getDatabase();
    List<String> described = new ArrayList<>(Database.replaced(database));
    application.build(configuration, call.bootstrap());
    described.addAll(describe(configuration));
    if (call.values().optional("providers") != null) {
      described.addAll(
          ProxyModule.askProviders(
              configuration.providers,
              call.values().optional("tokens") != null,
              application.environment()));
    }
    if ("no".equals(look)) {
      out.println("configuration: good");
      print(described);
      return;
    }
    described.addAll(Ports.inUse(configuration.getServerFactory()));
    DataSourceFactory migrated = DatabaseModule.migrated(database);
    DatabaseInspection found = DatabaseInspection.of(migrated);
    int tables = DatabaseInspection.grants(migrated);
    DatabaseModule.tryPool(migrated);
    Jdbi jdbi = DatabaseModule.forCommand(migrated);
    int orphaned = OrphanedRows.count(jdbi);
    int unknown = Migrations.unknown(jdbi);
    out.println("configuration: good");
    print(described);
    out.println(
        "database: %s, %s, every migration is there"
            .formatted(found.server(), found.topology().kind().title()));
    if (unknown > 0) {
      out.println(
          "warning: the schema has "
              + unknown
              + " migrations of a newer version; the version right before that one works on it, an"
              + " older one may not");
    }
    found.topology().advice().forEach(line -> out.println("advised: " + line));
    out.println("grants: enough on all " + tables + " tables");
    if (orphaned > 0) {
      out.println(
          "threads: rows of "
              + orphaned
              + " are left that are gone themselves; nobody sees them, and within the hour, or at"
              + " once by 'purge', they are removed");
    }
    print(UnfitBudgets.lines(configuration.budgets, jdbi));
    if (call.values().optional("budgets") != null) {
      new BudgetCheck(
              BudgetModule.forCommand(configuration.budgets),
              List.copyOf(configuration.routes.keySet()),
              configuration.usage.retention().toJavaDuration(),
              out)
          .run(jdbi);
    }
  }

  private void print(List<String> lines) {
    lines.forEach(line -> out.println(OneLine.of(line)));
  }

  private List<String> describe(MemoryGatewayConfiguration configuration) {
    List<String> lines =
        new ArrayList<>(
            ProxyModule.describeModels(
                configuration.routes,
                configuration.search.embeddingModel(),
                configuration.providers,
                application.environment()));
    lines.add("prices: " + configuration.prices().table().title());
    PortCertificates.warnings(configuration.getServerFactory(), clock.instant())
        .forEach(line -> lines.add("warning: " + line));
    lines.addAll(
        IdlePatterns.warnings(
            configuration.budgets.models(),
            configuration.routes.keySet(),
            configuration.providers));
    return lines;
  }
}

package io.memorygateway.budget.hold;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.CommandLine;
import io.memorygateway.testing.TestDatabase;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** {@code check} names what was said of a budget before its rule became another. */
class UnfitBudgetsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  @TempDir Path folder;

  @Test
  void whatDoesNotFitItsRuleAnyMoreIsNamed() throws Exception {
    String dollars = config("usd", "key");
    String id =
        new ObjectMapper()
            .readTree(run("key", "issue", "--project", "p", "--name", "n", dollars))
            .path("id")
            .asText();
    run("key", "budget", "--id", id, "--name", "rule", "--limit", "0.005", dollars);

    assertThat(run("check", dollars)).doesNotContain("warning");
    assertThat(run("check", config("tokens", "key")))
        .containsOnlyOnce("warning: ")
        .contains(
            "warning: what is said of the budget rule of the key "
                + id
                + " does not fit: limit must be a whole number");
    assertThat(run("check", config("tokens", "project")))
        .contains("the budget rule of the key " + id + " does not fit: unit, limit and window");
  }

  /** What is read of them has a bound for each statement, and the lines have one. */
  @Tag("heavy")
  @Test
  void allOfMoreThanAPageAreLookedAt() throws Exception {
    String dollars = config("usd", "project");
    run("project", "create", "--project", "many", dollars);
    run("project", "budget", "--project", "many", "--name", "rule", "--limit", "0.5", dollars);
    int all = 2 * UnfitBudgets.PAGE + 1;
    try (Connection connection = DATABASE.connect();
        Statement statement = connection.createStatement()) {
      for (int i = 1; i < all; i++) {
        statement.addBatch(
            "INSERT INTO projects (id, public_id, name, created_at, budgets) SELECT MAX(id) + 1, UUID(), 'many"
                + i
                + "', UTC_TIMESTAMP(3), MAX(budgets) FROM projects");
      }
      int[] unused = statement.executeBatch();
    }

    assertThat(run("check", config("tokens", "project")).lines())
        .filteredOn(
            line -> line.startsWith("warning: what is said of the budget rule of the project many"))
        .hasSize(20);
    assertThat(run("check", config("tokens", "project")))
        .contains("warning: " + (all - 20) + " more budgets do not fit");
    DATABASE
        .jdbi()
        .useHandle(handle -> handle.execute("DELETE FROM projects WHERE name LIKE 'many%'"));
  }

  private String config(String unit, String appliesTo) throws Exception {
    return CommandLine.config(
        folder,
        file ->
            file.withObject("/budgets")
                .putArray("rules")
                .addObject()
                .put("name", "rule")
                .put("unit", unit)
                .put("limit", 10)
                .put("window", "day")
                .put("appliesTo", appliesTo));
  }

  private static String run(String... words) {
    CommandLine.Outcome outcome = new CommandLine().with(DATABASE).run(words);
    assertThat(outcome.status()).as(outcome.err()).isZero();
    return outcome.out();
  }
}

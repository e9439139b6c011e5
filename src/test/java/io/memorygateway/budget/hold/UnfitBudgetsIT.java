package io.memorygateway.budget.hold;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.CommandLine;
import io.memorygateway.testing.TestDatabase;
import java.nio.file.Path;
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

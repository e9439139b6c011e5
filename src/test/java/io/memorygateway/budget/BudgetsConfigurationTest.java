package io.memorygateway.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.dropwizard.jackson.Jackson;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code budgets:} may say, and what an operator is told of anything else. */
class BudgetsConfigurationTest {
  private static final ObjectMapper YAML =
      Jackson.newObjectMapper(new YAMLFactory())
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);
  private static final String GOOD = "name: a, unit: tokens, limit: 5, window: day";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "timeZone: Mars/Olympus | budgets.timeZone must be the name of a time zone",
        "assumedOutput: 0 | budgets.assumedOutput must be from 1 to 1000000",
        "assumedOutput: 1000001 | budgets.assumedOutput must be from 1 to 1000000",
        "rules: [{unit: tokens, limit: 5, window: day}] | name must have 1 to 64",
        "rules: [{name: a b, unit: tokens, limit: 5, window: day}] | name must have 1 to 64",
        "rules: [{name: a, limit: 5, window: day}] | unit, limit and window must be given",
        "rules: [{name: a, unit: euro, limit: 5, window: day}] | unit must be tokens or usd",
        "rules: [{name: a, unit: tokens, limit: 5.5, window: day}] | budgets.rules.a: limit must be a whole number",
        "rules: [{name: a, unit: tokens, limit: -1, window: day}] | budgets.rules.a: limit must be",
        "rules: [{name: a, unit: usd, limit: 0.0000000000001, window: day}] | at most 12 decimals",
        "rules: [{name: a, unit: usd, limit: 9000000.01, window: day}] | from 0 to 9000000",
        "rules: [{name: a, unit: tokens, limit: 5, window: 32d}] | window must be a length from 1m to 31d",
        "rules: [{name: a, unit: tokens, limit: 5, window: day, appliesTo: user}] | appliesTo must be key or project",
        "rules: [{name: a, unit: tokens, limit: 5, window: day, mode: loud}] | mode must be enforce or shadow",
        "rules: [{name: a, unit: tokens, limit: 5, window: day, unpriced: no}] | unpriced must be refuse or allow",
        "rules: [{name: a, unit: tokens, limit: 5, window: day, models: ['']}] | models must be at most 64",
      })
  void whatIsWrongIsNamed(String yaml, String message) {
    assertThatThrownBy(() -> read(yaml)).hasMessageContaining(message);
  }

  @Test
  void limitsAreKeptInDigits() {
    BudgetTerms terms =
        new BudgetTerms(BudgetUnit.USD, new BigDecimal("1e3"), null, null, null, null, null);

    assertThat(terms.limit()).hasToString("1000");
    assertThat(new BudgetTerms.Increase(new BigDecimal("2e1"), "").by()).hasToString("20");
  }

  @Test
  void aNameIsThereOnce() {
    assertThatThrownBy(() -> read("rules: [{%1$s}, {%1$s}]".formatted(GOOD)))
        .hasMessageContaining("budgets.rules: a is there twice");
    assertThatThrownBy(() -> read("rules: [" + ("{" + GOOD + "},").repeat(33) + "]"))
        .hasMessageContaining("at most 32");
  }

  @Test
  void nothingSaidIsUtcAndNoBudget() throws Exception {
    BudgetsConfiguration none = read("{}");

    assertThat(none.rules()).isEmpty();
    assertThat(none.timeZone().normalized()).isEqualTo(ZoneId.of("UTC").normalized());
    assertThat(none.assumedOutput()).isEqualTo(4096);
    assertThat(none.clamp()).isFalse();
  }

  @Test
  void dollarsAreIntegersOfPicoDollars() throws Exception {
    BudgetsConfiguration.Rule rule =
        read("rules: [{name: m, unit: usd, limit: 0.000000000001, window: total}]").rules().get(0);

    assertThat(rule.terms().named("m", BudgetOwner.KEY, Instant.EPOCH).limit()).isEqualTo(1);
  }

  /** The sum would be a negative number. */
  @Test
  void increasesGoNoFurtherThanALimitMay() {
    BudgetTerms terms =
        new BudgetTerms(
            BudgetUnit.USD,
            BigDecimal.valueOf(9_000_000),
            BudgetSpan.parse("day"),
            null,
            null,
            null,
            List.of(
                new BudgetTerms.Increase(BigDecimal.valueOf(8_000_000), "2030-01-01T00:00:00Z")));

    assertThat(terms.named("m", BudgetOwner.KEY, Instant.EPOCH).limit())
        .isEqualTo(9_000_000L * 1_000_000_000_000L);
  }

  private static BudgetsConfiguration read(String yaml) throws Exception {
    String text = yaml.startsWith("{") ? yaml : "{" + yaml + "}";
    return YAML.readValue(text, BudgetsConfiguration.class);
  }
}

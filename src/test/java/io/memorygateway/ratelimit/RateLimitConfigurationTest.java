package io.memorygateway.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dropwizard.configuration.ConfigurationException;
import io.dropwizard.configuration.YamlConfigurationFactory;
import io.dropwizard.jackson.Jackson;
import io.dropwizard.jersey.validation.Validators;
import io.memorygateway.ratelimit.window.RateLimitRule;
import io.memorygateway.ratelimit.window.RateLimitRule.AppliesTo;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RateLimitConfigurationTest {

  @Test
  void theShippedConfigurationSaysWhatTheSpecificationSays() throws Exception {
    var shipped = Jackson.newObjectMapper(new com.fasterxml.jackson.dataformat.yaml.YAMLFactory());
    RateLimitConfiguration configuration =
        shipped.treeToValue(
            shipped.readTree(Path.of("config.yml").toFile()).get("rateLimits"),
            RateLimitConfiguration.class);

    assertThat(configuration).isEqualTo(RateLimitConfiguration.defaults());
    assertThat(configuration).isEqualTo(parse("{}"));
  }

  @Test
  void rulesReplaceTheSpecifiedOnesAndTakeFromThoseOfTheirNameWhatTheyLeaveOut() throws Exception {
    RateLimitConfiguration configuration =
        parse(
            """
            rules:
              llm_burst: {limit: 3}
              hourly: {appliesTo: memory, limit: 7, window: 1h}
            """);

    assertThat(configuration.validRules())
        .isEqualTo(
            List.of(
                new RateLimitRule("llm_burst", AppliesTo.LLM, 3, java.time.Duration.ofSeconds(10)),
                new RateLimitRule("hourly", AppliesTo.MEMORY, 7, java.time.Duration.ofHours(1))));
  }

  @Test
  void thereMayBeNoRulesAtAll() throws Exception {
    assertThat(parse("rules: {}").validRules()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "rules: {a: {appliesTo: all, limit: -1, window: 1s}} | limit",
        "rules: {a: {appliesTo: all, limit: 1, window: 1500ms}} | whole seconds",
        "rules: {a: {appliesTo: all, limit: 1, window: 2d}} | window",
        "rules: {a: {appliesTo: all, limit: 1, window: 0s}} | window",
        "rules: {a: {appliesTo: all, limit: 1}} | needs appliesTo, limit and window",
        "rules: {a: } | rules",
        "rules: {a: {appliesTo: nobody, limit: 1, window: 1s}} | appliesTo",
        "onStorageFailure: explode | onStorageFailure",
        "timeout: 0s | timeout",
      })
  void aWrongOneIsRefusedWithTheNameOfTheFault(String yaml, String named) {
    assertThatThrownBy(() -> parse(yaml))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining(named);
  }

  private static RateLimitConfiguration parse(String yaml)
      throws IOException, ConfigurationException {
    return new YamlConfigurationFactory<>(
            RateLimitConfiguration.class,
            Validators.newValidator(),
            Jackson.newObjectMapper(),
            "dw")
        .build(
            path -> new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)), "config.yml");
  }
}

package io.memorygateway.proxy.route;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.dropwizard.jackson.Jackson;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A pattern that can match nothing is a slip of whoever wrote it. */
class IdlePatternsTest {
  @ParameterizedTest
  @CsvSource({
    "one/m, false",
    "one/*, false",
    "o*, false",
    "*/m, false",
    "*, false",
    "fast, false",
    "f*t, false",
    "one, true",
    "one/, true",
    "two/*, true",
    "m, true",
    "g*, true",
    "on/*, true"
  })
  void onlyWhatIsOfNoProviderAndNoRouteIsNamed(String pattern, boolean idle) throws Exception {
    assertThat(
            IdlePatterns.warnings(
                Map.of("rule", List.of(pattern)), List.of("fast"), providers("models: [m]")))
        .isEqualTo(
            idle
                ? List.of(
                    "warning: budgets.rules.rule.models: '%s' is of no provider and no route"
                        .formatted(pattern))
                : List.of());
  }

  @Test
  void anEmptyNameIsNamedByItsKey() throws Exception {
    assertThat(
            IdlePatterns.warnings(
                Map.of(),
                List.of(),
                providers("models: [''], unprefixedModels: [a, ' '], maxOutput: {'': 5}")))
        .containsExactly(
            "warning: providers.one.unprefixedModels: a name is empty, which no model has",
            "warning: providers.one.models: a name is empty, which no model has",
            "warning: providers.one.maxOutput: a name is empty, which no model has");
  }

  private static Map<String, ProviderConfiguration> providers(String more) throws Exception {
    ObjectMapper yaml = Jackson.newObjectMapper(new YAMLFactory());
    return yaml.readValue(
        "{one: {baseUrl: 'http://localhost', endpoints: [chat], %s}}".formatted(more),
        yaml.getTypeFactory()
            .constructMapType(LinkedHashMap.class, String.class, ProviderConfiguration.class));
  }
}

package io.memorygateway.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dropwizard.configuration.ConfigurationParsingException;
import io.dropwizard.jackson.Jackson;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §9: what config.yml takes from the environment. */
class EnvironmentConfigurationFactoryTest {
  record Sample(String text, int number, List<String> list, Map<String, String> map) {}

  @ParameterizedTest
  @ValueSource(
      strings = {
        "simple", "a: b", "a #b", "'single'", "\"double\"", "{x}", "[x]", "*a", "&a", "!tag", "%",
        "@", "`", "| >", "a\\b", "tab\tand\nline", "  spaces  ", "null", "true", "007", "-", "?",
        "${OTHER}", "$", "$${x}", "}", ":-", "é🦓"
      })
  void aValueMayHoldAnyCharacter(String password) throws Exception {
    assertThat(read("text: \"${PASSWORD}\"", Map.of("PASSWORD", password)).text())
        .isEqualTo(password);
    assertThat(read("text: ${PASSWORD:-}", Map.of("PASSWORD", password)).text())
        .isEqualTo(password);
  }

  @Test
  void itIsPutInWhereverAValueStands() throws Exception {
    Sample sample =
        read(
            """
            text: before-${A}-after
            number: ${N:-8080}
            list: ["${A}", "${B:-default}", "${C:-}"]
            map: {key: "${A}"}
            """,
            Map.of("A", "a", "B", "b"));
    assertThat(sample)
        .isEqualTo(new Sample("before-a-after", 8080, List.of("a", "b", ""), Map.of("key", "a")));
  }

  @Test
  void emptyIsUnsetWhereThereIsADefaultAsInAShell() throws Exception {
    Map<String, String> empty = Map.of("A", "");
    assertThat(read("text: \"${A:-default}\"", empty).text()).isEqualTo("default");
    assertThat(read("text: \"${A}\"", empty).text()).isEmpty();
  }

  @Test
  void anUnsetNameIsToldWithItsKeyAndNothingOfTheValue() {
    assertThatThrownBy(
            () -> read("map: {key: \"secret-${SET}-${UNSET}\"}", Map.of("SET", "secret-too")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("map.key")
        .hasMessageContaining("UNSET")
        .hasMessageNotContaining("secret");
    assertThatThrownBy(() -> read("list: [a, \"${UNSET}\"]", Map.of()))
        .hasMessageContaining("list.[1]")
        .hasMessageContaining("UNSET");
  }

  @Test
  void aSecondDocumentIsRefused() {
    assertThatThrownBy(() -> read("text: a\n---\nzebra: 1", Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("another begins at line 3");
  }

  @Test
  void anUnknownKeyIsRefused() {
    assertThatThrownBy(() -> read("zebra: 1", Map.of()))
        .isInstanceOf(ConfigurationParsingException.class)
        .hasMessageContaining("zebra");
  }

  private static Sample read(String yaml, Map<String, String> environment) throws Exception {
    return new EnvironmentConfigurationFactory<>(
            Sample.class, null, Jackson.newObjectMapper(), "dw", environment)
        .build(path -> new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)), "test.yml");
  }
}

package io.memorygateway.reference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.dropwizard.util.DataSize;
import io.dropwizard.util.Duration;
import io.memorygateway.reference.ConfigurationTable.Row;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/** ops/configuration.md tells every key with the default that holds, and every variable. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConfigurationReferenceTest {
  private static final TextNode ELLIPSIS = TextNode.valueOf("…");
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

  private final Loader loader = new Loader();
  private final Map<String, KeyPath> keys = ConfigurationKeys.of(loader);
  private final Map<String, Row> table = ConfigurationTable.keys();

  ConfigurationReferenceTest() throws Exception {}

  @Test
  void everyKeyIsExplainedAndNoOther() {
    assertThat(table.keySet()).containsExactlyInAnyOrderElementsOf(keys.keySet());
    assertThat(table.values())
        .filteredOn(row -> row.meaning().isBlank() || row.takes().isBlank())
        .isEmpty();
  }

  @Test
  void everyVariableIsExplainedAndNoOther() throws Exception {
    Stream<String> used =
        Pattern.compile("\\$\\{([A-Z_]+)")
            .matcher(Files.readString(Path.of("config.yml")).replaceAll("(?m)^#.*$", ""))
            .results()
            .map(variable -> variable.group(1));
    // The ones that only ops/quickstart takes.
    assertThat(ConfigurationTable.variables())
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(used, Stream.of("GATEWAY_DATA_DIR", "GATEWAY_CONFIG"))
                .distinct()
                .toList());
  }

  @TestFactory
  Stream<DynamicTest> theDefaultIsTheOneThatHolds() {
    return both().map(key -> dynamicTest(key, () -> compareDefault(keys.get(key), table.get(key))));
  }

  @TestFactory
  Stream<DynamicTest> whatConfigYmlSetsIsTheOneThatStandsThere() {
    return both()
        .filter(key -> !keys.get(key).isInMap())
        .map(
            key ->
                dynamicTest(
                    key,
                    () -> {
                      JsonNode there = keys.get(key).in(loader.shipped());
                      String said = table.get(key).shipped();
                      assertThat(said.isEmpty() ? null : YAML.readTree(said).toString())
                          .isEqualTo(there.isMissingNode() ? null : shortened(there).toString());
                    }));
  }

  /** An entry of a map that is itself a map would not fit a cell. */
  private static JsonNode shortened(JsonNode value) {
    value
        .properties()
        .forEach(
            entry -> entry.setValue(entry.getValue().isObject() ? ELLIPSIS : entry.getValue()));
    return value;
  }

  private Stream<String> both() {
    return keys.keySet().stream().filter(table::containsKey);
  }

  private void compareDefault(KeyPath key, Row row) throws Exception {
    var configuration = loader.without(key);
    if (configuration.isEmpty()) {
      assertThat(row.byDefault()).isEqualTo("required");
      return;
    }
    Beans beans = new Beans(loader.json());
    Object value = beans.value(configuration.get(), key);
    if (value == null) {
      assertThat(row.byDefault()).isEqualTo("none");
      return;
    }
    Object said =
        loader
            .json()
            .convertValue(YAML.readTree(row.byDefault()), beans.type(configuration.get(), key));
    assertThat(said)
        .usingRecursiveComparison()
        .withEqualsForType((one, other) -> one.compareTo(other) == 0, Duration.class)
        .withEqualsForType((one, other) -> one.compareTo(other) == 0, DataSize.class)
        .isEqualTo(value);
    assertThat(row.takes()).contains(unit(value));
  }

  private static String unit(Object value) {
    if (value instanceof Duration) {
      return "duration";
    }
    return value instanceof DataSize ? "size" : value instanceof Boolean ? "true or false" : "";
  }
}

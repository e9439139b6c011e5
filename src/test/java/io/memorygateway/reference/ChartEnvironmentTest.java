package io.memorygateway.reference;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The Helm chart gives a node every variable of config.yml and no other, and the compose file what
 * fits a container. {@code ops/helm/check} compares what is rendered; this needs no Helm.
 */
class ChartEnvironmentTest {
  private static final Path TEMPLATES = Path.of("ops/helm/templates");

  @Test
  void theChartSetsTheVariablesOfConfigYml() throws IOException {
    Set<String> variables = variablesOfConfig();
    String templates =
        Files.readString(TEMPLATES.resolve("deployment.yaml"))
            + Files.readString(TEMPLATES.resolve("_helpers.tpl"));
    Set<String> set = names("- name: ([A-Z_]+)|\"([A-Z_]+_API_KEY)\"", templates);
    // Of the JVM, not of the gateway.
    set.remove("JDK_JAVA_OPTIONS");
    assertThat(set).isEqualTo(variables);
  }

  /** The ports are those of the container, and the times of a stop fit its own. */
  @Test
  void theComposeFilePassesOnAllButPortsAndTimes() throws IOException {
    Set<String> variables = variablesOfConfig();
    variables.removeIf(name -> name.startsWith("GATEWAY_") || name.startsWith("SHUTDOWN_"));
    String service =
        Files.readString(Path.of("ops/compose.yaml"))
            .replaceFirst("(?s)^.*\\n  gateway:\\n", "")
            .replaceFirst("(?s)\\n    depends_on:.*$", "");
    variables.addAll(Set.of("GATEWAY_ADMIN_HOST", "GATEWAY_ADMIN_AUTH"));
    assertThat(names("(?m)^      ([A-Z_]+): ", service)).isEqualTo(variables);
    assertThat(service)
        .as("who reaches the admin port beyond the container has to log in, on this machine")
        .contains("GATEWAY_ADMIN_AUTH: token");
    assertThat(Files.readString(Path.of("ops/compose.yaml"))).contains("\"127.0.0.1:8081:8081\"");
  }

  private static Set<String> variablesOfConfig() throws IOException {
    return names(
        "\\$\\{([A-Z_]+)", Files.readString(Path.of("config.yml")).replaceAll("(?m)^#.*", ""));
  }

  private static Set<String> names(String pattern, String text) {
    return Pattern.compile(pattern)
        .matcher(text)
        .results()
        .map(name -> name.group(1) == null ? name.group(2) : name.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}

package io.memorygateway.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Contract §9: the environment of {@code ops/quickstart}. */
class QuickstartTest {
  @TempDir Path folder;

  @Test
  void theEnvironmentMayNameAnotherConfigurationFile() throws Exception {
    Path other = Files.writeString(folder.resolve("other.yml"), "{}");

    assertThat(Quickstart.configurationFile(Map.of("GATEWAY_CONFIG", other.toString())))
        .isEqualTo(other.toString());
    assertThat(Quickstart.configurationFile(Map.of())).isEqualTo("config.yml");
  }

  @Test
  void aConfigurationFileThatIsNotThereIsNamed() {
    String missing = folder.resolve("missing.yml").toString();

    assertThatThrownBy(() -> Quickstart.configurationFile(Map.of("GATEWAY_CONFIG", missing)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(missing);
  }
}

package io.memorygateway.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class CsvTest {
  @Test
  void aFileThatWasCutSaysSoInItsLastLine() {
    List<List<String>> rows = List.of(List.of("1", "a"), List.of("2", "b"));

    assertThat(Csv.of("requests", List.of("id", "model"), rows, false).getEntity())
        .isEqualTo("id,model\r\n1,a\r\n2,b\r\n");
    assertThat(Csv.of("requests", List.of("id", "model"), rows, true).getEntity())
        .asString()
        .startsWith("id,model\r\n1,a\r\n2,b\r\n")
        .endsWith("b\r\nThere are more rows than these 2: choose a shorter time or a filter.\r\n");
  }
}

package io.memorygateway.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CsvTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "text/csv | true",
        "TEXT/CSV; charset=utf-8 | true",
        "text/csv, application/json | true",
        "application/json;q=0.5, text/csv | true",
        "text/html, text/csv, */*;q=0.1 | true",
        "text/csv;q=0.1, application/json | false",
        "application/json, text/csv | false",
        "text/csv;q=0 | false",
        "text/csvx | false",
        "*/* | false"
      })
  void theHeaderAsksForWhatItPrefers(String accept, boolean csv) {
    assertThat(Csv.isRequested(null, accept)).isEqualTo(csv);
    assertThat(Csv.isRequested("json", accept)).isFalse();
  }

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

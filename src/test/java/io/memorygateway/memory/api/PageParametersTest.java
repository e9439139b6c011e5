package io.memorygateway.memory.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.json.JsonWriter;
import io.memorygateway.memory.rows.Page;
import org.junit.jupiter.api.Test;

class PageParametersTest {
  @Test
  void countsAsFarAsTheDatabaseCan() {
    assertThat(PageParameters.of(null, null, 50))
        .isEqualTo(new PageParameters(new Page(50, 0), "0"));
    assertThat(PageParameters.of("0007", "00", 50))
        .isEqualTo(new PageParameters(new Page(7, 0), "0"));
    assertThat(PageParameters.of("200", "190000", 50))
        .isEqualTo(new PageParameters(new Page(200, 190_000), "190000"));
    assertThat(PageParameters.of("201", "9".repeat(18), 50))
        .isEqualTo(new PageParameters(new Page(200, 999_999_999_999_999_999L), "9".repeat(18)));
    assertThat(PageParameters.of("9".repeat(40), "9".repeat(40), 50))
        .isEqualTo(new PageParameters(new Page(200, 1_000_000_000_000_000_000L), "9".repeat(40)));
    JsonWriter echoed =
        PageParameters.of(null, "0" + "9".repeat(20), 50).write(new JsonWriter(16), 3);
    assertThat(new String(echoed.toBytes(), UTF_8))
        .isEqualTo(",\"total\":3,\"limit\":50,\"offset\":99999999999999999999");
  }
}

package io.memorygateway.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SqlTextTest {
  @Test
  void valuesStandInTheText() {
    assertThat(
            text()
                .sql("(")
                .number(-7)
                .sql(",")
                .number((Long) null)
                .sql(",")
                .number(Long.valueOf(8))
                .sql(",")
                .numbers(List.of(1L, 2L, 3L))
                .sql(",")
                .time(Instant.parse("2026-01-31T23:59:59.999999Z"))
                .sql(",")
                .bytes(new byte[] {0, (byte) 0xff})
                .sql(",")
                .hex("0a0B")
                .sql(")"))
        .hasToString("(-7,NULL,8,1,2,3,'2026-01-31T23:59:59.999',x'00ff',x'0a0b')");
  }

  @Test
  void nothingIsNull() {
    assertThat(text().string(null)).hasToString("NULL");
    assertThat(text().bytes(null)).hasToString("NULL");
    assertThat(text().hex(null)).hasToString("NULL");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "plain ~ \"text\" %_", "\u007f", "é", "\ud83d\ude00"})
  void mostTextStandsForItself(String value) {
    assertThat(text().string(value)).hasToString("'" + value + "'");
  }

  @Test
  void quotesAreDoubled() {
    assertThat(text().string("'; DROP TABLE messages; --''"))
        .hasToString("'''; DROP TABLE messages; --'''''");
  }

  /** Whether a backslash has a meaning depends on the session. */
  @ParameterizedTest
  @ValueSource(strings = {"\\", "\\'; DROP TABLE messages; --", "\n", "\0", "é\\'"})
  void everythingElseIsWrittenInHexadecimalDigits(String value) {
    assertThat(text().string(value).toString()).matches("_utf8mb4 x'([0-9a-f]{2})+'");
  }

  private static SqlText text() {
    return new SqlText(16);
  }
}

package io.memorygateway.http.errors;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §3: what a database refuses of a caller's text is no defect. */
class ThrownErrorsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1267 | Illegal mix of collations (ascii_bin,IMPLICIT) and (utf8mb4_bin,COERCIBLE)",
        "3854 | Cannot convert string '\\xC3\\xA9' from utf8mb4 to ascii"
      })
  void aTextOfOtherCharactersThanItsColumnHasIsRefused(int number, String message) {
    assertThat(errorOf(number, message)).extracting(ApiError::status).isEqualTo(400);
  }

  @Test
  void twoColumnsOfDifferentCollationsAreADefect() {
    assertThat(errorOf(1267, "Illegal mix of collations (ascii_bin,IMPLICIT) and (x,IMPLICIT)"))
        .isNull();
  }

  private static @Nullable ApiError errorOf(int number, String message) {
    return ThrownErrors.known(
        new IllegalStateException(new SQLException(message, "HY000", number)), thrown -> false);
  }
}

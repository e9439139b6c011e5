package io.memorygateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §3: the caller's id if it is 1 to 128 printable characters, else a new one. */
class RequestIdTest {
  static String[] longestAccepted() {
    return new String[] {"x".repeat(128)};
  }

  static String[] shortestRefused() {
    return new String[] {"x".repeat(129)};
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "req-1", "~!@#$%^&*()", "with a space", "7"})
  @MethodSource("longestAccepted")
  void aPrintableIdIsTheCallers(String id) {
    assertThat(RequestId.of(id)).isEqualTo(id);
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"", " ", "a\tb", "a\r\nSet-Cookie: b", "a\u0000", "a\u007f", "é", "🦓"})
  @MethodSource("shortestRefused")
  void anyOtherIsReplaced(String id) {
    assertThat(RequestId.of(id)).isNotEqualTo(id).matches("[0-9a-f-]{36}");
  }

  @Test
  void noTwoNewOnesAreTheSame() {
    assertThat(RequestId.of(null)).isNotEqualTo(RequestId.of(null));
  }
}

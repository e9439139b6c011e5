package io.memorygateway.http.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Contract §3: the caller's id if it is 1 to 128 of a small alphabet and no key, else a new one.
 */
class RequestIdTest {
  static String[] longestAccepted() {
    return new String[] {"x".repeat(128)};
  }

  static String[] shortestRefused() {
    return new String[] {"x".repeat(129)};
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a",
        "req-1",
        "Req_1.2:3-4",
        "7",
        "task-sk-1",
        "0199d3a0-4f6c-7b1e-9d2a-3c5e7f9a1b2c"
      })
  @MethodSource("longestAccepted")
  void aPlainIdIsTheCallers(String id) {
    assertThat(RequestId.of(id)).isEqualTo(id);
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(
      strings = {
        "",
        " ",
        "with a space",
        "~",
        "a/b",
        "a,b",
        "a=b",
        "a\tb",
        "a\r\nSet-Cookie: b",
        "a\u0000",
        "a\u007f",
        "é",
        "🦓"
      })
  @MethodSource("shortestRefused")
  void anyOtherIsReplaced(String id) {
    assertThat(RequestId.of(id)).isNotEqualTo(id).matches("[0-9a-f-]{36}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "msk_0123456789abcdef0123456789abcdef",
        "req-msk_0123456789abcdef0123456789abcdef",
        "MSK_0123",
        "msa_0123456789abcdef",
        "sk-ant-api03-0123456789",
        "sk-proj-0123456789",
        "AIzaSy0123456789",
      })
  void aKeyIsNoId(String key) {
    assertThat(RequestId.of(key)).doesNotContain(key).matches("[0-9a-f-]{36}");
  }

  @Test
  void noTwoNewOnesAreTheSame() {
    assertThat(RequestId.of(null)).isNotEqualTo(RequestId.of(null));
  }

  @Test
  void aNewOneBeginsWithTheTimeSoThatTheIndexOfTheRequestLogGrowsAtItsEnd() {
    long before = System.currentTimeMillis();
    UUID id = UUID.fromString(RequestId.of(null));
    assertThat(id.version()).isEqualTo(7);
    assertThat(id.variant()).isEqualTo(2);
    assertThat(id.getMostSignificantBits() >>> 16).isBetween(before, System.currentTimeMillis());
  }
}

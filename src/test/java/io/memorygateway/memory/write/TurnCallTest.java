package io.memorygateway.memory.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.memory.rows.LastCall;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §7: which turn that was stored while another was made answers the same call. */
class TurnCallTest {
  /** The thread's last call ended before message 7 when the call was received. */
  @ParameterizedTest
  @CsvSource({
    "a, true,  9, a, false, true",
    "a, false, 9, a, true,  true",
    "a, true,  9, a, true,  true",
    // Two who say the same at once.
    "a, false, 9, a, false, false",
    "b, true,  9, a, true,  false",
    // It was there already: whoever says the same again means it.
    "a, true,  7, a, true,  false"
  })
  void anotherAttemptIsToldByItsContentAndByARetryOfEither(
      String stored, boolean storedAgain, long end, String hash, boolean again, boolean expected) {
    LastCall last = new LastCall(stored, storedAgain, end - 1, end, false, null);
    assertThat(new TurnCall(hash, again, false, 7, 1).wasStoredAs(last, false)).isEqualTo(expected);
    assertThat(new TurnCall(hash, again, false, 7, 1).wasStoredAs(null, false)).isFalse();
  }

  @Test
  void ofAnAttemptThatBrokeOffEachIsAnother() {
    LastCall last = new LastCall("a", false, 8, 9, true, null);
    assertThat(new TurnCall("a", false, false, 7, 1).wasStoredAs(last, true)).isTrue();
    assertThat(new TurnCall("b", false, false, 7, 1).wasStoredAs(last, true)).isFalse();
    assertThat(new TurnCall("a", true, false, 9, 1).wasStoredAs(last, true)).isFalse();
    // Its key says whose attempt it is.
    assertThat(new TurnCall("a", false, true, 7, 1).wasStoredAs(last, true)).isFalse();
    LastCall nothing = new LastCall("a", false, 9, 9, true, null);
    assertThat(new TurnCall("a", false, true, 7, 1).wasStoredAs(nothing, true)).isFalse();
  }

  @Test
  void ofCallsForASummaryEachIsAnotherAttempt() {
    LastCall last = new LastCall("a", false, 9, 9, false, null);
    assertThat(new TurnCall("a", false, false, 7, 1).wasStoredAs(last, false)).isTrue();
    assertThat(new TurnCall("b", false, false, 7, 1).wasStoredAs(last, false)).isFalse();
    assertThat(new TurnCall("a", false, false, 9, 1).wasStoredAs(last, false)).isFalse();
  }
}

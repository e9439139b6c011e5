package io.memorygateway.proxy.call;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.eclipse.jetty.http.HttpFields;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Waits that errors tell in their envelopes alone. */
class RetryAfterTest {
  private static final String RETRY_AFTER = "Retry-After";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'details':[{'@type':'x.RetryInfo','retryDelay':'34.07s'}] | 35",
        "'details':[{'x':1},{'retryDelay' : '5400s'}]             | 5400",
        "'retryDelay':'34s'                                       |",
        "'prompt':'try again in 9 hours'                          |",
        "'message':'Rate limit reached. Please try again in 20s.' | 20",
        "'message':'Please try again in 486ms.'                   | 1",
        "'message':'Please try again in 6m0s'                     | 360",
        "'message':'try again in 59m3.5s, or pay'                 | 3544",
        "'message':'try again in 1h2m3.5s, or pay'                | 3600",
        "'message':'try again in 999999999h'                      | 3600",
        "'message':'Please retry after 26 seconds.'               | 26",
        "'message':'Try again after 1 minute 5 seconds'           | 65",
        "'message':'Please retry in 34.074824224s.'               | 35",
        "'message':'Retry in 3s 5 m are left'                     | 3",
        "'message':'Retry in 3s 5s'                               | 3",
        "'message':'You may retry in time. Retry in 7s.'          | 7",
        "'message':'Please try again in a minute.'                |",
        "'message':'Please try again in 20 years.'                |",
        "'message':'Please try again later.'                      |",
        "'message':'industry in 20s'                              |"
      })
  void aWaitThatTheErrorTellsIsOneOfTheHeader(String members, String seconds) {
    byte[] received = ("{'error':{" + members + "}}").replace('\'', '"').getBytes(UTF_8);
    for (int status : new int[] {429, 503, 529}) {
      assertThat(RetryAfter.told(status, HttpFields.EMPTY, received).get(RETRY_AFTER))
          .isEqualTo(seconds);
    }
    assertThat(RetryAfter.told(400, HttpFields.EMPTY, received).contains(RETRY_AFTER)).isFalse();
  }

  @Test
  void theHeaderGoesBeforeIt() {
    byte[] received = "{\"error\":{\"message\":\"try again in 20s\"}}".getBytes(UTF_8);
    for (String name : new String[] {RETRY_AFTER, "retry-after-ms"}) {
      HttpFields headers = HttpFields.build().add(name, "7");
      assertThat(RetryAfter.told(429, headers, received)).isSameAs(headers);
    }
  }
}

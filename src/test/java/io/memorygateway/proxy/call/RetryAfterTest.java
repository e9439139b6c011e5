package io.memorygateway.proxy.call;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.eclipse.jetty.http.HttpFields;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Waits that errors tell in their bodies alone. */
class RetryAfterTest {
  private static final String RETRY_AFTER = "Retry-After";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[{'error':{'details':[{'@type':'x.RetryInfo','retryDelay':'34.07s'}]}}] | 35",
        "{'retryDelay' : '34s'}                                              | 34",
        "Rate limit reached. Please try again in 20s. Visit                  | 20",
        "Please try again in 486ms.                                          | 1",
        "Please try again in 6m0s                                            | 360",
        "try again in 1h2m3.5s, or pay                                       | 3724",
        "Please retry after 26 seconds.                                      | 26",
        "Try again after 1 minute 5 seconds                                  | 65",
        "Please retry in 34.074824224s.                                      | 35",
        "Please try again in a minute.                                       |",
        "Please try again in 20 years.                                       |",
        "Please try again later.                                             |",
        "industry in 20s                                                     |",
        "try again in 999999999h                                             |"
      })
  void aWaitInTheBodyIsOneOfTheHeader(String body, String seconds) {
    byte[] received = body.replace('\'', '"').getBytes(UTF_8);
    for (int status : new int[] {429, 503, 529}) {
      assertThat(RetryAfter.told(status, HttpFields.EMPTY, received).get(RETRY_AFTER))
          .isEqualTo(seconds);
    }
    assertThat(RetryAfter.told(400, HttpFields.EMPTY, received).contains(RETRY_AFTER)).isFalse();
  }

  @Test
  void theHeaderGoesBeforeIt() {
    byte[] received = "Please try again in 20s.".getBytes(UTF_8);
    for (String name : new String[] {RETRY_AFTER, "retry-after-ms"}) {
      HttpFields headers = HttpFields.build().add(name, "7");
      assertThat(RetryAfter.told(429, headers, received)).isSameAs(headers);
    }
  }
}

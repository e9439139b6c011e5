package io.memorygateway.http;

import static io.memorygateway.testing.HostileText.assertLinear;

import io.memorygateway.http.api.ApiPath;
import io.memorygateway.http.api.RequestId;
import io.memorygateway.http.errors.PrintableText;
import io.memorygateway.json.KeyText;
import org.junit.jupiter.api.Test;

/** What stands in a head is read in work in proportion to its length. */
class LinearHeaderTest {
  @Test
  void headsAreRead() {
    assertLinear(
        10_000,
        text -> {
          PrintableText.of(text, text.length());
          RequestId.of(text);
          ApiPath.plain("/v1/" + text);
          KeyText.isIn(text, "msk_", 5);
        });
  }
}

package io.memorygateway.format.content;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CallArgumentsTest {
  @Test
  void anObjectStaysAsItIs() {
    assertThat(CallArguments.object("{\"n\": 1.10}")).isEqualTo("{\"n\": 1.10}");
    assertThat(CallArguments.object("")).isEqualTo("{}");
    assertThat(CallArguments.object(" ")).isEqualTo("{}");
  }

  @Test
  void anythingElseIsKeptInOne() {
    assertThat(CallArguments.object("{\"n\"")).isEqualTo("{\"arguments\":\"{\\\"n\\\"\"}");
    assertThat(CallArguments.object("[1.0]")).isEqualTo("{\"arguments\":[1.0]}");
    assertThat(CallArguments.object("\"a\"")).isEqualTo("{\"arguments\":\"a\"}");
    assertThat(CallArguments.object("{\"n\":NaN}"))
        .isEqualTo("{\"arguments\":\"{\\\"n\\\":NaN}\"}");
  }
}

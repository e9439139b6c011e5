package io.memorygateway.format.messages;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.translation.Fault;
import io.memorygateway.format.translation.Translator;
import io.memorygateway.json.JsonValue;
import org.junit.jupiter.api.Test;

class MessagesErrorsTest {
  private final Translator messages = new MessagesTranslator();

  private String error(int status, String message, boolean tooLong) {
    return new String(messages.error(new Fault(status, "t", message, "c", tooLong)), UTF_8);
  }

  private String type(int status) {
    JsonValue body = JsonValue.of(error(status, "m", false));
    return body.get("error").text("type");
  }

  @Test
  void saysErrorsAsAnthropicDoes() {
    assertThat(error(400, "Bad \"x\".", false))
        .isEqualTo(
            "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\","
                + "\"message\":\"Bad \\\"x\\\".\"}}");
    assertThat(type(401)).isEqualTo("authentication_error");
    assertThat(type(402)).isEqualTo("billing_error");
    assertThat(type(403)).isEqualTo("permission_error");
    assertThat(type(404)).isEqualTo("not_found_error");
    assertThat(type(408)).isEqualTo("timeout_error");
    assertThat(type(413)).isEqualTo("request_too_large");
    assertThat(type(422)).isEqualTo("invalid_request_error");
    assertThat(type(429)).isEqualTo("rate_limit_error");
    assertThat(type(500)).isEqualTo("api_error");
    assertThat(type(502)).isEqualTo("api_error");
    assertThat(type(503)).isEqualTo("overloaded_error");
    assertThat(type(504)).isEqualTo("timeout_error");
    assertThat(type(529)).isEqualTo("overloaded_error");
  }

  @Test
  void saysThatAPromptIsTooLongInTheWordsThatAgentsKnow() {
    String openAi =
        "This model's maximum context length is 8192 tokens. However, you requested 9,000 tokens"
            + " (5000 in the messages, 4000 in the completion).";

    assertThat(error(400, openAi, true))
        .isEqualTo(
            "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\","
                + "\"message\":\"prompt is too long: 9000 tokens > 8192 maximum\"}}");
    assertThat(error(413, "It exceeds the context window.", true))
        .contains("invalid_request_error", "prompt is too long: It exceeds the context window.");
    assertThat(error(400, "prompt is too long: 5 tokens > 4 maximum", true))
        .contains("\"prompt is too long: 5 tokens > 4 maximum\"");
    String sum = "input length and `max_tokens` exceed context limit: 1950 + 819 > 2000, decrease";
    assertThat(error(400, sum, true)).as("agents lower max_tokens").contains("too long: " + sum);
    assertThat(error(400, "exceed context limit: 2950 > 2000", true))
        .contains("\"prompt is too long: 2950 tokens > 2000 maximum\"");
    assertThat(messages.status(new Fault(500, "", "x", null, true))).isEqualTo(400);
    assertThat(messages.status(new Fault(529, "", "x", null, false))).isEqualTo(529);
  }

  @Test
  void tellsSdksToGoOnWithoutAThread() {
    Fault fault = new Fault(400, "", "thread", "thread_unsupported_request", false);

    assertThat(new String(messages.error(fault), UTF_8))
        .contains("\"details\":{\"error_code\":\"thread_unsupported_request\"}");
  }

  @Test
  void readsErrorsOfOddForms() {
    assertThat(read("{'type':'error','error':{'type':'overloaded_error','message':'Busy'}}"))
        .isEqualTo(new Fault(529, "overloaded_error", "Busy", null, false));
    assertThat(read("{'error':'Busy'}")).isEqualTo(new Fault(502, "", "Busy", null, false));
    assertThat(read("{'type':'error','detail':'Busy'}").message()).isEqualTo("Busy");
    assertThat(read("{'error':{'message':{'x':1},'type':7}}").message()).isNotBlank();
    assertThat(read("[1]").message()).isNotBlank();
    Fault fault =
        read("{'error':{'type':'api_error','message':'prompt is too long: 5 tokens > 4 maximum'}}");
    assertThat(fault.tooLong()).isTrue();
    assertThat(fault.status()).isEqualTo(400);
  }

  private static Fault read(String data) {
    return MessagesErrors.of(JsonValue.of(data.replace('\'', '"')));
  }
}

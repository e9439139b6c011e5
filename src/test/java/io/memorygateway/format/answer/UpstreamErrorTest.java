package io.memorygateway.format.answer;

import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

public class UpstreamErrorTest {
  /** Words by which servers say that a call is longer than the model's context. */
  public static final List<String> TOO_LONG =
      List.of(
          // OpenAI, vLLM and others
          "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
          "Your input exceeds the context window of this model. Please adjust your input.",
          "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
          "You passed 5000 input tokens. However, the model's context length is only 4096 tokens.",
          "Input tokens exceed the configured limit of 272000 tokens.",
          "Please reduce the length of the messages or completion.",
          // Bedrock
          "Too many input tokens. Max input tokens: 8192, request input token count: 9000",
          "Input Tokens Exceeded: Number of input tokens exceeds maximum length.",
          // Alibaba, Zhipu, Cohere
          "Range of input length should be [1, 30720]",
          "Prompt exceeds max length",
          "too many tokens: total number of tokens in the prompt cannot exceed 4081",
          // llama.cpp
          "the request exceeds the available context size. try increasing the context size",
          "request (9000 tokens) exceeds the available context size (4096 tokens)",
          // SGLang
          "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
          "Requested token count exceeds the model's maximum context length of 4096 tokens.",
          // Ollama
          "the input length exceeds the context length",
          "prompt too long; exceeded max context length by 7 tokens",
          // TGI
          "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000",
          "Input validation error: `inputs` must have less than 1024 tokens. Given: 2000",
          // Anthropic, also on Bedrock
          "prompt is too long: 200001 tokens > 200000 maximum",
          "input length and `max_tokens` exceed context limit: 199000 + 8000 > 200000",
          "Input is too long for requested model.",
          // Gemini
          "The input token count (1500000) exceeds the maximum number of tokens allowed (1048576).",
          // xAI
          "This model's maximum prompt length is 131072 but the request contains 200000 tokens.");

  private static final String GENERIC =
      "{\"error\":{\"message\":\"The upstream answered with an error.\",\"type\":\"upstream_error\"}}";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"error\":{\"message\":\"No\",\"type\":\"server_error\",\"param\":null,\"code\":1.10}}",
        "{\"error\":{ \"type\" : \"t\",\n\"x\":{\"message\":1}, \"message\":\"\\u00e9\\/é\" }}",
        "{\"error\":{\"message\":\"a\",\"message\":\"b\",\"type\":\"t\"}}"
      })
  void keepsAnErrorObjectThatHasAll(String body) {
    assertThat(rewrite(500, body)).isEqualTo(body);
  }

  @Test
  void findsTheErrorOfAChoice() {
    String error = "{\"message\":\"No\",\"type\":\"t\"}";
    assertThat(rewrite(502, "{\"error\":null,\"choices\":[{\"error\":" + error + "}]}"))
        .isEqualTo("{\"error\":" + error + "}");
    assertThat(rewrite(502, "{\"choices\":[{\"error\":\"No\",\"message\":{}}]}"))
        .isEqualTo("{\"error\":{\"message\":\"No\",\"type\":\"upstream_error\"}}");
    assertThat(rewrite(502, "{\"choices\":[{\"error\":{},\"message\":{}}]}")).isEqualTo(GENERIC);
  }

  /** Cloudflare, watsonx. */
  @Test
  void findsTheErrorOfAList() {
    assertThat(rewrite(400, "{\"success\":false,\"errors\":[{\"code\":7009,\"message\":\"No\"}]}"))
        .isEqualTo(
            "{\"error\":{\"type\":\"invalid_request_error\",\"code\":7009,\"message\":\"No\"}}");
    assertThat(rewrite(500, "{\"errors\":[{\"code\":7009}]}"))
        .contains("The upstream answered with an error.");
    assertThat(rewrite(500, "{\"errors\":[{\"message\":\"x\"}],\"error\":\"No\"}"))
        .contains("\"message\":\"No\"");
    assertThat(rewrite(500, "{\"errors\":[\"No\"]}")).contains("No");
    assertThat(rewrite(500, "{\"errors\":[],\"message\":\"No\"}"))
        .isEqualTo("{\"error\":{\"message\":\"No\",\"type\":\"upstream_error\"}}");
  }

  @Test
  void knowsTheWordsForAContextThatIsTooLong() {
    for (String words : TOO_LONG) {
      String body = "{\"error\":{\"message\":\"" + words + "\"}}";
      assertThat(new RefusalWords(body.getBytes(UTF_8)).isContextLength()).as(words).isTrue();
    }
    assertThat(
            new RefusalWords("{\"error\":\"too many requests\"}".getBytes(UTF_8)).isContextLength())
        .isFalse();
  }

  /** OpenAI, vLLM, FastAPI, Anthropic. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Unsupported value: 'reasoning_effort' does not support 'minimal' with this model.",
        "{'type': 'literal_error', 'loc': ('body', 'reasoning', 'effort'), 'input': 'max'}",
        "[{\"type\":\"enum\",\"loc\":[\"body\",\"reasoning\",\"effort\"]}]",
        "This model does not support the effort parameter.",
        "This model does not support effort level 'xhigh'. Supported levels: high, low.",
        "adaptive thinking is not supported on this model"
      })
  void knowsTheWordsForAnEffortThatIsNotTaken(String words) {
    assertThat(new RefusalWords(words.getBytes(UTF_8)).isOfEffort()).isTrue();
    assertThat(new RefusalWords("Make an effort.".getBytes(UTF_8)).isOfEffort()).isFalse();
  }

  /** Anthropic, OpenAI's Responses and Chat, Moonshot. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "`temperature` is deprecated for this model.",
        "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
        "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.",
        "Unsupported parameter: 'top_p' is not supported with this model.",
        "Unsupported value: 'temperature' does not support 0.7 with this model. Only the default"
            + " (1) value is supported.",
        "invalid temperature: only 1 is allowed for this model",
        "Unsupported parameter: 'stop' is not supported with this model.",
        "Argument not supported on this model: stop",
        "Unsupported value: \\u0027temperature\\u0027 does not support 0.7 with this model.",
        "1 validation error:\\ntop_p\\n  is not supported",
        "Invalid 'stop': array too long. Expected an array with maximum length 4."
      })
  void knowsTheWordsForSamplingThatIsNotTaken(String words) {
    Set<String> members = Set.of("temperature", "top_p", "top_k", "stop");
    assertThat(new RefusalWords(words.getBytes(UTF_8)).isOfMembers(members)).isTrue();
    for (String others :
        List.of("temperature: must be a number", "the tool get_temperature is not supported")) {
      assertThat(new RefusalWords(others.getBytes(UTF_8)).isOfMembers(members)).isFalse();
    }
  }

  @Test
  void dropsTheOtherTopLevelMembers() {
    assertThat(
            rewrite(
                529,
                "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Over\"},"
                    + "\"request_id\":\"r\"}"))
        .isEqualTo("{\"error\":{\"type\":\"overloaded_error\",\"message\":\"Over\"}}");
    assertThat(
            rewrite(
                400,
                "{\"user_id\":\"u\",\"error\":{\"message\":\"m\",\"type\":\"t\"} , \"z\":[1]}"))
        .isEqualTo("{\"error\":{\"message\":\"m\",\"type\":\"t\"}}");
  }

  @Test
  void addsWhatAnErrorObjectLacks() {
    assertThat(rewrite(400, "{\"error\":{\"code\":400,\"message\":\"m\"}}"))
        .isEqualTo(
            "{\"error\":{\"type\":\"invalid_request_error\",\"code\":400,\"message\":\"m\"}}");
    assertThat(rewrite(500, "{\"error\":{\"type\":\"t\"}}"))
        .isEqualTo(
            "{\"error\":{\"message\":\"The upstream answered with an error.\",\"type\":\"t\"}}");
    assertThat(rewrite(500, "{\"error\":{ }}")).isEqualTo(GENERIC.replace("}}", " }}"));
  }

  @Test
  void makesMessageAndTypeStrings() {
    assertThat(rewrite(500, "{\"error\":{\"message\":null,\"type\":null,\"x\":1}}"))
        .isEqualTo(GENERIC.replace("}}", ",\"x\":1}}"));
    assertThat(rewrite(401, "{\"error\":{\"type\":7,\"message\":{\"a\":\"b\"}}}"))
        .isEqualTo(
            "{\"error\":{\"type\":\"authentication_error\",\"message\":\"{\\\"a\\\":\\\"b\\\"}\"}}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        // Ollama
        "{\"error\":\"model \\\"x\\\" not found\"}|{\"message\":\"model \\\"x\\\" not found\",\"type\":\"not_found\"}",
        // vLLM
        "{\"object\":\"error\",\"message\":\"m\",\"type\":\"BadRequestError\",\"param\":null,\"code\":400}"
            + "|{\"message\":\"m\",\"type\":\"BadRequestError\",\"param\":null,\"code\":400}",
        "{\"message\":\"m\"}|{\"message\":\"m\",\"type\":\"not_found\"}",
        "{\"error\":null,\"message\":\"m\"}|{\"message\":\"m\",\"type\":\"not_found\"}",
        "{\"error\":true,\"message\":\"m\"}|{\"message\":\"m\",\"type\":\"not_found\"}",
        "{\"detail\":\"Not Found\"}|{\"message\":\"Not Found\",\"type\":\"not_found\"}",
        "{\"detail\":[{\"msg\":\"m\"}]}|{\"message\":\"[{\\\"msg\\\":\\\"m\\\"}]\",\"type\":\"not_found\"}",
        // Gemini
        "[{\"error\":{\"code\":404,\"message\":\"m\",\"status\":\"NOT_FOUND\"}}]"
            + "|{\"type\":\"not_found\",\"code\":404,\"message\":\"m\",\"status\":\"NOT_FOUND\"}",
      })
  void understandsTheShapesOfOtherServers(String body, String error) {
    assertThat(rewrite(404, body)).isEqualTo("{\"error\":" + error + "}");
    assertThat(rewrite(404, "\ufeff" + body)).isEqualTo("{\"error\":" + error + "}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "<html><body>502 Bad Gateway nginx</body></html>",
        "Internal Server Error",
        "{}",
        "[]",
        "[1]",
        "null",
        "\"text\"",
        "{\"x\":1}",
        "{\"error\":404}",
        "{\"error\":{\"message\":\"m\",\"type\":\"t\"}",
        "{\"error\":{\"message\":\"m\",\"type\":\"t\"}} trailing",
        "{\"error\":{\"message\":\"m"
      })
  void neverShowsABodyThatItDoesNotUnderstand(String body) {
    assertThat(rewrite(502, body)).isEqualTo(GENERIC);
  }

  @Test
  void neverShowsWhatIsNotUtf8() {
    byte[] broken =
        "{\"error\":{\"message\":\"\u00ff\",\"type\":\"t\"}}"
            .getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);

    assertThat(UpstreamError.rewrite(500, broken, List.of())).asString(UTF_8).isEqualTo(GENERIC);
    assertThat(UpstreamError.rewrite(500, "{\"error\":\"m\"}".getBytes(UTF_16), List.of()))
        .asString(UTF_8)
        .isEqualTo(GENERIC);
  }

  @ParameterizedTest
  @CsvSource({
    "400, invalid_request_error",
    "422, invalid_request_error",
    "401, authentication_error",
    "403, permission_error",
    "404, not_found",
    "429, rate_limit_error",
    "409, upstream_error",
    "500, upstream_error",
    "529, upstream_error"
  })
  void takesTheTypeFromTheStatusWhenThereIsNone(int status, String type) {
    assertThat(rewrite(status, "")).isEqualTo(GENERIC.replace("upstream_error", type));
  }

  @Test
  void masksSecretsHoweverTheyAreEscaped() throws Exception {
    String body =
        "{\"error\":{\"message\":\"key sk-secret/1= and sk\\u002dsecret\\/1\\u003d!\",\"type\":\"t\","
            + "\"sk-secret/1=\":[\"xsk-secret/1=\",\"sk-secret\"],\"n\":1234567890,\"z\":1.10}}";

    byte[] rewritten =
        UpstreamError.rewrite(
            401, body.getBytes(UTF_8), List.of("sk-secret", "sk-secret/1=", "1234567890", "", "t"));

    assertThat(rewritten)
        .asString(UTF_8)
        .isEqualTo(
            "{\"error\":{\"message\":\"key *** and ***!\",\"type\":\"t\","
                + "\"***\":[\"x***\",\"***\"],\"n\":\"***\",\"z\":1.10}}");
    JsonNode parsed = new ObjectMapper().readTree(rewritten);
    assertThat(parsed.at("/error/message").asText()).isEqualTo("key *** and ***!");
  }

  @Test
  void neverFailsOnDeepNesting() {
    String deep = "{\"message\":\"m\",\"code\":" + "[".repeat(499) + "]".repeat(499) + "}";

    assertThat(rewrite(500, deep)).isEqualTo(GENERIC);
    assertThat(rewrite(500, "[".repeat(100_000))).isEqualTo(GENERIC);
  }

  private static String rewrite(int status, String body) {
    return new String(
        UpstreamError.rewrite(status, body.getBytes(UTF_8), List.of("not-in-there")), UTF_8);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "the encrypted_content could not be verified",
        "Encrypted content is invalid",
        "missing thought_signature",
        "a Thought Signature is required",
        "Invalid signature in thinking block",
        "messages.1.content.0.thinking.signature: Field required",
        "('messages.2.reasoning_content' : property 'reasoning_content' is unsupported)",
        "{\"type\":\"extra_forbidden\",\"loc\":[\"messages\",2,\"reasoning_details\"]}",
        "Unknown name \\\"extra_content\\\" at 'messages[1]': Cannot find field.",
        "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
        "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.",
        "input item ID does not belong to this connection",
        "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.",
        "messages.1.content.0: Invalid `data` in `redacted_thinking` block",
        "Expected container_id: cntr_1",
        "Container is expired."
      })
  void reasoningOfAnotherModelIsRecognized(String message) {
    assertThat(new RefusalWords(message.getBytes(UTF_8)).isForeignReasoning()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "invalid signature",
        "thinking budget too large",
        "Expected `thinking` or `redacted_thinking`, but found `tool_use`.",
        "no such model",
        "reasoning.effort"
      })
  void otherErrorsAreNotOfReasoning(String message) {
    assertThat(new RefusalWords(message.getBytes(UTF_8)).isForeignReasoning()).isFalse();
  }

  /** Of DeepSeek and Moonshot. */
  @Test
  void missingReasoningIsTold() {
    for (String message :
        List.of(
            "The `reasoning_content` in the thinking mode must be passed back to the API.",
            "The `content[].thinking` in the thinking mode must be passed back to the API.",
            "thinking is enabled but reasoning_content is missing in assistant tool call message at"
                + " index 2")) {
      assertThat(new RefusalWords(message.getBytes(UTF_8)).isOfMissingReasoning()).isTrue();
    }
    for (String message :
        List.of("Unknown parameter: reasoning_content", "tool results must be passed back")) {
      assertThat(new RefusalWords(message.getBytes(UTF_8)).isOfMissingReasoning()).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "System message must be at the beginning.",
        "After the (optional) system message(s), user and assistant roles should be alternating.",
        "deepseek-reasoner does not support successive user or assistant messages",
        "Unexpected role 'user' after role 'tool'",
        "Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9."
      })
  void refusedRolesAreTold(String message) {
    assertThat(new RefusalWords(message.getBytes(UTF_8)).isOfRoles()).isTrue();
    assertThat(new RefusalWords("No user role.".getBytes(UTF_8)).isOfRoles()).isFalse();
  }
}

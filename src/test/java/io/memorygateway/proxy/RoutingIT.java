package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RawClient;
import io.memorygateway.testing.RecordedRequest;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §6: which provider a model goes to, and under what name. */
class RoutingIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                var vllm = config.withObject("/providers").putObject("vllm");
                vllm.put("baseUrl", UPSTREAM.url() + "/vllm/v1").put("needsKey", false);
                vllm.putArray("endpoints").add("chat");
                vllm.putArray("models").add("qwen3-32b").add("Qwen/Qwen3-32B");
                var keyless = config.withObject("/providers").putObject("keyless");
                keyless.put("baseUrl", UPSTREAM.url() + "/keyless/v1");
                keyless.putArray("endpoints").add("chat").add("count_tokens");
              });

  @ParameterizedTest
  @CsvSource({
    "chat/completions, openai/gpt-5-mini, /openai/v1/chat/completions, gpt-5-mini",
    "chat/completions, mastra/openai/gpt-5-mini, /openai/v1/chat/completions, gpt-5-mini",
    "chat/completions, gpt-5-mini, /openai/v1/chat/completions, gpt-5-mini",
    "chat/completions, o1, /openai/v1/chat/completions, o1",
    "chat/completions, o3-mini, /openai/v1/chat/completions, o3-mini",
    "chat/completions, o4-mini, /openai/v1/chat/completions, o4-mini",
    "chat/completions, chatgpt-4o-latest, /openai/v1/chat/completions, chatgpt-4o-latest",
    "responses, codex-mini-latest, /openai/v1/responses, codex-mini-latest",
    "responses, openai/gpt-5, /openai/v1/responses, gpt-5",
    "messages, claude-sonnet-4-5, /anthropic/v1/messages, claude-sonnet-4-5",
    "messages, anthropic/claude-sonnet-4-5, /anthropic/v1/messages, claude-sonnet-4-5",
    "messages/count_tokens, claude-sonnet-4-5, /anthropic/v1/messages/count_tokens, claude-sonnet-4-5",
    "chat/completions, gemini-2.5-pro, /google/chat/completions, gemini-2.5-pro",
    "chat/completions, google/gemini-2.5-pro, /google/chat/completions, gemini-2.5-pro",
    "chat/completions, openrouter/auto, /openrouter/v1/chat/completions, openrouter/auto",
    "chat/completions, meta-llama/llama-4, /openrouter/v1/chat/completions, meta-llama/llama-4",
    "messages, meta-llama/llama-4, /openrouter/v1/messages, meta-llama/llama-4",
    "responses, something-new, /openrouter/v1/responses, something-new",
    "chat/completions, o10, /openrouter/v1/chat/completions, o10",
    "completions, openai/gpt-3.5-turbo-instruct, /openai/v1/completions, gpt-3.5-turbo-instruct",
    "embeddings, openai/text-embedding-3-small, /openai/v1/embeddings, text-embedding-3-small",
    "chat/completions, vllm/Qwen/Qwen3-32B, /vllm/v1/chat/completions, Qwen/Qwen3-32B",
    "chat/completions, keyless/some-model, /openrouter/v1/chat/completions, keyless/some-model",
  })
  void aModelGoesToItsProvider(String endpoint, String model, String path, String upstreamModel)
      throws Exception {
    HttpResponse<String> answer =
        GATEWAY.post("/v1/" + endpoint, "{\"model\":\"" + model + "\",\"messages\":[]}");

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    RecordedRequest request = UPSTREAM.takeRequest();
    assertThat(request.path()).isEqualTo(path);
    assertThat(request.json().path("model").asText()).isEqualTo(upstreamModel);
  }

  @ParameterizedTest
  @CsvSource({
    "/chat/completions, /openai/v1/chat/completions, openai/gpt-5",
    "/v1/v1/responses?include=x, /openai/v1/responses?include=x, openai/gpt-5",
    "/messages, /anthropic/v1/messages, claude-x",
    "/openai/v1/responses?api-version=preview, /openai/v1/responses, openai/gpt-5",
    "/openai/deployments/vllm/qwen/chat/completions?api-version=2025-04-01&a=b, /vllm/v1/chat/completions?a=b, gpt-4o",
  })
  void anotherNameOfAPathWorks(String path, String upstreamPath, String model) throws Exception {
    HttpResponse<String> answer =
        GATEWAY.post(path, "{\"model\":\"" + model + "\",\"messages\":[]}");

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    RecordedRequest request = UPSTREAM.takeRequest();
    assertThat(request.target()).isEqualTo(upstreamPath);
    assertThat(request.json().path("model").asText())
        .isEqualTo(path.contains("qwen") ? "qwen" : model.replace("openai/", ""));
    assertThat(answer.headers().firstValue("X-RateLimit-Scope")).contains("llm_proxy");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"messages\":[]}", "{\"model\":\"gpt-4o\",\"messages\":[]}"})
  void theModelOfAPathGoesBeforeThatOfTheBody(String body) throws Exception {
    HttpResponse<String> answer = GATEWAY.post("/openai/deployments/gpt-5/chat/completions", body);

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(UPSTREAM.takeRequest().text()).isEqualTo("{\"model\":\"gpt-5\",\"messages\":[]}");
  }

  @ParameterizedTest
  @CsvSource({
    "messages, openai/gpt-5, /v1/responses",
    "messages, gpt-5, /v1/chat/completions",
    "chat/completions, claude-sonnet-4-5, /v1/messages",
    "responses, google/gemini-2.5-pro, /v1/chat/completions",
    "messages/count_tokens, google/gemini-2.5-pro, /v1/chat/completions",
  })
  void anEndpointThatTheProviderDoesNotServeIsRefusedWithWhatItServes(
      String endpoint, String model, String named) throws Exception {
    HttpResponse<String> answer = GATEWAY.post("/v1/" + endpoint, "{\"model\":\"" + model + "\"}");

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("\"type\":\"invalid_request_error\"").contains(named);
    assertThat(UPSTREAM.requests()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "messages|t|\"thread\":{\"type\":\"create\"}|thread_unsupported_request",
        "messages||\"thread\":{\"type\":\"continue\",\"id\":\"x\"}|thread_unsupported_request",
        "responses|t|\"background\":true|background",
      })
  void whatTheProviderIsToKeepIsRefusedWhereTheConversationWouldBeLost(
      String path, String thread, String member, String words) throws Exception {
    HttpResponse<String> answer = keeping(path, thread, member);

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
    JsonNode error = JSON.readTree(answer.body()).path("error");
    assertThat(error.path("type").asText()).isEqualTo("invalid_request_error");
    assertThat(
            path.equals("messages")
                ? error.at("/details/error_code").asText()
                : error.path("message").asText())
        .contains(words);
    assertThat(UPSTREAM.requests()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "messages|t|\"thread\":null",
        "responses||\"background\":true",
        "responses|t|\"background\":false",
        "chat/completions|t|\"thread\":{}",
      })
  void anythingElseOfTheKindPasses(String path, String thread, String member) throws Exception {
    UPSTREAM.takingAll("members of other formats");
    HttpResponse<String> answer = keeping(path, thread, member);

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(UPSTREAM.takeRequest().text()).contains(member);
  }

  private static HttpResponse<String> keeping(String path, String thread, String member)
      throws Exception {
    HttpRequest.Builder request =
        GATEWAY.request("/v1/" + path).header("Content-Type", "application/json");
    if (thread != null) {
      request.header("x-thread-id", path + member.hashCode()).header("x-resource-id", "r");
    }
    String model = path.equals("messages") ? "claude-x" : "gpt-5";
    return GATEWAY.send(
        request.POST(
            HttpRequest.BodyPublishers.ofString(
                "{\"model\":\"%s\",\"max_tokens\":9,\"input\":\"hi\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],%s}"
                    .formatted(model, member))));
  }

  @Test
  void aQueryThatIsNoQueryIsRefused() throws Exception {
    try (RawClient client = new RawClient(GATEWAY.port())) {
      client.post("/v1/chat/completions?a=%zz|{", GATEWAY.key(), "{\"model\":\"gpt-5\"}");

      assertThat(client.readAnswer()).startsWith("HTTP/1.1 400").contains("invalid_request_error");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"openai/", "mastra/", "mastra/openai/", "openrouter/", "/", "vllm/ "})
  void aProviderWithoutAModelIsRefused(String model) throws Exception {
    HttpResponse<String> answer =
        GATEWAY.post("/v1/chat/completions", "{\"model\":\"" + model + "\"}");

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
    assertThat(answer.body()).contains("\"type\":\"invalid_request_error\"");
    assertThat(UPSTREAM.requests()).isEmpty();
  }

  @Test
  void modelsListsWhatTheConfigurationNamesAndNoPatterns() throws Exception {
    JsonNode list = JSON.readTree(GATEWAY.get("/v1/models").body());

    assertThat(list.path("data").findValuesAsText("id"))
        .containsExactly("openai/o1", "vllm/qwen3-32b", "vllm/Qwen/Qwen3-32B");
    assertThat(list.path("first_id").asText()).isEqualTo("openai/o1");
    assertThat(list.path("last_id").asText()).isEqualTo("vllm/Qwen/Qwen3-32B");
  }

  @ParameterizedTest
  @CsvSource({
    "gpt-5, gpt-5, openai",
    "openai/gpt-5, openai/gpt-5, openai",
    "mastra/openai/gpt-5, openai/gpt-5, openai",
    "openai%2Fgpt-5, openai/gpt-5, openai",
    "o1, o1, openai",
    "claude-sonnet-4-5, claude-sonnet-4-5, anthropic",
    "vllm/qwen3-32b, vllm/qwen3-32b, vllm",
    "qwen3-32b, vllm/qwen3-32b, vllm",
    "vllm/Qwen/Qwen3-32B, vllm/Qwen/Qwen3-32B, vllm",
    "Qwen/Qwen3-32B, vllm/Qwen/Qwen3-32B, vllm",
    "Qwen%2FQwen3-32B, vllm/Qwen/Qwen3-32B, vllm",
  })
  void aModelThatTheConfigurationNamesIsKnown(String name, String id, String owner)
      throws Exception {
    HttpResponse<String> answer = GATEWAY.get("/v1/models/" + name);

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    JsonNode model = JSON.readTree(answer.body());
    assertThat(model.path("id").asText()).isEqualTo(id);
    assertThat(model.path("owned_by").asText()).isEqualTo(owner);
    assertThat(model.path("object").asText()).isEqualTo("model");
    assertThat(model.path("type").asText()).isEqualTo("model");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nobodys",
        "openai/nobodys",
        "vllm/gpt-5",
        "o10",
        "openai/",
        "meta/llama-404",
        "gpt-*",
        "openai/gpt-*",
        "gpt-5%2A"
      })
  void anyOtherModelIsUnknown(String name) throws Exception {
    HttpResponse<String> answer = GATEWAY.get("/v1/models/" + name);

    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(answer.body())
        .isEqualTo("{\"error\":{\"message\":\"There is no such model.\",\"type\":\"not_found\"}}");
  }
}

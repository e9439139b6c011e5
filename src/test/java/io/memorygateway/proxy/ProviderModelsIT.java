package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RecordedRequest;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §6: {@code /v1/models} lists what the providers themselves list. */
class ProviderModelsIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                for (String name : new String[] {"named", "silent", "broken"}) {
                  var provider = config.withObject("/providers").putObject(name);
                  provider.put("baseUrl", UPSTREAM.url() + "/" + name + "/v1");
                  provider.put("needsKey", false).putArray("endpoints").add("chat");
                }
                config.withObject("/providers/named").putArray("models").add("m1");
                config.withObject("/modelAliases").put("same", "anthropic/claude-x");
                config
                    .withObject("/routes/wide")
                    .putArray("groups")
                    .add(
                        config
                            .arrayNode()
                            .add(config.objectNode().put("to", "named/m1").put("window", 32_768))
                            .add(
                                config
                                    .objectNode()
                                    .put("to", "openai/gpt-5")
                                    .put("window", 400_000)));
                var keyless = config.withObject("/providers").putObject("keyless");
                keyless.put("baseUrl", UPSTREAM.url() + "/keyless/v1");
                keyless.putArray("endpoints").add("chat");
              });

  /** Since the gateway began. */
  private static final Queue<String> ASKED = new ConcurrentLinkedQueue<>();

  /** A call waits a second at most for lists that were not there before. */
  @BeforeAll
  static void awaitTheLists() {
    UPSTREAM.answerModels(ProviderModelsIT::list);
    await()
        .until(
            () ->
                Stream.of(
                        "openai/o1", "anthropic/claude-x", "google/gemini-x", "meta-llama/llama-4")
                    .allMatch(GATEWAY.get("/v1/models").body()::contains));
  }

  @BeforeEach
  void providersListTheirModels() {
    UPSTREAM.answerModels(ProviderModelsIT::list);
  }

  private static Answer list(RecordedRequest request) {
    ASKED.add(request.target());
    return switch (request.path()) {
      case "/openai/v1/models" ->
          Answer.json(
              200, "{\"object\":\"list\",\"data\":[" + model("gpt-5") + "," + model("o1") + "]}");
      case "/anthropic/v1/models" ->
          Answer.json(
              200,
              "{\"has_more\":false,\"data\":["
                  + model("claude-x")
                  + ","
                  + model(TestGateway.PROVIDER_KEY)
                  + "]}");
      case "/google/models" -> Answer.json(200, "{\"data\":[" + model("models/gemini-x") + "]}");
      case "/openrouter/v1/models" ->
          Answer.json(
              200,
              "{\"data\":[" + model("openai/gpt-5") + "," + model("meta-llama/llama-4") + "]}");
      case "/silent/v1/models" -> Answer.hang();
      default -> Answer.json(500, "{}");
    };
  }

  private static String model(String id) {
    String window = id.equals("claude-x") ? ",\"max_input_tokens\":1000000" : "";
    return "{\"id\":\"%s\",\"pricing\":{\"id\":1}%s}".formatted(id, window);
  }

  @Test
  void whatTheProvidersListIsListedWhereItCanBeReached() throws Exception {
    JsonNode list = JSON.readTree(GATEWAY.get("/v1/models").body());

    assertThat(list.path("data").findValuesAsText("id"))
        .contains(
            "openai/o1",
            "openai/gpt-5",
            "anthropic/claude-x",
            "google/gemini-x",
            "meta-llama/llama-4",
            "named/m1")
        .doesNotContain("openrouter/openai/gpt-5", "openai/openai/gpt-5")
        .doesNotHaveDuplicates();
    assertThat(list.toString()).doesNotContain(TestGateway.PROVIDER_KEY);
    assertThat(list.path("data").findValuesAsText("owned_by")).contains("openrouter");
  }

  @Test
  void whoNamesModelsOrHasNoKeyIsNotAsked() throws Exception {
    for (int i = 0; i < 3; i++) {
      assertThat(GATEWAY.get("/v1/models").statusCode()).isEqualTo(200);
    }

    assertThat(ASKED)
        .containsOnlyOnce("/anthropic/v1/models?limit=1000", "/openai/v1/models")
        .noneMatch(target -> target.startsWith("/named/") || target.startsWith("/keyless/"));
  }

  @ParameterizedTest
  @CsvSource({
    "meta-llama/llama-4, openrouter",
    "google/gemini-x, google",
    "anthropic/claude-x, anthropic",
  })
  void aListedModelIsKnown(String name, String owner) throws Exception {
    JsonNode model = JSON.readTree(GATEWAY.get("/v1/models/" + name).body());

    assertThat(model.path("id").asText()).isEqualTo(name);
    assertThat(model.path("owned_by").asText()).isEqualTo(owner);
  }

  /** Contract §14: of the configuration, else of the provider's list. */
  @ParameterizedTest
  @CsvSource({
    "wide, 400000",
    "named/m1, 32768",
    "openai/gpt-5, 400000",
    "anthropic/claude-x, 1000000",
    "same, 1000000",
    "meta-llama/llama-4,",
  })
  void aWindowThatIsKnownIsShown(String name, @Nullable Integer window) throws Exception {
    JsonNode model = JSON.readTree(GATEWAY.get("/v1/models/" + name).body());
    JsonNode list = JSON.readTree(GATEWAY.get("/v1/models").body()).path("models");

    assertThat(model.has("context_window")).isEqualTo(window != null);
    assertThat(model.path("context_window").asInt()).isEqualTo(window == null ? 0 : window);
    assertThat(list).contains(model);
  }

  @ParameterizedTest
  @ValueSource(strings = {"named/m2", "silent/m1", "meta-llama/llama-5"})
  void anyOtherIsNot(String name) throws Exception {
    assertThat(GATEWAY.get("/v1/models/" + name).statusCode()).isEqualTo(404);
  }
}

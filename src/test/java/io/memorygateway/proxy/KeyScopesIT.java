package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.memory.replay.IdempotencyClaim;
import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §15: a key does what its scopes allow, and nothing else goes upstream. */
class KeyScopesIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String CHAT = Routed.CHAT;
  private static final String PLAIN = "{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}],";

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .with("ANTHROPIC_API_KEY", null)
          .configured(
              config -> {
                Routed.exactLimits(config);
                Routed.provider(config, "one", UPSTREAM).putArray("models").add("a").add("b");
                Routed.provider(config, "two", UPSTREAM).putArray("models").add("a");
                var more = Routed.provider(config, "more", UPSTREAM).withArray("endpoints");
                List.of("batches", "audio", "embeddings", "files", "response_objects")
                    .forEach(more::add);
                Routed.route(config, "fast", "two/a");
                config.withObject("/modelAliases").put("nick", "one/b").put("claude-*", "one/a");
                config.put("defaultProvider", "openrouter");
                config.withObject("/memory").put("sessionThreads", true);
                config.putArray("trustedProxies").add("127.0.0.0/8");
              });

  private JsonNode issued;

  @BeforeEach
  void aKeyIsIssued() throws Exception {
    UPSTREAM.takingAll("one body for every path");
    issued = GATEWAY.task("key-issue?project=scopes&name=it");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "one/*        | one/a             | true",
        "one/*        | mastra/one/a      | true",
        "one/*        | two/a             | false",
        "one/*        | ONE/a             | false",
        "one/a        | one/ab            | false",
        "one/b        | nick              | true",
        "nick         | nick              | false",
        "one/a        | claude-sonnet-5   | true",
        "two/*        | claude-sonnet-5   | false",
        "fast         | fast              | true",
        "fast         | mastra/fast       | true",
        "fast         | two/a             | false",
        "two/*        | fast              | false",
        "openai/gpt-* | gpt-5             | true",
        "google/*     | gpt-5             | false",
        "openrouter/* | meta-llama/x      | true",
        "meta-llama/* | meta-llama/x      | false",
        "anthropic/*  | anthropic/x       | false",
        "openrouter/anthropic/* | anthropic/x | true",
        "x/*,one/a    | one/a             | true",
        "*            | two/a             | true",
      })
  void modelsAreToldByWhatTheyAreSentTo(String models, String asked, boolean allowed)
      throws Exception {
    scope("models", models);

    HttpResponse<String> answer = post(CHAT, PLAIN + "\"model\":\"" + asked + "\"}");

    if (allowed) {
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    } else {
      assertThat(refused(answer)).contains(models.replace(",", ", "));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"model\":\"one/a\",\"models\":[\"one/b\",\"fast\"]   | true",
        "\"models\":[\"one/a\",\"nick\"]                       | true",
        "\"models\":[\"one/a\",\"two/a\"]                      | false",
        "\"model\":\"one/a\",\"models\":[\"two/a\"]            | false",
        "\"model\":\"two/a\",\"models\":[\"one/a\"]            | false",
        "\"model\":\"one/a\",\"models\":null                   | true",
        "\"model\":\"one/a\",\"models\":\"two/a\"              | false",
        "\"model\":\"one/a\",\"models\":[\"one/a\"],\"models\":[\"two/a\"] | false",
        "\"model\":\"one/a\",\"models\":[{\"id\":\"two/a\"}]   | false",
        "\"model\":\"one/a\",\"Model\":\"two/a\"               | false",
        "\"model\":\"openrouter/a\",\"models\":[\"x/y\"]       | true",
        "\"model\":\"openrouter/a\",\"models\":[\"one/z/y\"]   | false",
      })
  void everyNameOfAListCounts(String members, boolean allowed) throws Exception {
    scope("models", "one/*,fast,openrouter/a,openrouter/x/*");

    HttpResponse<String> answer = post(CHAT, PLAIN + members + "}");

    if (allowed) {
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    } else {
      refused(answer);
    }
  }

  @Test
  void ofAnEndpointThatTakesNoListTheProviderMayReadIt() throws Exception {
    scope("models", "one/a");
    String body = Routed.body(Routed.MESSAGES, "one/a", false);

    assertThat(post(Routed.MESSAGES, body).statusCode()).isEqualTo(200);
    UPSTREAM.reset();
    refused(post(Routed.MESSAGES, "{\"models\":[\"two/a\"]," + body.substring(1)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"fallbacks\":[{\"model\":\"b\",\"max_tokens\":9,\"thinking\":{\"type\":\"disabled\"}}] | true",
        "\"fallbacks\":[]                                  | true",
        "\"fallbacks\":null                                | true",
        "\"fallbacks\":[{\"model\":\"b\"},{\"model\":\"c\"}] | false",
        "\"fallbacks\":[{\"model\":\"two/a\"}]            | false",
        "\"fallbacks\":[\"c\"]                             | false",
        "\"fallbacks\":[{\"Model\":\"b\"}]                | false",
        "\"fallbacks\":[{\"model\":\"b\",\"models\":[\"c\"]}] | false",
        "\"fallbacks\":\"default\"                         | false",
        "\"fallbacks\":\"c\"                               | false",
        "\"Fallbacks\":[{\"model\":\"c\"}]                | false",
        "\"fallbacks\":[],\"fallbacks\":[{\"model\":\"c\"}] | false",
      })
  void everyNameOfFallbacksCountsAsOneOfTheirProvider(String members, boolean allowed)
      throws Exception {
    scope("models", "one/a,one/b,fast");
    String body = "{" + members + "," + Routed.body(Routed.MESSAGES, "one/a", false).substring(1);

    HttpResponse<String> answer = post(Routed.MESSAGES, body);

    if (allowed) {
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      assertThat(UPSTREAM.takeRequest().text()).contains(members);
    } else {
      refused(answer);
    }
    UPSTREAM.reset();
    refused(post(Routed.MESSAGES, PLAIN + "\"fallbacks\":[{\"model\":\"b\"}],\"model\":\"fast\"}"));
  }

  @Test
  void theModelOfAToolThatMakesImagesCounts() throws Exception {
    scope("models", "one/a,one/b");
    String body =
        "{\"tools\":[{\"type\":\"image_generation\",\"model\":\"%s\"}],"
            + Routed.body(Routed.RESPONSES, "one/a", false).substring(1);

    refused(post(Routed.RESPONSES, body.replace("%s", "c")));
    assertThat(post(Routed.RESPONSES, body.replace("%s", "b")).statusCode()).isEqualTo(200);
  }

  @Test
  void theModelOfAnAzurePathCountsAndThatOfTheBodyDoesNot() throws Exception {
    scope("models", "one/*");
    String path = "/openai/deployments/%s/chat/completions?api-version=1";

    refused(post(path.formatted("two/a"), PLAIN + "\"model\":\"one/a\"}"));
    assertThat(post(path.formatted("one/a"), PLAIN + "\"model\":\"two/a\"}").statusCode())
        .isEqualTo(200);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "chat                 | /v1/chat/completions       | true",
        "chat                 | /chat/completions          | true",
        "messages,responses   | /v1/chat/completions       | false",
        "messages             | /v1/messages               | true",
        "chat                 | /v1/messages               | false",
        "responses            | /v1/responses              | true",
        "chat                 | /v1/responses              | false",
        "completions          | /v1/completions            | true",
        "chat                 | /v1/completions            | false",
        "embeddings           | /v1/embeddings             | true",
        "chat                 | /v1/embeddings             | false",
        "count_tokens         | /v1/messages/count_tokens  | true",
        "messages             | /v1/messages/count_tokens  | false",
        "count_tokens         | /v1/responses/input_tokens | true",
        "responses            | /v1/responses/input_tokens | false",
        "responses            | /v1/responses/compact      | false",
        "chat                 | /v1/audio/speech           | false",
        "chat,embeddings      | /v1/batches                | false",
      })
  void endpointsAreThoseOfTheList(String endpoints, String path, boolean allowed) throws Exception {
    scope("endpoints", endpoints);

    HttpResponse<String> answer = post(path, PLAIN + "\"input\":\"x\",\"model\":\"one/a\"}");

    if (allowed) {
      assertThat(answer.statusCode()).as(answer.body()).isNotEqualTo(403);
    } else {
      assertThat(refused(answer)).contains("call " + endpoints.replace(",", ", ") + " only");
    }
  }

  @Test
  void endpointsLimitNeitherTheModelsThatAreListedNorTheMemory() throws Exception {
    scope("endpoints", "embeddings");

    assertThat(get("/v1/models").statusCode()).isEqualTo(200);
    assertThat(get("/v1/memory/threads").statusCode()).isEqualTo(200);
    refused(send(request("/v1/responses/resp_1").GET()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "audio/speech     | {\"model\":\"more/a\",\"input\":\"x\"} | application/json | true",
        "audio/speech     | {\"model\":\"more/b\",\"input\":\"x\"} | application/json | false",
        "audio/speech     | {\"input\":\"x\"}                      | application/json | false",
        "audio/speech     | {\"model\":\"more/a\",\"models\":[\"more/b\"]} | application/json | false",
        "audio/speech     | {\"model\":\"more/a\"}                 | audio/wav        | false",
        "responses/compact| {\"model\":\"more/a\"}                 | application/json | true",
        "batches          | {\"model\":\"more/a\"}                 | application/json | false",
        "files            | x                                      | text/plain       | false",
      })
  void whatIsPassedOnNeedsAModelThatIsKnown(String path, String body, String type, boolean allowed)
      throws Exception {
    scope("models", "more/a");

    HttpResponse<String> answer =
        send(
            request("/v1/" + path)
                .header("Content-Type", type)
                .header("x-gateway-provider", "more")
                .POST(BodyPublishers.ofString(body)));

    if (allowed) {
      assertThat(answer.statusCode()).as(answer.body()).isNotEqualTo(403);
      assertThat(UPSTREAM.requests()).hasSize(1);
    } else {
      refused(answer);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"files", "files/f", "batches", "messages/batches", "responses/resp_1"})
  void whatIsPassedOnWithoutAModelIsRefusedWhoeverServesIt(String path) throws Exception {
    scope("models", "one/a");

    refused(get("/v1/" + path));
  }

  @Test
  void whoMayReadTheMemoryWritesNothingAndHasNoTurns() throws Exception {
    String thread = "{\"id\":\"t\",\"resourceId\":\"r\"}";
    assertThat(post("/v1/memory/threads", thread).statusCode()).isIn(200, 201);
    scope("memory", "read");

    assertThat(get("/v1/memory/threads").statusCode()).isEqualTo(200);
    assertThat(get("/v1/memory/threads/t/messages?resourceId=r").statusCode()).isEqualTo(200);
    assertThat(
            post("/v1/memory/search", "{\"threadId\":\"t\",\"resourceId\":\"r\",\"query\":\"x\"}")
                .statusCode())
        .isEqualTo(200);
    refused(post("/v1/memory/threads", thread));
    refused(post("/memory/threads", thread));
    refused(send(request("/v1/memory/threads/t").DELETE()));
    refused(post("/v1/memory/threads/t/messages", "zebra"));
    refusesTurns();
    assertThat(get("/v1/memory/threads/t").statusCode()).isEqualTo(200);
  }

  @Test
  void whoHasNoMemoryReadsNoneEither() throws Exception {
    scope("memory", "none");

    refused(get("/v1/memory/threads"));
    refused(get("/v1/memory"));
    refused(get("/v1/memory/threads/t"));
    refused(get("/v1/memory;x=1/threads/"));
    refused(get("/v1/%6demory/threads"));
    refused(post("/v1/memory/search", "{}"));
    refused(send(request("/v1/memory/threads").method("HEAD", BodyPublishers.noBody())), "");
    refusesTurns();
  }

  private void refusesTurns() throws Exception {
    for (String path : Routed.ENDPOINTS) {
      String body = Routed.body(path, "one/a", false);
      refused(call(path, body, "x-thread-id", "t", "x-resource-id", "r"));
      refused(call(path, body, "x-thread-id", "auto", "x-resource-id", "r", "session-id", "s"));
      refused(call(path, body, "x-resource-id", "r", "session-id", "s"));
      refused(
          call(path, body, "x-thread-id", "t", "x-resource-id", "r", IdempotencyClaim.HEADER, "k"));
      assertThat(call(path, body, "x-resource-id", "r").statusCode()).isEqualTo(200);
      assertThat(call(path, body).statusCode()).isEqualTo(200);
      UPSTREAM.reset();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "198.51.100.0/24,2001:db8::/32 | 198.51.100.7               | true",
        "198.51.100.0/24,2001:db8::/32 | 2001:db8::7                | true",
        "198.51.100.0/24,2001:db8::/32 | 203.0.113.7                | false",
        "198.51.100.0/24               | 198.51.100.7, 203.0.113.7  | false",
        "198.51.100.0/24               | 203.0.113.7, 198.51.100.7, 127.0.0.9 | true",
        "198.51.100.0/24               | zebra                      | false",
        "198.51.100.0/24               | ''                         | false",
        "127.0.0.1                     | zebra                      | true",
        "127.0.0.1                     | 203.0.113.7                | false",
      })
  void aKeyIsUsedFromItsAddresses(String addresses, String forwarded, boolean allowed)
      throws Exception {
    scope("addresses", addresses);
    HttpRequest.Builder listing = request("/v1/models").header("X-Forwarded-For", forwarded);
    HttpRequest.Builder call =
        request(CHAT)
            .header("Content-Type", "application/json")
            .header("X-Forwarded-For", forwarded)
            .POST(BodyPublishers.ofString(PLAIN + "\"model\":\"one/a\"}"));

    if (allowed) {
      assertThat(send(listing).statusCode()).isEqualTo(200);
      assertThat(send(call).statusCode()).isEqualTo(200);
    } else {
      refused(send(listing));
      assertThat(refused(send(call))).contains(addresses.split(",", 2)[0]);
    }
  }

  @Test
  void aKeySeesTheModelsThatItMayUse() throws Exception {
    scope("models", "one/*,fast");

    assertThat(ids(get("/v1/models"))).containsExactly("fast", "nick", "one/a", "one/b");
    assertThat(JSON.readTree(get("/v1/models").body()).path("models")).hasSize(4);
    JsonNode page = JSON.readTree(get("/v1/models?limit=2&after_id=nick").body());
    assertThat(page.path("data").findValuesAsText("id")).containsExactly("one/a", "one/b");
    assertThat(page.path("has_more").asBoolean()).isFalse();
    assertThat(get("/v1/models?after_id=two/a").statusCode()).isEqualTo(400);
    for (String seen : List.of("one/a", "mastra/one/a", "fast", "nick", "claude-x")) {
      assertThat(get("/v1/models/" + seen).statusCode()).as(seen).isEqualTo(200);
    }
    for (String hidden : List.of("two/a", "gpt-5", "openai/gpt-5", "one/*")) {
      ErrorEnvelope.check(get("/v1/models/" + hidden), 404, "not_found");
    }
    scope("models", "");
    assertThat(ids(get("/v1/models"))).contains("two/a", "one/a");
  }

  @Test
  void aRefusedRequestIsCounted() throws Exception {
    scope("models", "one/*");
    scope("addresses", "198.51.100.0/24");
    long before = remaining(get("/v1/models"));

    assertThat(remaining(get("/v1/models"))).isEqualTo(before - 1);
    scope("addresses", "");
    refused(post(CHAT, PLAIN + "\"model\":\"two/a\"}"));
    HttpResponse<String> after = get("/v1/models");
    assertThat(remaining(after)).isEqualTo(before - 3);
  }

  @Test
  void onMessagesItIsAnErrorOfAnthropics() throws Exception {
    scope("models", "one/*");

    HttpResponse<String> answer =
        post(Routed.MESSAGES, Routed.body(Routed.MESSAGES, "two/a", false));

    refused(answer);
    assertThat(JSON.readTree(answer.body()).path("type").asText()).isEqualTo("error");
    assertThat(answer.headers().firstValue("x-should-retry")).contains("false");
  }

  @Test
  void aKeyWithoutScopesMayDoAll() throws Exception {
    scope("models", "one/*");
    scope("memory", "none");
    scope("models", "");
    scope("memory", "all");

    assertThat(post(CHAT, PLAIN + "\"model\":\"two/a\"}").statusCode()).isEqualTo(200);
    assertThat(get("/v1/memory/threads").statusCode()).isEqualTo(200);
  }

  private static long remaining(HttpResponse<String> answer) {
    return answer.headers().firstValueAsLong("X-RateLimit-Remaining").orElseThrow();
  }

  private static List<String> ids(HttpResponse<String> answer) throws Exception {
    return JSON.readTree(answer.body()).path("data").findValuesAsText("id").stream()
        .filter(id -> !id.startsWith("open") && !id.startsWith("google"))
        .toList();
  }

  /** The message of the refusal; no provider was asked. */
  private static String refused(HttpResponse<String> answer) {
    assertThat(UPSTREAM.requests()).isEmpty();
    return ErrorEnvelope.check(answer, 403, "permission_error").path("message").asText();
  }

  /** The same for an answer without a body. */
  private static void refused(HttpResponse<String> answer, String body) {
    assertThat(answer.statusCode()).isEqualTo(403);
    assertThat(answer.body()).isEqualTo(body);
  }

  private void scope(String part, String value) throws Exception {
    String encoded = URLEncoder.encode(value, StandardCharsets.UTF_8);
    GATEWAY.task("key-scope?id=" + issued.path("id").asText() + "&" + part + "=" + encoded);
  }

  private HttpResponse<String> get(String path) throws Exception {
    return send(request(path));
  }

  private HttpResponse<String> post(String path, String body) throws Exception {
    return call(path, body);
  }

  private HttpResponse<String> call(String path, String body, String... headers) throws Exception {
    List<String> all = new ArrayList<>(List.of("Content-Type", "application/json"));
    all.addAll(List.of(headers));
    return send(
        request(path).headers(all.toArray(String[]::new)).POST(BodyPublishers.ofString(body)));
  }

  private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return GATEWAY.send(request);
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(GATEWAY.url() + path))
        .header("Authorization", "Bearer " + issued.path("key").asText());
  }
}

package io.memorygateway.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.format.chat.ChatStreamRules;
import io.memorygateway.format.messages.MessagesStreamRules;
import io.memorygateway.format.responses.ResponsesStreamRules;
import io.memorygateway.json.Sha256;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.CannedReplies;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Contract §14: replays, errors, keys of caches and pages of models, in the caller's format. */
class TranslatedAnswersIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  static final Map<String, String> PATHS =
      Map.of("chat", Routed.CHAT, "messages", Routed.MESSAGES, "responses", Routed.RESPONSES);

  private static final String ASKED = "{\"role\":\"user\",\"content\":\"a\"}";
  private static final String ASKED_ON =
      ASKED + ",{\"role\":\"assistant\",\"content\":\"b\"},{\"role\":\"user\",\"content\":\"c\"}";

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                for (String served : List.of("chat", "messages", "responses")) {
                  ObjectNode provider = Routed.provider(config, "only-" + served, UPSTREAM);
                  provider.putArray("endpoints").add(served);
                  provider.putArray("translate").add("chat").add("messages").add("responses");
                }
                ObjectNode keyless = Routed.provider(config, "keyless", UPSTREAM);
                keyless.put("promptCacheKey", false).putArray("endpoints").add("chat");
                keyless.putArray("translate").add("messages");
                keyless.putArray("models").add("a").add("b").add("c").add("d");
              });

  static Stream<Arguments> pairs() {
    List<String> formats = List.of("chat", "messages", "responses");
    return formats.stream()
        .flatMap(
            called ->
                formats.stream()
                    .filter(served -> !served.equals(called))
                    .map(served -> Arguments.of(called, served)));
  }

  /** What may begin a stop is held; the thread has it as the caller does. */
  @Test
  void whatIsHeldWhereAStreamBreaksOffIsStored() throws Exception {
    UPSTREAM.enqueue(
        Answer.error(
            400,
            "invalid_request_error",
            "Unsupported parameter: 'stop' is not supported with this model."),
        Answer.sseThen(
            List.of("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"one STO\"}}]}\n\n"),
            Answer.close()));
    String body =
        Routed.body(Routed.MESSAGES, "only-chat/held", true)
            .replaceFirst("\\{", "{\"stop_sequences\":[\"STOP\"],");

    String told =
        Routed.call(
                GATEWAY, Routed.MESSAGES, body, "x-thread-id", "held-words", "x-resource-id", "r")
            .body();

    assertThat(told).contains("\"one \"", "\"STO\"", "broke the stream off");
    assertThat(GATEWAY.get("/v1/memory/threads/held-words/messages").body()).contains("one STO");
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void aReplayIsTheAnswerInTheCalledFormat(String called, String served) throws Exception {
    for (boolean stream : new boolean[] {false, true}) {
      String name = called + "-" + served + "-" + stream;
      String[] headers = {"Idempotency-Key", name, "x-thread-id", name, "x-resource-id", "r"};
      String body = Routed.body(PATHS.get(called), "only-" + served + "/m", stream);
      String left = body.replaceFirst("\\{", "{\"seed\":7,\"top_k\":5,");

      HttpResponse<String> first = Routed.call(GATEWAY, PATHS.get(called), left, headers);
      HttpResponse<String> second = Routed.call(GATEWAY, PATHS.get(called), left, headers);

      assertThat(first.statusCode()).as(first.body()).isEqualTo(200);
      assertThat(first.headers().firstValue("X-Gateway-Dropped")).isPresent();
      assertThat(second.statusCode()).as(second.body()).isEqualTo(200);
      assertThat(second.headers().firstValue("Idempotent-Replayed")).hasValue("true");
      assertThat(second.headers().firstValue("X-Gateway-Dropped")).isEmpty();
      assertThat(UPSTREAM.requests()).hasSize(1);
      if (stream) {
        assertThat(told(called, second.body())).isEqualTo(told(called, first.body()));
      } else {
        // Stored messages have no empty lists.
        String answered = first.body().replace(",\"annotations\":[]}", "}");
        assertThat(JSON.readTree(second.body())).isEqualTo(JSON.readTree(answered));
      }
      UPSTREAM.reset();
    }
  }

  /** The text and the head of a stream, which keeps the order of its format. */
  static List<String> told(String format, String stream) throws Exception {
    checkOrder(format, stream);
    List<String> told = new ArrayList<>();
    StringBuilder text = new StringBuilder();
    for (JsonNode data : data(stream)) {
      JsonNode head = data.path(format.equals("messages") ? "message" : "response");
      head = format.equals("chat") ? data : head;
      if (head.has("id") && told.isEmpty()) {
        told.add(head.path("id").asText() + " " + head.path("model").asText());
      }
      text.append(data.at("/choices/0/delta/content").asText(""));
      text.append(data.at("/delta/text").asText(""));
      text.append(data.path("delta").asText(""));
    }
    assertThat(text).hasToString(CannedReplies.TEXT);
    return told;
  }

  private static void checkOrder(String format, String stream) {
    switch (format) {
      case "chat" -> ChatStreamRules.of(stream);
      case "messages" -> MessagesStreamRules.check(stream);
      default -> {
        ResponsesStreamRules rules = new ResponsesStreamRules();
        rules.takeAll(stream);
        rules.end();
      }
    }
  }

  private static List<JsonNode> data(String stream) throws Exception {
    List<JsonNode> all = new ArrayList<>();
    for (String line : stream.lines().toList()) {
      if (line.startsWith("data: {")) {
        all.add(JSON.readTree(line.substring("data: ".length())));
      }
    }
    return all;
  }

  /**
   * Statuses of a provider, with the types that SDKs of Messages, and of OpenAI's formats, know.
   */
  static Stream<Arguments> errors() {
    return Stream.of(
            "401 authentication_error authentication_error",
            "402 billing_error insufficient_quota",
            "403 permission_error permission_error",
            "413 request_too_large invalid_request_error",
            "422 invalid_request_error invalid_request_error",
            "429 rate_limit_error rate_limit_error",
            "529 overloaded_error server_error")
        .flatMap(
            error ->
                pairs()
                    .map(
                        pair -> {
                          String[] known = error.split(" ", 3);
                          boolean messages = pair.get()[0].equals("messages");
                          return Arguments.of(
                              pair.get()[0],
                              pair.get()[1],
                              Integer.parseInt(known[0]),
                              known[messages ? 1 : 2]);
                        }));
  }

  @ParameterizedTest
  @MethodSource("errors")
  void anErrorKeepsItsStatusAndHasATypeOfTheCalledFormat(
      String called, String served, int status, String type) throws Exception {
    UPSTREAM.answerAlways(
        Answer.error(status, "of_the_target", "Not now.").header("Retry-After", "7"));
    String model = "only-%s/e-%s-%s".formatted(served, called, status);
    for (boolean stream : new boolean[] {false, true}) {
      HttpResponse<String> answer = Routed.call(GATEWAY, PATHS.get(called), model + stream, stream);

      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
      JsonNode body = JSON.readTree(answer.body());
      assertThat(body.at("/error/type").asText()).isEqualTo(type);
      assertThat(body.at("/error/message").asText()).isEqualTo("Not now.");
      assertThat(body.path("type").asText()).isEqualTo(called.equals("messages") ? "error" : "");
      assertThat(answer.headers().firstValue("Retry-After")).hasValue("7");
    }
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void anErrorWithinAStreamIsTheErrorEventOfTheCalledFormat(String called, String served)
      throws Exception {
    String error =
        switch (served) {
          case "chat" ->
              "data: {\"error\":{\"message\":\"Not now.\",\"type\":\"rate_limit_error\",\"code\":429}}\n\n";
          case "messages" ->
              "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"Not now.\"}}\n\n";
          default ->
              "event: error\ndata: {\"type\":\"error\",\"code\":\"rate_limit_exceeded\",\"message\":\"Not now.\",\"param\":null,\"sequence_number\":9}\n\n";
        };
    UPSTREAM.answer(
        request -> {
          List<String> events =
              new ArrayList<>(
                  CannedReplies.reply(request.path(), request.json(), "Half of").events());
          int said = 0;
          while (!events.get(said).contains(" of\"")) {
            said++;
          }
          return Answer.sse(
              Stream.concat(events.subList(0, said + 1).stream(), Stream.of(error)).toList());
        });

    String body =
        Routed.call(GATEWAY, PATHS.get(called), "only-" + served + "/within", true).body();

    checkOrder(called, body);
    List<JsonNode> data = data(body);
    JsonNode last = data.get(data.size() - 1);
    assertThat(body).contains("Half", "Not now.").doesNotContain("[DONE]", "message_stop");
    switch (called) {
      case "chat" -> assertThat(last.at("/error/type").asText()).isEqualTo("rate_limit_error");
      case "messages" -> assertThat(last.at("/error/type").asText()).isEqualTo("rate_limit_error");
      default -> {
        assertThat(last.path("type").asText()).isEqualTo("response.failed");
        assertThat(last.at("/response/error/code").asText()).isEqualTo("rate_limit_exceeded");
      }
    }
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void aWholeAnswerThatCallsAToolWithoutItsNameGivesItOne(String called, String served)
      throws Exception {
    UPSTREAM.answerAlways(
        Answer.json(
            switch (served) {
              case "chat" ->
                  "{\"choices\":[{\"message\":{\"tool_calls\":[{\"id\":\"c\",\"function\":{\"arguments\":\"{}\"}}]}}]}";
              case "messages" ->
                  "{\"type\":\"message\",\"content\":[{\"type\":\"tool_use\",\"id\":\"c\",\"name\":null,\"input\":{}}]}";
              default ->
                  "{\"status\":\"completed\",\"output\":[{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"\"}]}";
            }));

    HttpResponse<String> answer =
        Routed.call(GATEWAY, PATHS.get(called), "only-" + served + "/nameless-" + called, false);

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.body()).contains("\"name\":\"unknown_tool\"");
  }

  private static String marked(String system, String messages) {
    return "\"max_tokens\":50,\"system\":[{\"type\":\"text\",\"text\":\"%s\",\"cache_control\":{\"type\":\"ephemeral\"}}],\"messages\":[%s]}"
        .formatted(system, messages);
  }

  @ParameterizedTest
  @CsvSource({"chat", "responses"})
  void aConversationHasOneKeyOfTheCache(String served) throws Exception {
    String model = "{\"model\":\"only-" + served + "/m\",";
    for (String call :
        List.of(marked("one", ASKED), marked("one", ASKED_ON), marked("two", ASKED))) {
      GATEWAY.post(Routed.MESSAGES, model + call);
    }
    List<String> keys =
        UPSTREAM.requests().stream()
            .map(request -> request.json().path("prompt_cache_key").asText())
            .toList();
    assertThat(keys.get(0)).isNotEmpty().isEqualTo(keys.get(1)).isNotEqualTo(keys.get(2));

    for (int length : new int[] {64, 65, 255}) {
      String thread = (served + "-" + "x".repeat(length)).substring(0, length);
      String[] headers = {"x-thread-id", thread, "x-resource-id", "r"};
      Routed.call(GATEWAY, Routed.MESSAGES, model + marked("one", ASKED), headers);
      // OpenAI refuses a longer one.
      String key = length > 64 ? Sha256.hex(thread) : thread;
      int last = UPSTREAM.requests().size() - 1;
      assertThat(UPSTREAM.requests().get(last).json().path("prompt_cache_key").asText())
          .isEqualTo(key);
    }
  }

  @Test
  void aProviderThatTakesNoKeyGetsNoneAndItIsSaid() throws Exception {
    HttpResponse<String> answer =
        GATEWAY.post(Routed.MESSAGES, "{\"model\":\"keyless/m\"," + marked("one", ASKED));

    assertThat(answer.headers().firstValue("X-Gateway-Dropped")).hasValue("cache_control");
    assertThat(UPSTREAM.takeRequest().text()).doesNotContain("prompt_cache");
  }

  /** As DeepSeek's and Moonshot's refuse what another model has answered. */
  @Test
  void anAnswerHasABlankReasoningWhereTheServerDemandsOne() throws Exception {
    Answer refusal =
        Answer.error(
            400,
            "invalid_request_error",
            "The `reasoning_content` in the thinking mode must be passed back to the API.");
    String call =
        "{\"model\":\"only-chat/thinker\",\"max_tokens\":9,\"messages\":[" + ASKED_ON + "]}";
    UPSTREAM.enqueue(refusal);

    for (int calls = 0; calls < 2; calls++) {
      assertThat(GATEWAY.post(Routed.MESSAGES, call).statusCode()).isEqualTo(200);
    }
    // Within a thread what memory has written is, too; without one the caller's bytes are its own.
    ThreadCaller thread = new ThreadCaller(GATEWAY, "thinker");
    String chat = call.replace("thinker", "other");
    assertThat(thread.call(Routed.CHAT, chat).statusCode()).isEqualTo(200);
    UPSTREAM.enqueue(refusal);
    assertThat(thread.call(Routed.CHAT, chat.replace("\"c\"", "\"d\"")).statusCode())
        .isEqualTo(200);
    UPSTREAM.enqueue(refusal);
    assertThat(GATEWAY.post(Routed.CHAT, chat).statusCode()).isEqualTo(400);

    assertThat(UPSTREAM.requests())
        .extracting(request -> request.json().at("/messages/1/reasoning_content").asText("none"))
        .containsExactly("none", " ", " ", "none", "none", " ", "none");
  }

  /** Vercel's AI SDK refers to what it takes to be stored by the provider. */
  @Test
  void aReferenceStandsForTheItemThatTheThreadHas() throws Exception {
    ThreadCaller thread = new ThreadCaller(GATEWAY, "references");
    String call = "{\"model\":\"only-chat/m\",\"input\":[%s]}";
    JsonNode item =
        JSON.readTree(thread.call(Routed.RESPONSES, call.formatted(ASKED)).body()).at("/output/0");
    String reference =
        ASKED
            + ",{\"type\":\"item_reference\",\"id\":%s},{\"role\":\"user\",\"content\":\"more\"}"
                .formatted(item.path("id"));

    HttpResponse<String> answer = thread.call(Routed.RESPONSES, call.formatted(reference));

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    JsonNode sent = UPSTREAM.requests().get(1).json().path("messages");
    assertThat(sent.findValuesAsText("role")).containsExactly("user", "assistant", "user");
    assertThat(sent.at("/1/content").asText()).isEqualTo(item.at("/content/0/text").asText());
  }

  @Test
  void marksOfTheCacheAreTheTargetsOwn() throws Exception {
    String mark = "\"prompt_cache_breakpoint\":{\"mode\":\"explicit\"}";
    GATEWAY.post(
        Routed.CHAT,
        "{\"model\":\"only-messages/m\",\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\",%s}]}]}"
            .formatted(mark));
    assertThat(
            UPSTREAM.takeRequest().json().at("/messages/0/content/0/cache_control/type").asText())
        .isEqualTo("ephemeral");

    for (String served : List.of("chat", "responses")) {
      GATEWAY.post(
          Routed.MESSAGES, "{\"model\":\"only-" + served + "/gpt-5.6\"," + marked("one", ASKED));
      assertThat(UPSTREAM.takeRequest().text()).contains("\"prompt_cache_breakpoint\"");
    }
  }

  @Test
  void modelsComeInPages() throws Exception {
    List<String> all = ids(models(""));
    assertThat(all).containsSubsequence("keyless/a", "keyless/b", "keyless/c", "keyless/d");

    List<String> paged = new ArrayList<>();
    String query = "?limit=3";
    boolean more = true;
    while (more) {
      JsonNode page = models(query);
      assertThat(ids(page)).hasSizeBetween(1, 3);
      assertThat(page.path("first_id").asText()).isEqualTo(ids(page).get(0));
      assertThat(page.path("models")).isEqualTo(page.path("data"));
      paged.addAll(ids(page));
      more = page.path("has_more").asBoolean();
      query = "?limit=3&after_id=" + page.path("last_id").asText();
    }
    assertThat(paged).isEqualTo(all);

    JsonNode before = models("?limit=2&before_id=keyless/d");
    assertThat(ids(before)).containsExactly("keyless/b", "keyless/c");
    assertThat(before.path("has_more").asBoolean()).isTrue();
    assertThat(ids(models("?before_id=" + all.get(0)))).isEmpty();
    for (String refused : List.of("?limit=0", "?limit=x", "?after_id=none", "?before_id=none")) {
      HttpResponse<String> answer = GATEWAY.send(GATEWAY.request("/v1/models" + refused).GET());
      assertThat(answer.statusCode()).as(refused).isEqualTo(400);
    }
  }

  private static JsonNode models(String query) throws Exception {
    HttpResponse<String> answer = GATEWAY.send(GATEWAY.request("/v1/models" + query).GET());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return JSON.readTree(answer.body().getBytes(UTF_8));
  }

  private static List<String> ids(JsonNode list) {
    List<String> ids = new ArrayList<>();
    list.path("data").forEach(model -> ids.add(model.path("id").asText()));
    return ids;
  }
}

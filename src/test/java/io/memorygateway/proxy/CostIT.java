package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §15: what a call cost, to the pico-dollar, by the target that answered. */
class CostIT {
  private static final Map<String, String> PATHS =
      Map.of("chat", Routed.CHAT, "messages", Routed.MESSAGES, "responses", Routed.RESPONSES);

  /** Answers that cost 312, 284 and 260 dollars a million; each kind of token has a price. */
  private static final Map<String, String> USAGES =
      Map.of(
          "chat",
          """
          {"prompt_tokens":100,"completion_tokens":50,"prompt_tokens_details":{"cached_tokens":10,\
          "cache_write_tokens":20,"audio_tokens":3},"completion_tokens_details":{"reasoning_tokens":5,\
          "audio_tokens":2}}""",
          "messages",
          """
          {"input_tokens":70,"cache_read_input_tokens":10,"cache_creation_input_tokens":20,\
          "cache_creation":{"ephemeral_5m_input_tokens":8,"ephemeral_1h_input_tokens":12},\
          "output_tokens":50,"output_tokens_details":{"thinking_tokens":5},"service_tier":"standard"}""",
          "responses",
          """
          {"input_tokens":100,"output_tokens":50,"input_tokens_details":{"cached_tokens":10,\
          "cache_write_tokens":20},"output_tokens_details":{"reasoning_tokens":5}}""");

  private static final Map<String, Long> COSTS =
      Map.of("chat", 312_000_000L, "messages", 284_000_000L, "responses", 260_000_000L);

  private static final Map<String, String> DOLLARS =
      Map.of("chat", "0.000312", "messages", "0.000284", "responses", "0.00026");

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                config.withObject("/budgets").put("costComment", true);
                ObjectNode prices = config.withObject("/prices");
                for (String served : PATHS.keySet()) {
                  ObjectNode provider = Routed.provider(config, "only-" + served, UPSTREAM);
                  ArrayNode endpoints = provider.putArray("endpoints").add(served);
                  if (served.equals("messages")) {
                    endpoints.add("count_tokens");
                  }
                  provider.putArray("translate").add("chat").add("messages").add("responses");
                  price(prices.putObject("only-" + served + "/m"));
                }
                prices.putObject("only-chat/dear").put("input", 1000).put("output", 2000);
                Routed.route(config, "fall", "only-chat/m", "only-chat/dear");
                Routed.route(config, "half", "only-chat/unknown", "only-chat/dear");
              });

  @RegisterExtension
  static final TestGateway OTHER =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                Routed.provider(config, "only-chat", UPSTREAM);
                price(config.withObject("/prices").putObject("only-chat/m"));
              });

  private static void price(ObjectNode price) {
    price.put("input", 1).put("output", 2).put("cacheRead", 0.5).put("cacheWrite5m", 3);
    price.put("cacheWrite1h", 5).put("reasoning", 7).put("audioInput", 11).put("audioOutput", 13);
    price.withObject("/serviceTiers/flex").put("input", 0.1).put("output", 0.2);
    price.putArray("tiers").addObject().put("above", 1000).put("input", 4).put("output", 8);
  }

  @ParameterizedTest
  @CsvSource({
    "chat, chat", "messages, messages", "responses, responses",
    "messages, chat", "responses, chat", "chat, messages",
    "responses, messages", "messages, responses", "chat, responses"
  })
  void everyKindOfTokenIsPaidAtItsOwnPrice(String called, String served) throws Exception {
    for (boolean stream : new boolean[] {false, true}) {
      String id = called + "-" + served + "-" + stream;
      UPSTREAM.enqueue(answer(served, stream, USAGES.get(served), null));
      HttpResponse<String> answer = call(called, "only-" + served + "/m", stream, id);

      assertThat(costs(id)).as(id).containsExactly(COSTS.get(served));
      assertThat(told(answer, stream)).as(id).isEqualTo(DOLLARS.get(served));
    }
  }

  @ParameterizedTest
  @CsvSource({"chat, chat", "responses, responses", "messages, chat", "messages, responses"})
  void theServiceTierOfTheAnswerCounts(String called, String served) throws Exception {
    for (boolean stream : new boolean[] {false, true}) {
      String id = "flex-" + called + "-" + served + "-" + stream;
      UPSTREAM.enqueue(answer(served, stream, USAGES.get(served), "flex"));
      call(called, "only-" + served + "/m", stream, id);

      assertThat(costs(id)).as(id).containsExactly(20_000_000L);
    }
  }

  @Test
  void aTierIsThatOfTheWholeCall() throws Exception {
    String usage = "{\"prompt_tokens\":1001,\"completion_tokens\":1}";
    UPSTREAM.enqueue(answer("chat", false, usage, null));
    call("chat", "only-chat/m", false, "tier");

    assertThat(costs("tier")).containsExactly(1001 * 4_000_000L + 8_000_000L);
  }

  @Test
  void aModelWithoutAPriceCostsNobodyKnowsWhat() throws Exception {
    UPSTREAM.enqueue(answer("chat", false, USAGES.get("chat"), null));
    HttpResponse<String> answer = call("chat", "only-chat/unknown", false, "unknown");

    assertThat(costs("unknown")).containsExactly((Long) null);
    assertThat(told(answer, false)).isNull();
  }

  @Test
  void countingTokensCostsNothing() throws Exception {
    UPSTREAM.enqueue(Answer.json("{\"input_tokens\":7}"));
    for (String model : List.of("only-messages/unknown", "only-chat/counted-here")) {
      HttpResponse<String> answer =
          Routed.call(
              GATEWAY,
              Routed.MESSAGES + "/count_tokens",
              Routed.body(Routed.MESSAGES, model, false),
              "X-Request-Id",
              "count");

      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      assertThat(told(answer, false)).as(model).isEqualTo("0");
    }
    assertThat(costs("count")).containsExactly(0L);
  }

  @Test
  void streamsDoNotTellTheirCostUnlessTheyAreToldTo() throws Exception {
    UPSTREAM.enqueue(answer("chat", true, USAGES.get("chat"), null));
    HttpResponse<String> answer = Routed.call(OTHER, Routed.CHAT, "only-chat/m", true);

    assertThat(answer.body()).contains("[DONE]").doesNotContain("Cost");
    assertThat(answer.headers().firstValue("X-Gateway-Cost")).isEmpty();
  }

  @Test
  void aReplayCostsNothing() throws Exception {
    String[] headers = {"x-thread-id", "t", "x-resource-id", "r", "Idempotency-Key", "k"};
    String body = Routed.body(Routed.CHAT, "only-chat/m", false);
    UPSTREAM.enqueue(answer("chat", false, USAGES.get("chat"), null));

    assertThat(told(Routed.call(GATEWAY, Routed.CHAT, body, headers), false)).isEqualTo("0.000312");
    HttpResponse<String> again = Routed.call(GATEWAY, Routed.CHAT, body, headers);
    assertThat(again.headers().firstValue("Idempotent-Replayed")).isPresent();
    assertThat(told(again, false)).isEqualTo("0");
  }

  @Test
  void everyAttemptThatUsedTokensCosts() throws Exception {
    String said =
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":1}}\n\n";
    UPSTREAM.enqueue(
        Answer.sse(List.of(said, "data: {\"error\":{\"message\":\"no\"}}\n\n")),
        answer("chat", true, "{\"prompt_tokens\":5,\"completion_tokens\":1}", null));
    HttpResponse<String> streamed = call("chat", "fall", true, "attempts");
    assertThat(costs("attempts")).containsExactly(7_000_000L, 7_000_000_000L);
    assertThat(told(streamed, true)).isEqualTo("0.007007");

    String usage = "{\"prompt_tokens\":5,\"completion_tokens\":1}";
    UPSTREAM.enqueue(Answer.json("{\"usage\":" + usage + "}"), answer("chat", false, usage, null));
    HttpResponse<String> whole = call("chat", "fall", false, "attempts-whole");
    assertThat(costs("attempts-whole")).containsExactly(7_000_000L, 7_000_000_000L);
    assertThat(told(whole, false)).isEqualTo("0.007007");
  }

  @ParameterizedTest
  @CsvSource({"chat,500", "chat,200", "messages,500", "messages,200"})
  void anErrorThatSaysWhatWasUsedCosts(String called, int status) throws Exception {
    String usage = "{\"prompt_tokens\":5,\"completion_tokens\":1}";
    String error = "{\"error\":{\"message\":\"no\"},\"usage\":" + usage + "}";
    String id = "error-" + called + status;
    UPSTREAM.enqueue(Answer.json(status, error), answer("chat", false, usage, null));

    HttpResponse<String> answer = call(called, "fall", false, id);

    assertThat(costs(id)).containsExactlyInAnyOrder(7_000_000L, 7_000_000_000L);
    assertThat(told(answer, false)).isEqualTo("0.007007");
  }

  @Test
  void oneAttemptWithoutAPriceMakesTheCostOfAllUnknown() throws Exception {
    String usage = "{\"prompt_tokens\":5,\"completion_tokens\":1}";
    UPSTREAM.enqueue(Answer.json("{\"usage\":" + usage + "}"), answer("chat", false, usage, null));
    HttpResponse<String> answer = call("chat", "half", false, "half");

    assertThat(costs("half")).containsExactly(null, 7_000_000_000L);
    assertThat(told(answer, false)).isNull();
  }

  /** By the gateway's own count: more than nothing, and marked, and not told. */
  @ParameterizedTest
  @CsvSource({"chat", "messages", "responses"})
  void anAnswerWithoutUsageCostsWhatTheGatewayCounts(String called) throws Exception {
    for (boolean stream : new boolean[] {false, true}) {
      String id = "estimated-" + called + stream;
      UPSTREAM.enqueue(answer("chat", stream, "null", null));

      assertThat(told(call(called, "only-chat/m", stream, id), stream)).isNull();
      assertThat(costs(id)).singleElement().satisfies(cost -> assertThat(cost).isPositive());
      assertThat(column("counted", id)).containsExactly("estimated");
    }
  }

  private static HttpResponse<String> call(String called, String model, boolean stream, String id)
      throws Exception {
    String path = PATHS.get(called);
    HttpResponse<String> answer =
        Routed.call(GATEWAY, path, Routed.body(path, model, stream), "X-Request-Id", id);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return answer;
  }

  /** What an answer says that it cost: in its header, or in the comment of the last event. */
  private static String told(HttpResponse<String> answer, boolean stream) {
    if (!stream) {
      return answer.headers().firstValue("X-Gateway-Cost").orElse(null);
    }
    assertThat(answer.headers().firstValue("X-Gateway-Cost")).isEmpty();
    String[] events = answer.body().split("\n\n", -1);
    String[] before = Arrays.copyOf(events, events.length - 2);
    assertThat(before).noneMatch(event -> event.contains("X-Gateway-Cost"));
    return events[events.length - 2]
        .lines()
        .filter(line -> line.startsWith(": X-Gateway-Cost: "))
        .map(line -> line.substring(": X-Gateway-Cost: ".length()))
        .findFirst()
        .orElse(null);
  }

  private static Answer answer(String format, boolean stream, String usage, String tier) {
    String told = tier == null ? "" : "\"service_tier\":\"" + tier + "\",";
    if (!stream) {
      return Answer.json(
          switch (format) {
            case "chat" ->
                "{%s\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"Hi\"},\"finish_reason\":\"stop\"}],\"usage\":%s}"
                    .formatted(told, usage);
            case "messages" ->
                "{%s\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"Hi\"}],\"stop_reason\":\"end_turn\",\"usage\":%s}"
                    .formatted(told, usage);
            default -> response(told, usage);
          });
    }
    return Answer.sse(
        switch (format) {
          case "chat" ->
              List.of(
                  "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\"}}]}\n\n",
                  "data: {%s\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
                      .formatted(told),
                  "data: {\"choices\":[],\"usage\":%s}\n\n".formatted(usage),
                  "data: [DONE]\n\n");
          case "messages" ->
              List.of(
                  event(
                      "message_start",
                      "\"message\":{\"type\":\"message\",\"role\":\"assistant\",\"content\":[],\"usage\":%s}"
                          .formatted(usage)),
                  event(
                      "content_block_start",
                      "\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}"),
                  event(
                      "content_block_delta",
                      "\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hi\"}"),
                  event("content_block_stop", "\"index\":0"),
                  event(
                      "message_delta",
                      "\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":50}"),
                  event("message_stop", "\"x\":0"));
          default ->
              List.of(
                  event(
                      "response.created",
                      "\"sequence_number\":0,\"response\":{\"id\":\"r\",\"service_tier\":\"auto\"}"),
                  event(
                      "response.completed",
                      "\"sequence_number\":1,\"response\":" + response(told, usage)));
        });
  }

  private static String response(String told, String usage) {
    return "{%s\"id\":\"r\",\"status\":\"completed\",\"output\":[{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"Hi\"}]}],\"usage\":%s}"
        .formatted(told, usage);
  }

  private static String event(String type, String members) {
    return "event: %1$s\ndata: {\"type\":\"%1$s\",%2$s}\n\n".formatted(type, members);
  }

  /** The costs of a call's attempts, in their order. */
  private static List<Long> costs(String id) throws Exception {
    return column("cost", id).stream()
        .map(cost -> cost == null ? null : Long.valueOf(cost))
        .toList();
  }

  private static List<String> column(String name, String id) throws Exception {
    String ended = "FROM request_log WHERE request_id = '" + id + "'";
    await().until(() -> !select("SELECT 1 " + ended + " AND outcome = 'answered'").isEmpty());
    return select("SELECT " + name + " " + ended + " ORDER BY attempt");
  }

  private static List<String> select(String sql) throws SQLException {
    List<String> values = new ArrayList<>();
    try (Connection connection = DATABASE.connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        values.add(rows.getString(1));
      }
    }
    return values;
  }
}

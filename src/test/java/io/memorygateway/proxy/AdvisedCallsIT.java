package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.http.HttpResponse;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §15: what a provider does beside an answer is held, paid, and within a key's scope. */
class AdvisedCallsIT {
  private static final String BODY =
      "{\"model\":\"maker/cheap\",\"max_tokens\":2000,\"stream\":%s,"
          + "\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]%s}";
  private static final String ADVISOR =
      ",\"tools\":[{\"type\":\"advisor_20260301\",\"name\":\"advisor\",\"model\":\"wise\"%s}]";
  private static final String COMPACTING =
      ",\"context_management\":{\"edits\":[{\"type\":\"compact_20260112\"}]}";

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                Routed.provider(config, "maker", UPSTREAM);
                ObjectNode prices = config.withObject("/prices");
                ObjectNode cheap = prices.putObject("maker/cheap").put("input", 1).put("output", 2);
                cheap
                    .putArray("tiers")
                    .addObject()
                    .put("above", 200_000)
                    .put("input", 100)
                    .put("output", 100);
                prices.putObject("maker/wise").put("input", 10).put("output", 20);
                config
                    .withObject("/budgets")
                    .put("costComment", true)
                    .put("clamp", false)
                    .put("assumedOutput", 500);
              });

  private BudgetedKey key;

  @BeforeEach
  void issue() throws Exception {
    UPSTREAM.takingAll("members of betas");
    key = BudgetedKey.issue(GATEWAY, "advised");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anAdvisorIsPaidAtItsOwnPriceAndCountedOfItsModel(boolean stream) throws Exception {
    budget("all", "tokens", "1000000", "");
    budget("money", "usd", "10", "");
    budget("cheap", "tokens", "1000000", "&models=maker/cheap");
    budget("wise", "tokens", "1000000", "&models=maker/wise");
    UPSTREAM.enqueue(
        answer(
            stream,
            400,
            600,
            """
            {"type":"message","input_tokens":300,"output_tokens":100},
            {"type":"advisor_message","model":"wise","input_tokens":20000,
             "cache_read_input_tokens":30000,"output_tokens":1800},
            {"type":"message","input_tokens":100,"output_tokens":500}"""));

    HttpResponse<String> answer = call(stream, ADVISOR.formatted(""));

    // 400 at 1, 600 at 2, 50,000 at 10 and 1,800 at 20 dollars a million.
    assertThat(told(answer, stream)).isEqualTo("0.5376");
    key.assertSettled("all", "52800");
    key.assertSettled("money", "0.5376");
    key.assertSettled("cheap", "1000");
    key.assertSettled("wise", "51800");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aCompactionIsPaidByItself(boolean stream) throws Exception {
    budget("all", "tokens", "1000000", "");
    UPSTREAM.enqueue(
        answer(
            stream,
            23_000,
            1_000,
            """
            {"type":"compaction","input_tokens":180000,"output_tokens":3500},
            {"type":"message","input_tokens":23000,"output_tokens":1000}"""));

    HttpResponse<String> answer = call(stream, COMPACTING);

    // Neither pass alone is above 200,000 tokens.
    assertThat(told(answer, stream)).isEqualTo("0.212");
    key.assertSettled("all", "207500");
  }

  @ParameterizedTest
  @CsvSource({"1, 1000, 9000", "2, 1000, 20000"})
  void whatAnAdvisorMayUseIsHeld(int uses, int advice, long most) throws Exception {
    budget("all", "tokens", Long.toString(most - 200), "");
    UPSTREAM.answer(request -> answer(false, 10, 10, ""));
    String more = ",\"max_uses\":%d,\"max_tokens\":%d".formatted(uses, advice);

    ErrorEnvelope.check(call(false, ADVISOR.formatted(more)), 402, "billing_error");
    assertThat(UPSTREAM.requests()).isEmpty();
    assertThat(call(false, "").statusCode()).isEqualTo(200);
    key.assertSettled("all", "20");

    budget("all", "tokens", Long.toString(most + 400), "");
    assertThat(call(false, ADVISOR.formatted(more)).statusCode()).isEqualTo(200);
  }

  /**
   * As a sum beyond a long, it would be less than nothing, and leave all budgets open to others.
   */
  @Test
  void whatMoreAdvisorsThanThereAreMayUseIsNeverLess() throws Exception {
    budget("all", "tokens", "1000000", "");
    UPSTREAM.answer(request -> answer(false, 10, 10, ""));
    String tool = "{\"type\":\"advisor_1\",\"max_uses\":100,\"max_tokens\":1e10}";
    String tools = String.join(",", Collections.nCopies(5000, tool));
    String body =
        "{\"model\":\"maker/cheap\",\"max_tokens\":1e10,\"n\":1000,\"tools\":[%s],\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}";

    ErrorEnvelope.check(key.post("/v1/messages", body.formatted(tools)), 402, "billing_error");
    assertThat(UPSTREAM.requests()).isEmpty();
  }

  @Test
  void whatACompactionMayUseIsHeld() throws Exception {
    budget("all", "tokens", "2300", "");
    UPSTREAM.answer(request -> answer(false, 10, 10, ""));

    ErrorEnvelope.check(call(false, COMPACTING), 402, "billing_error");
    assertThat(call(false, "").statusCode()).isEqualTo(200);
  }

  /** What of a prediction is not taken is output, and images of some models are many tokens. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "cheap|\"x\"}],\"prediction\":{\"type\":\"content\",\"content\":\"PREDICTED\"}|4000",
        "gpt-4o-mini|[{\"type\":\"image_url\",\"image_url\":{\"url\":\"https://x/y\",\"detail\":\"low\"}}]}]|4800",
        "gpt-5-mini|[{\"type\":\"image_url\",\"image_url\":{\"url\":\"https://x/y\",\"detail\":\"low\"}}]}]|6700"
      })
  void whatCostsMoreThanItShowsIsHeld(String model, String content, long most) throws Exception {
    budget("all", "tokens", Long.toString(most - 700), "");
    UPSTREAM.answer(
        request ->
            Answer.json(
                "{\"choices\":[{\"index\":0,\"finish_reason\":\"stop\",\"message\":{\"role\":\"assistant\",\"content\":\"y\"}}],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":9}}"));
    String body =
        "{\"model\":\"maker/%s\",\"max_tokens\":2000,\"messages\":[{\"role\":\"user\",\"content\":%s}"
            .formatted(model, content.replace("PREDICTED", "word ".repeat(1000)));

    ErrorEnvelope.check(key.post("/v1/chat/completions", body), 402, "billing_error");
    assertThat(UPSTREAM.requests()).isEmpty();

    budget("all", "tokens", Long.toString(most + 200), "");
    assertThat(key.post("/v1/chat/completions", body).statusCode()).isEqualTo(200);
    key.assertSettled("all", "18");
  }

  @Test
  void anAdvisorIsAModelThatTheKeyMayUse() throws Exception {
    GATEWAY.task("key-scope?id=" + key.id() + "&models=maker/cheap");
    UPSTREAM.answer(request -> answer(false, 10, 10, ""));

    ErrorEnvelope.check(call(false, ADVISOR.formatted("")), 403, "permission_error");
    assertThat(UPSTREAM.requests()).isEmpty();
    HttpResponse<String> allowed =
        call(false, ADVISOR.formatted("").replace("\"wise\"", "\"cheap\""));
    assertThat(allowed.statusCode()).as(allowed.body()).isEqualTo(200);
  }

  @Test
  void anAdvisorThatAnotherKeyHasBroughtIntoTheThreadIsToo() throws Exception {
    UPSTREAM.answer(request -> answer(false, 10, 10, ""));
    String advisor = ADVISOR.formatted("").substring(",\"tools\":[".length()).replace("]", "");
    String brings =
        BODY.formatted(false, "")
            .replace(
                "\"hi\"",
                "[{\"type\":\"text\",\"text\":\"hi\"},{\"type\":\"tool_addition\",\"tool\":{\"type\":\"tool_definition\",\"definition\":"
                    + advisor
                    + "}}]");
    String[] thread = {"x-thread-id", "advised", "x-resource-id", "r"};
    assertThat(key.post("/v1/messages", brings, thread).statusCode()).isEqualTo(200);
    BudgetedKey other = BudgetedKey.issue(GATEWAY, "advised");
    GATEWAY.task("key-scope?id=" + other.id() + "&models=maker/cheap");
    String goesOn = BODY.formatted(false, "").replace("\"hi\"", "\"go on\"");

    ErrorEnvelope.check(other.post("/v1/messages", goesOn, thread), 403, "permission_error");
    assertThat(UPSTREAM.requests()).hasSize(1);
    assertThat(other.post("/v1/messages", goesOn).statusCode()).isEqualTo(200);
    assertThat(key.post("/v1/messages", goesOn, thread).statusCode()).isEqualTo(200);
  }

  @Test
  void aToolThatAnotherKeyHasBroughtInAnItemIsToo() throws Exception {
    String items =
        "{'type':'tool_search_call','call_id':'s','execution':'client','arguments':{}},"
            + "{'type':'tool_search_output','call_id':'s','execution':'client','tools':[%s]}";
    UPSTREAM.answer(
        request ->
            Answer.json(
                "{\"object\":\"response\",\"status\":\"completed\",\"output\":[{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"Hi\"}]}]}"));
    int before = UPSTREAM.requests().size();
    String call =
        "{'model':'maker/cheap','input':[%s{'type':'message','role':'user','content':'%s'}]}";
    String tool = "{'type':'image_generation','model':'wise'}";
    String brings = call.formatted(items.formatted(tool) + ",", "hi").replace('\'', '"');
    String goesOn = call.formatted("", "go on").replace('\'', '"');
    String[] thread = {"x-thread-id", "items", "x-resource-id", "r"};
    assertThat(key.post("/v1/responses", brings, thread).statusCode()).isEqualTo(200);
    BudgetedKey other = BudgetedKey.issue(GATEWAY, "advised");
    GATEWAY.task("key-scope?id=" + other.id() + "&models=maker/cheap");

    ErrorEnvelope.check(other.post("/v1/responses", goesOn, thread), 403, "permission_error");
    assertThat(UPSTREAM.requests()).hasSize(before + 1);
    assertThat(other.post("/v1/responses", goesOn).statusCode()).isEqualTo(200);
    assertThat(key.post("/v1/responses", goesOn, thread).statusCode()).isEqualTo(200);
  }

  @Test
  void aRegionThatCostsMoreIsPaidAndHeld() throws Exception {
    budget("money", "usd", "0.0042", "");
    String us = ",\"inference_geo\":\"us\"";
    UPSTREAM.answer(request -> answer(false, 1000, 10, ""));
    // 2,000 at 2 dollars a million and some of input, and a tenth.
    ErrorEnvelope.check(call(false, us), 402, "billing_error");
    assertThat(UPSTREAM.requests()).isEmpty();

    UPSTREAM.answer(
        request ->
            Answer.json(
                "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"Hi\"}],"
                    + "\"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\":1000,\"output_tokens\":10"
                    + us
                    + "}}"));
    budget("money", "usd", "1", "");
    assertThat(told(call(false, us), false)).isEqualTo("0.001122");
    key.assertSettled("money", "0.001122");
  }

  @Test
  void aSpeedWithoutAPriceHasNoPrice() throws Exception {
    UPSTREAM.answer(
        request ->
            Answer.json(
                "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"Hi\"}],"
                    + "\"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\":10,\"output_tokens\":10,"
                    + "\"speed\":\"fast\"}}"));
    String fast = ",\"speed\":\"fast\"";
    assertThat(told(call(false, fast), false)).isNull();

    int before = UPSTREAM.requests().size();
    budget("money", "usd", "1", "");
    HttpResponse<String> refused = call(false, fast);
    ErrorEnvelope.check(refused, 402, "billing_error");
    assertThat(refused.body()).contains("price");
    assertThat(UPSTREAM.requests()).hasSize(before);
  }

  private void budget(String name, String unit, String limit, String more) throws Exception {
    key.budget(name, unit, limit, "total", more);
  }

  private HttpResponse<String> call(boolean stream, String more) throws Exception {
    return key.post("/v1/messages", BODY.formatted(stream, more));
  }

  private static String told(HttpResponse<String> answer, boolean stream) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return stream
        ? answer
            .body()
            .lines()
            .filter(line -> line.startsWith(": X-Gateway-Cost: "))
            .map(line -> line.substring(": X-Gateway-Cost: ".length()))
            .findFirst()
            .orElse(null)
        : answer.headers().firstValue("X-Gateway-Cost").orElse(null);
  }

  /** An answer of {@code cheap}; of a stream the end tells the passes. */
  private static Answer answer(boolean stream, int input, int output, String passes) {
    String iterations = "\"iterations\":[" + passes.replace("\n", "") + "]";
    String message =
        "\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"cheap\",\"content\":";
    if (!stream) {
      return Answer.json(
          "{%s[{\"type\":\"text\",\"text\":\"Hi\"}],\"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\":%d,\"output_tokens\":%d,%s}}"
              .formatted(message, input, output, iterations));
    }
    return Answer.sse(
        List.of(
            event(
                "message_start",
                "\"message\":{%s[],\"usage\":{\"input_tokens\":%d,\"output_tokens\":1}}"
                    .formatted(message, input)),
            event(
                "content_block_start",
                "\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"Hi\"}"),
            event("content_block_stop", "\"index\":0"),
            event(
                "message_delta",
                "\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":%d,%s}"
                    .formatted(output, iterations)),
            event("message_stop", "\"x\":0")));
  }

  private static String event(String type, String members) {
    return "event: %1$s\ndata: {\"type\":\"%1$s\",%2$s}\n\n".formatted(type, members);
  }
}

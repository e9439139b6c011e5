package io.memorygateway.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.memorygateway.CommandLine;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §12, §15: budgets as operators see and change them, and whether their sums agree. */
class AdminBudgetsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .withoutKey()
          .configured(AdminClient::takeTokens)
          .configured(
              config ->
                  config
                      .withObject("/budgets")
                      .putArray("rules")
                      .addObject()
                      .put("name", "monthly")
                      .put("unit", "usd")
                      .put("limit", 50)
                      .put("window", "month"));

  private static AdminClient operator;
  private static AdminClient owner;

  /** A key and what it can do. */
  private record Issued(String id, String key) {}

  @BeforeAll
  static void logIn() throws Exception {
    operator = AdminClient.of(GATEWAY, DATABASE, "operator");
    owner = AdminClient.of(GATEWAY, DATABASE, "owner");
  }

  @Test
  void aBudgetIsGivenRaisedAndTakenAway() throws Exception {
    Issued issued = issue("given");
    String path = "/budgets/keys/" + issued.id();
    assertThat(operator.get(path).findValuesAsText("name")).containsExactly("monthly");
    JsonNode given =
        AdminClient.json(
            operator.send(
                "PUT",
                path + "/daily",
                "{\"unit\":\"tokens\",\"limit\":1000000,\"window\":\"day\",\"models\":[\"openai/*\"]}"));
    JsonNode daily = named(given, "daily");
    assertThat(daily.path("limit").asText()).isEqualTo("1000000");
    assertThat(daily.path("remaining").asText()).isEqualTo("1000000");
    assertThat(daily.at("/models/0").asText()).isEqualTo("openai/*");
    assertThat(daily.path("mode").asText()).isEqualTo("enforce");
    assertThat(daily.at("/own/limit").asInt()).isEqualTo(1_000_000);
    assertThat(named(given, "monthly").path("own").isNull()).isTrue();

    operator.post(path + "/monthly/increase", "{\"by\":2.5,\"expiresIn\":\"1d\"}");
    assertThat(named(operator.get(path), "monthly").path("limit").asText()).isEqualTo("52.5");
    assertThat(owner.get("/keys?project=given").at("/keys/0/budgets/daily/limit").asInt())
        .isEqualTo(1_000_000);
    assertThat(
            new CommandLine()
                .with(DATABASE)
                .run("key", "list", "--project", "given", "config.yml")
                .out())
        .contains("\"daily\"");

    AdminClient.json(operator.send("DELETE", path + "/daily", null));
    AdminClient.json(operator.send("DELETE", path + "/monthly", null));
    JsonNode after = operator.get(path);
    assertThat(after.findValuesAsText("name")).containsExactly("monthly");
    assertThat(after.at("/budgets/0/limit").asText()).isEqualTo("50");
    assertThat(owner.get("/audit?subject=" + issued.id()).findValuesAsText("action"))
        .contains("key-budget", "key-budget-increase");
  }

  @Test
  void underTheNameOfARuleIsOverriddenWhatIsGiven() throws Exception {
    Issued issued = issue("overriding");
    String path = "/budgets/keys/" + issued.id();
    task("key-budget?id=" + issued.id() + "&name=monthly&mode=shadow");
    JsonNode other = named(operator.get(path), "monthly");
    assertThat(other.path("mode").asText()).isEqualTo("shadow");
    assertThat(other.path("limit").asText()).isEqualTo("50");

    task("key-budget?id=" + issued.id() + "&name=monthly");
    assertThat(named(operator.get(path), "monthly").path("mode").asText()).isEqualTo("enforce");

    task("key-budget?id=" + issued.id() + "&name=b&unit=tokens&limit=5&window=day");
    ErrorEnvelope.check(
        send("key-budget?id=" + issued.id() + "&name=b&mode=shadow"), 400, "invalid_request_error");
    assertThat(operator.get(path).findValuesAsText("name")).containsExactly("b", "monthly");
    task("key-budget?id=" + issued.id() + "&name=b");
    assertThat(operator.get(path).findValuesAsText("name")).containsExactly("monthly");
  }

  /** It stood there before the configuration had such a rule for keys. */
  @Test
  void anOwnBudgetWithTheNameOfARuleOfOthersCanBeChangedAndTakenAway() throws Exception {
    Issued unused = issue("renamed");
    String own = "{\"monthly\":{\"unit\":\"tokens\",\"limit\":5,\"window\":\"day\"}}";
    change("UPDATE projects SET budgets = '" + own + "' WHERE name = 'renamed'");
    String budget = "project-budget?project=renamed&name=monthly";

    task(budget + "&unit=tokens&limit=7&window=day");
    task(budget);
    ErrorEnvelope.check(
        send(budget + "&unit=tokens&limit=7&window=day"), 400, "invalid_request_error");
  }

  @Test
  void whereThereIsNoBudgetAndNoRuleItIsSaid() throws Exception {
    Issued issued = issue("wrong");
    for (String owner :
        new String[] {"key-budget?id=" + issued.id(), "project-budget?project=wrong"}) {
      ErrorEnvelope.check(send(owner + "&name=b"), 404, "not_found");
      task(owner + "&name=b&unit=tokens&limit=5&window=day");
      task(owner + "&name=b");
      ErrorEnvelope.check(send(owner + "&name=b"), 404, "not_found");
    }
  }

  private static void task(String nameAndQuery) throws Exception {
    assertThat(send(nameAndQuery).statusCode()).isEqualTo(200);
  }

  private static HttpResponse<String> send(String nameAndQuery) throws Exception {
    return GATEWAY.send(
        HttpRequest.newBuilder(URI.create(GATEWAY.adminUrl() + "/tasks/" + nameAndQuery))
            .header("Authorization", "Bearer " + operator.token())
            .POST(HttpRequest.BodyPublishers.noBody()));
  }

  @Test
  void aSmallLimitIsShownAsItWasGivenInDigitsOfAscii() throws Exception {
    String budget = "key-budget?id=%s&name=b&unit=usd&window=day&limit=".formatted(issue("s").id());
    assertThat(send(budget + "1e-7").body()).contains("\"limit\":0.0000001,");
    assertThat(send(budget + "%D9%A3").body()).contains("limit must be a number.");
  }

  @Test
  void aProjectHasBudgetsAndNoneOfItsKeys() throws Exception {
    issue("grouped");
    String body = "{\"unit\":\"usd\",\"limit\":7,\"window\":\"5h\",\"mode\":\"shadow\"}";
    AdminClient.json(operator.send("PUT", "/budgets/projects/grouped/all", body));
    JsonNode budgets = operator.get("/budgets/projects/grouped");
    assertThat(budgets.findValuesAsText("name")).containsExactly("all");
    assertThat(budgets.at("/budgets/0/mode").asText()).isEqualTo("shadow");
    assertThat(budgets.at("/budgets/0/keyId").isNull()).isTrue();
    AdminClient.json(operator.send("DELETE", "/budgets/projects/grouped/all", null));
    assertThat(operator.get("/budgets/projects/grouped").path("budgets")).isEmpty();
  }

  @Test
  void nonsenseAndLowerRolesAreRefused() throws Exception {
    Issued issued = issue("refused");
    String path = "/budgets/keys/" + issued.id() + "/b";
    String good = "{\"unit\":\"tokens\",\"limit\":5,\"window\":\"day\"}";
    for (String body :
        new String[] {
          "{}",
          "{\"unit\":\"tokens\",\"window\":\"day\"}",
          good.replace("day", "year"),
          good.replace("5", "-1"),
          good.replace("5", "1e999999"),
          good.replace("tokens", "euro"),
          good.replace("}", ",\"models\":[\"\"]}"),
          good.replace("}", ",\"models\":[null]}"),
          good.replace("}", ",\"models\":[\"a,b\"]}")
        }) {
      ErrorEnvelope.check(operator.send("PUT", path, body), 400, "invalid_request_error");
    }
    ErrorEnvelope.check(
        operator.send("POST", path + "/increase", "{\"by\":1}"), 400, "invalid_request_error");
    ErrorEnvelope.check(operator.send("PUT", "/budgets/keys/nobody/b", good), 404, "not_found");
    ErrorEnvelope.check(operator.send("GET", "/budgets/projects/nobody", null), 404, "not_found");
    AdminClient viewer = AdminClient.of(GATEWAY, DATABASE, "viewer");
    assertThat(viewer.send("PUT", path, good).statusCode()).isEqualTo(403);
    assertThat(viewer.send("GET", "/budgets", null).statusCode()).isEqualTo(200);
  }

  @Test
  void theFullestAreShownFirstAndTheCheckComparesThemWithTheLog() throws Exception {
    Issued full = issue("full");
    Issued other = issue("other");
    for (Issued each : new Issued[] {full, other}) {
      String limit = each.equals(full) ? "1000" : "2000";
      operator.send(
          "PUT",
          "/budgets/keys/" + each.id() + "/filled",
          "{\"unit\":\"tokens\",\"limit\":" + limit + ",\"window\":\"total\"}");
      operator.send(
          "PUT", "/budgets/keys/" + each.id() + "/monthly", "{\"limit\":1,\"unpriced\":\"allow\"}");
    }
    for (Issued each : new Issued[] {full, other}) {
      await().until(() -> chat(each) == 200); // once the node knows the budgets
      String path = "/budgets/keys/" + each.id();
      await().until(() -> named(operator.get(path), "filled").path("used").asText().equals("500"));
    }
    JsonNode fullest = operator.get("/budgets");
    assertThat(fullest.at("/budgets/0/name").asText()).isEqualTo("filled");
    assertThat(fullest.at("/budgets/0/project").asText()).isEqualTo("full");
    assertThat(fullest.at("/budgets/0/keyId").asText()).isEqualTo(full.id());
    assertThat(fullest.at("/budgets/0/resetsAt").isNull()).isTrue();
    assertThat(fullest.at("/budgets/1/project").asText()).isEqualTo("other");

    CommandLine.Outcome good = check();
    assertThat(good.status()).as(good.err()).isZero();
    assertThat(good.out())
        .contains(
            "agrees: budget filled of the key " + full.id(),
            "held 0, by calls 0; settled 500, in the log 500")
        .doesNotContain("DIFFERS");

    for (String column : new String[] {"settled", "held", "reserved"}) {
      change("UPDATE budget_windows SET " + column + " = " + column + " + 7 WHERE name = 'filled'");
      CommandLine.Outcome wrong = check();
      change("UPDATE budget_windows SET " + column + " = " + column + " - 7 WHERE name = 'filled'");
      assertThat(wrong.status()).as(column).isEqualTo(1);
      assertThat(wrong.out()).contains("DIFFERS: budget filled of the key " + full.id());
    }
    change(
        "DELETE FROM request_log WHERE project_id = (SELECT id FROM projects WHERE name = 'full')");
    assertThat(check().out()).contains("DIFFERS: budget filled of the key " + full.id());
  }

  private static CommandLine.Outcome check() throws Exception {
    return new CommandLine().with(DATABASE).run("check", "--budgets", "config.yml");
  }

  private static void change(String sql) {
    int unused = DATABASE.jdbi().withHandle(handle -> handle.execute(sql));
  }

  private static Issued issue(String project) throws Exception {
    JsonNode issued = owner.post("/keys", "{\"project\":\"" + project + "\",\"name\":\"k\"}");
    return new Issued(issued.path("id").asText(), issued.path("key").asText());
  }

  private static int chat(Issued caller) throws Exception {
    UPSTREAM.enqueue(
        Answer.json(
            """
            {"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,
            "message":{"role":"assistant","content":"Fine."},"finish_reason":"stop"}],
            "usage":{"prompt_tokens":300,"completion_tokens":200,"total_tokens":500}}
            """));
    return GATEWAY
        .send(
            HttpRequest.newBuilder(URI.create(GATEWAY.url() + "/v1/chat/completions"))
                .header("x-api-key", caller.key())
                .header("Content-Type", "application/json")
                .POST(
                    HttpRequest.BodyPublishers.ofString(
                        "{\"model\":\"openai/nobody-knows\",\"max_tokens\":500,\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}]}")))
        .statusCode();
  }

  private static JsonNode named(JsonNode list, String name) {
    for (JsonNode budget : list.path("budgets")) {
      if (budget.path("name").asText().equals(name)) {
        return budget;
      }
    }
    throw new AssertionError("no budget " + name + ": " + list);
  }
}

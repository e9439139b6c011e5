package io.memorygateway.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.CommandLine;
import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §12: what operators see and do, as JSON. */
class AdminApiIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .withoutKey()
          .configured(
              config -> ((ObjectNode) config.get("admin")).putObject("auth").put("mode", "token"));

  private static final int ROWS = 250;

  private static String viewer;
  private static String operator;
  private static String owner;

  @BeforeAll
  static void tokensAndRequests() throws Exception {
    viewer = AdminClient.token(DATABASE, "viewer");
    operator = AdminClient.token(DATABASE, "operator");
    owner = AdminClient.token(DATABASE, "owner");
    JsonNode key = json(send("POST", "/keys", owner, "{\"project\":\"shop\",\"name\":\"a\"}"));
    try (Connection connection = DATABASE.connect();
        Statement statement = connection.createStatement()) {
      for (int i = 0; i < ROWS; i++) {
        statement.addBatch(
            """
            INSERT INTO request_log (started_at, id, project_id, key_id, request_id, endpoint, provider, model, status, stream, duration_ms, input_tokens,
              attempt, outcome, attempt_status, attempt_ms)
            SELECT UTC_TIMESTAMP(3) - INTERVAL %1$d SECOND, %2$d, k.project_id, k.id, 'r%3$d', 'chat', 'openai', 'm%4$d', %5$d, 0, 5, 7,
              1, 'answered', %5$d, 5
            FROM api_keys k WHERE k.public_id = '%6$s'
            """
                .formatted(
                    60 + i / 10,
                    i - 100,
                    i,
                    i % 3,
                    i % 10 == 0 ? 500 : 200,
                    key.path("id").asText()));
      }
      statement.executeBatch();
      statement.execute(
          """
          INSERT INTO request_log (started_at, id, project_id, key_id, request_id, endpoint, provider, model, status, stream, duration_ms,
            attempt, outcome, attempt_status, attempt_ms)
          VALUES (UTC_TIMESTAMP(3) - INTERVAL 1 DAY, 1, 0, 0, 'old', 'chat', 'p', 'm', 200, 0, 1, 1, 'answered', 200, 1)
          """);
    }
  }

  @Test
  void theCallerIsToldWhoItIs() throws Exception {
    JsonNode me = json(send("GET", "/me", viewer, null));
    assertThat(me.path("role").asText()).isEqualTo("viewer");
    ErrorEnvelope.check(
        send("GET", "/me", "msa_" + "0".repeat(32), null), 401, "authentication_error");
  }

  @Test
  void requestsOfTheLastHourComeInPagesWithoutGapsOrRepetitions() throws Exception {
    Set<String> seen = new HashSet<>();
    List<String> times = new ArrayList<>();
    String after = "";
    int pages = 0;
    do {
      JsonNode page = json(send("GET", "/requests?limit=40" + after, viewer, null));
      for (JsonNode request : page.path("requests")) {
        assertThat(seen.add(request.path("id").asText())).isTrue();
        times.add(request.path("startedAt").asText());
      }
      after = page.path("after").isNull() ? "" : "&after=" + page.path("after").asText();
      pages++;
    } while (!after.isEmpty());
    assertThat(seen).hasSize(ROWS);
    assertThat(pages).isEqualTo(7);
    assertThat(times).isSortedAccordingTo(java.util.Comparator.reverseOrder());
  }

  @ParameterizedTest
  @CsvSource({
    "status=5xx,25",
    "status=500,25",
    "status=429,0",
    "model=m0,84",
    "project=shop,200",
    "project=nobody,0",
    "requestId=r17,1",
    "requestId=old,0",
    "provider=openai&model=m1&status=200,75",
  })
  void requestsAreFiltered(String filter, int count) throws Exception {
    assertThat(json(send("GET", "/requests?limit=500&" + filter, viewer, null)).path("requests"))
        .hasSize(count);
  }

  @Test
  void aRequestIsFoundByItsId() throws Exception {
    JsonNode listed =
        json(send("GET", "/requests?requestId=r42", viewer, null)).path("requests").get(0);
    JsonNode found = json(send("GET", "/requests/" + listed.path("id").asText(), viewer, null));
    assertThat(found.path("hasThread").asBoolean()).isFalse();
    assertThat(found.path("attemptList")).hasSize(1);
    JsonNode row = ((ObjectNode) found).without(List.of("hasThread", "attemptList"));
    assertThat(row).isEqualTo(listed);
    assertThat(found.path("project").asText()).isEqualTo("shop");
    assertThat(found.path("inputTokens").asInt()).isEqualTo(7);
    assertThat(found.path("outputTokens").isNull()).isTrue();
    ErrorEnvelope.check(send("GET", "/requests/1-1", viewer, null), 404, "not_found");
    ErrorEnvelope.check(send("GET", "/requests/x", viewer, null), 400, "invalid_request_error");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "from=yesterday",
        "from=2026-01-01T00:00:00Z&to=2025-01-01T00:00:00Z",
        "from=2020-01-01T00:00:00Z&to=2026-01-01T00:00:00Z",
        "limit=0",
        "limit=many",
        "status=bad",
        "after=x",
      })
  void aWrongQuestionIsRefused(String query) throws Exception {
    ErrorEnvelope.check(
        send("GET", "/requests?" + query, viewer, null), 400, "invalid_request_error");
  }

  @Test
  void aKeyLivesByTheApi() throws Exception {
    JsonNode issued =
        json(
            send(
                "POST",
                "/keys",
                owner,
                "{\"project\":\"life\",\"name\":\"n\",\"expiresIn\":\"30d\"}"));
    String secret = issued.path("key").asText();
    String id = issued.path("id").asText();
    assertThat(secret).matches("msk_[0-9a-f]{32}");
    JsonNode limited =
        json(send("PUT", "/keys/" + id + "/limits/memory_read", operator, "{\"limit\":9}"));
    assertThat(limited.path("limits").path("memory_read").asInt()).isEqualTo(9);
    assertThat(
            json(send("DELETE", "/keys/" + id + "/limits/memory_read", operator, null))
                .path("limits"))
        .isEmpty();
    ErrorEnvelope.check(
        send("PUT", "/keys/" + id + "/limits/zebra", operator, "{\"limit\":9}"), 404, "not_found");
    ErrorEnvelope.check(
        send("PUT", "/keys/" + id + "/limits/memory_read", operator, "{\"limit\":0}"),
        400,
        "invalid_request_error");
    JsonNode scoped =
        json(
            send(
                "PUT",
                "/keys/" + id + "/scopes",
                operator,
                "{\"models\":[\"vllm/*\",\"fast\"],\"memory\":\"none\",\"expiresIn\":\"1h\"}"));
    assertThat(scoped.path("scopes").toString())
        .isEqualTo("{\"models\":[\"vllm/*\",\"fast\"],\"memory\":\"none\"}");
    assertThat(scoped.path("expiresAt").asText()).isNotEmpty();
    assertThat(
            json(send(
                    "PUT", "/keys/" + id + "/scopes", operator, "{\"models\":[],\"memory\":\"\"}"))
                .path("scopes"))
        .isEmpty();
    for (String nonsense :
        new String[] {
          "",
          "[]",
          "{\"memory\":\"zebra\"}",
          "{\"models\":[\"a\",\"\"]}",
          "{\"models\":[\"\"]}",
          "{\"models\":[null]}",
          "{\"models\":[\"a,b\"]}",
          "{\"endpoints\":[\" \"]}",
          "{\"addresses\":[\"\"]}",
          "{\"expiresIn\":\"1d\",\"expiresIn\":{}}",
          "{\"expiresIn\":null,\"expiresIn\":\"1d\"}"
        }) {
      ErrorEnvelope.check(
          send("PUT", "/keys/" + id + "/scopes", operator, nonsense), 400, "invalid_request_error");
    }
    ErrorEnvelope.check(
        send("PUT", "/keys/%F0%9F%98%80/scopes", operator, "{}"), 400, "invalid_request_error");
    String second = json(send("POST", "/keys/" + id + "/rotate", owner, "{}")).path("key").asText();
    assertThat(second).isNotEqualTo(secret);
    assertThat(
            json(send("POST", "/keys/" + id + "/revoke", owner, "{}")).path("revokedAt").asText())
        .isNotEmpty();
    HttpResponse<String> listed = send("GET", "/keys?project=life", viewer, null);
    assertThat(listed.body()).contains(id).doesNotContain(secret).doesNotContain(second);

    JsonNode rows = json(send("GET", "/audit?limit=200", viewer, null)).path("rows");
    assertThat(rows)
        .filteredOn(row -> row.path("subject").asText().equals(id))
        .extracting(row -> row.path("action").asText())
        .containsExactly(
            "key-revoke",
            "key-rotate",
            "key-scope",
            "key-scope",
            "key-limits",
            "key-limits",
            "key-issue");
    assertThat(rows.toString()).doesNotContain(secret);
    assertThat(new CommandLine().with(DATABASE).run("audit", "verify", "config.yml").status())
        .isZero();
  }

  /** Contract §15: what has ended begins again by those who may issue a key, and that is seen. */
  @Test
  void aKeyThatHasEndedIsProlongedByAnOwnerAlone() throws Exception {
    String brief = "{\"project\":\"ended\",\"name\":\"n\",\"expiresIn\":\"1ms\"}";
    JsonNode issued = json(send("POST", "/keys", owner, brief));
    String scopes = "/keys/" + issued.path("id").asText() + "/scopes";
    Instant end = Instant.parse(issued.path("expiresAt").asText());
    await().until(() -> Instant.now().isAfter(end));
    for (String longer : new String[] {"1h", ""}) {
      String body = "{\"expiresIn\":\"" + longer + "\"}";
      ErrorEnvelope.check(send("PUT", scopes, operator, body), 403, "invalid_request_error");
    }
    assertThat(json(send("PUT", scopes, operator, "{\"memory\":\"read\"}")).path("expiresAt"))
        .isEqualTo(issued.path("expiresAt"));

    JsonNode prolonged = json(send("PUT", scopes, owner, "{\"expiresIn\":\"1h\"}"));

    JsonNode row = json(send("GET", "/audit?limit=1", viewer, null)).path("rows").get(0);
    assertThat(row.at("/before/expiresAt")).isEqualTo(issued.path("expiresAt"));
    assertThat(row.at("/after/expiresAt")).isEqualTo(prolonged.path("expiresAt"));
  }

  @Test
  void aRoleThatIsTooLowIsRefusedAndThatIsRecorded() throws Exception {
    String key = "{\"project\":\"denied\",\"name\":\"n\"}";
    ErrorEnvelope.check(send("POST", "/keys", operator, key), 403, "invalid_request_error");
    ErrorEnvelope.check(
        send("PUT", "/keys/x/limits/memory_read", viewer, "{\"limit\":1}"),
        403,
        "invalid_request_error");
    assertThat(json(send("GET", "/keys?project=denied", viewer, null)).path("keys")).isEmpty();
    JsonNode newest = json(send("GET", "/audit?limit=1", viewer, null));
    JsonNode row = newest.path("rows").get(0);
    assertThat(row.path("outcome").asText()).isEqualTo("refused");
    assertThat(row.path("action").asText()).isEqualTo("key-limits");
    assertThat(row.path("source").asText()).isEqualTo("127.0.0.1");
    assertThat(row.path("after").path("rule").asText()).isEqualTo("memory_read");
    assertThat(newest.path("before").isNumber()).isTrue();
  }

  @Test
  void aFormOfAnotherPageIsNoRequest() throws Exception {
    HttpRequest.Builder form =
        request("/keys", owner)
            .header("Content-Type", "text/plain")
            .POST(BodyPublishers.ofString("{\"project\":\"form\",\"name\":\"n\"}"));
    ErrorEnvelope.check(GATEWAY.send(form), 415, "invalid_request_error");
  }

  @ParameterizedTest
  @CsvSource({
    "POST, /keys, Content-Type, text/plain, 415",
    "POST, /keys, Content-Type, ;;;, 415",
    "POST, /keys, Accept, text/zebra, 406",
    "PUT, /keys/x/scopes, Content-Type, application/x-www-form-urlencoded, 415",
    "GET, /projects/p/threads, Accept, text/zebra, 406",
    "HEAD, /projects/p/threads, Accept, text/zebra, 406",
    "DELETE, /projects/p/threads/t, Accept, text/zebra, 406",
  })
  void aRoleThatIsTooLowHearsThatWhateverItSendsOrAccepts(
      String method, String path, String header, String value, int ofAnOwner) throws Exception {
    BodyPublisher body =
        method.startsWith("P") ? BodyPublishers.ofString("{}") : BodyPublishers.noBody();
    HttpResponse<String> refused =
        GATEWAY.send(request(path, viewer).header(header, value).method(method, body));
    assertThat(refused.statusCode()).isEqualTo(403);
    if (!method.equals("HEAD")) {
      ErrorEnvelope.check(refused, 403, "invalid_request_error");
      assertThat(refused.body()).contains("This needs the role");
    }
    assertThat(
            GATEWAY
                .send(request(path, owner).header(header, value).method(method, body))
                .statusCode())
        .isEqualTo(ofAnOwner);
  }

  /** Ignored, a misspelt word would make a key that never ends, or show all where one was meant. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "POST|/keys|{\"project\":\"odd\",\"name\":\"n\",\"expiresAt\":\"1d\"}|member of the body expiresAt; known are expiresIn, name, project.",
        "POST|/keys/x/rotate|{\"expiresIn\":\"1d\"}|member of the body expiresIn; there are none.",
        "POST|/keys/x/revoke|[1]|member of the body; there are none.",
        "DELETE|/keys/x/limits/memory_read|{\"window\":\"1d\"}|member of the body window; there are none.",
        "DELETE|/budgets/keys/x/b|{\"unit\":\"usd\"}|member of the body unit; there are none.",
        "POST|/projects/odd/export|{\"resourceId\":\"a\"}|member of the body resourceId; there are none.",
        "POST|/keys?expiresIn=1d|{\"project\":\"odd\",\"name\":\"n\"}|parameter of the query expiresIn; there are none.",
        "PUT|/keys/x/scopes|{\"model\":[\"a\"]}|member of the body model;",
        "PUT|/keys/x/limits/memory_read|{\"limit\":1,\"window\":\"1d\"}|member of the body window;",
        "PUT|/budgets/keys/x/b|{\"limit\":1,\"windows\":\"day\"}|member of the body windows;",
        "POST|/budgets/keys/x/b/increase|{\"by\":1,\"expiresIn\":\"1d\",\"name\":\"a\"}|member of the body name;",
        "POST|/providers/openai/test|{\"model\":\"m\",\"endpoints\":\"chat\"}|member of the body endpoints;",
        "GET|/keys?projects=odd||parameter of the query projects; known are project.",
        "GET|/requests?form=2026-11-01||parameter of the query form; known are after, endpoint, format, from,",
        "GET|/keys?project=a&project=b||project is given more than once.",
        "GET|/keys?0msk_1=a||parameter of the query; known are project.",
      })
  void aWordThatIsNotKnownIsRefused(String method, String path, String body, String told)
      throws Exception {
    HttpResponse<String> answer = send(method, path, owner, body);

    ErrorEnvelope.check(answer, 400, "invalid_request_error");
    assertThat(answer.body()).contains(told);
    assertThat(json(send("GET", "/keys?project=odd", viewer, null)).path("keys")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"1.9", "1e0", "\"5\"", "true", "null", "[5]", "0", "2147483648"})
  void aLimitIsAWholeNumberAndNothingElse(String limit) throws Exception {
    String key = "{\"project\":\"limits\",\"name\":\"n\"}";
    String id = json(send("POST", "/keys", owner, key)).path("id").asText();
    String path = "/keys/" + id + "/limits/memory_read";
    ErrorEnvelope.check(
        send("PUT", path, operator, "{\"limit\":" + limit + "}"), 400, "invalid_request_error");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{",
        "[]",
        "null",
        "\"zebra\"",
        "{\"project\":1,\"name\":{}}",
        "{\"project\":\"wrong\",\"name\":5}",
        "{\"project\":\"wrong\",\"name\":true}",
        ""
      })
  void aBodyThatIsWrongIsRefused(String body) throws Exception {
    assertThat(send("POST", "/keys", owner, body).statusCode()).isEqualTo(400);
  }

  private static HttpRequest.Builder request(String path, String token) {
    return HttpRequest.newBuilder(URI.create(GATEWAY.adminUrl() + "/admin/api" + path))
        .header("Authorization", "Bearer " + token);
  }

  private static HttpResponse<String> send(String method, String path, String token, String body)
      throws Exception {
    return new AdminClient(GATEWAY, token).send(method, path, body);
  }

  private static JsonNode json(HttpResponse<String> answer) throws Exception {
    return AdminClient.json(answer);
  }
}

package io.memorygateway.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.CommandLine;
import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §1: the life of a key, by admin task and by command, on one node and on another. */
class KeyLifecycleIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension static final TestGateway GATEWAY = gateway();

  private static final ObjectMapper JSON = new ObjectMapper();

  /** One on which a key that cannot be checked, as on a busy machine, is not let in. */
  private static TestGateway gateway() {
    return new TestGateway(DATABASE, UPSTREAM)
        .configured(config -> config.withObject("/auth").put("graceWhileDatabaseDown", "0s"));
  }

  @Test
  void aKeyIsShownWhenItIsIssuedAndNeverAgain() throws Exception {
    JsonNode issued = GATEWAY.task("key-issue?project=shown&name=first&expiresIn=90d");

    String secret = issued.path("key").asText();
    assertThat(secret).matches("msk_[0-9a-f]{32}");
    assertThat(issued.path("prefix").asText()).isEqualTo(secret.substring(0, 8));
    assertThat(issued.path("project").asText()).isEqualTo("shown");
    assertThat(issued.path("name").asText()).isEqualTo("first");
    assertThat(issued.path("createdAt").asText()).matches("....-..-..T..:..:..\\....Z");
    assertThat(issued.path("expiresAt").asText()).matches("....-..-..T..:..:..\\....Z");
    assertThat(issued.path("revokedAt").isNull()).isTrue();
    assertThat(status(GATEWAY, secret)).isEqualTo(200);

    JsonNode second = GATEWAY.task("key-issue?project=shown&name=second");
    assertThat(second.path("projectId")).isEqualTo(issued.path("projectId"));
    assertThat(second.path("expiresAt").isNull()).isTrue();

    JsonNode listed = GATEWAY.task("key-list?project=shown");
    assertThat(listed.findValuesAsText("name")).containsExactly("first", "second");
    assertThat(listed.toString()).doesNotContain(secret).doesNotContain("\"key\"");
    assertThat(listed.get(0).path("id")).isEqualTo(issued.path("id"));
    assertThat(GATEWAY.task("key-list").findValuesAsText("project")).contains("shown", "test");
    assertThat(GATEWAY.task("key-list?project=nobody")).isEmpty();
  }

  @Test
  void aRotatedKeyHasANewSecretAndItsOldOneIsRefusedAtOnce() throws Exception {
    JsonNode issued = GATEWAY.task("key-issue?project=rotated&name=it");
    String old = issued.path("key").asText();
    assertThat(status(GATEWAY, old)).isEqualTo(200);

    JsonNode rotated = GATEWAY.task("key-rotate?id=" + issued.path("id").asText());

    assertThat(status(GATEWAY, old)).isEqualTo(401);
    assertThat(status(GATEWAY, rotated.path("key").asText())).isEqualTo(200);
    assertThat(rotated.path("id")).isEqualTo(issued.path("id"));
    assertThat(rotated.path("projectId")).isEqualTo(issued.path("projectId"));
  }

  @Tag("heavy")
  @Test
  void aKeyEndsByTheClockOfTheDatabaseHoweverWrongThatOfTheNodeIs() throws Exception {
    TestGateway late = gateway();
    late.configured(
        config ->
            config
                .withObject("/database")
                .put("initializationQuery", "SET timestamp = UNIX_TIMESTAMP() + 86400"));
    late.start();
    try {
      for (String task :
          List.of("key-issue?project=late&name=it", "admin-token-issue?role=viewer&name=it")) {
        JsonNode issued = late.task(task + "&expiresIn=1h");
        assertThat(Instant.parse(issued.path("expiresAt").asText()))
            .as(task)
            .isAfter(Instant.now().plus(Duration.ofHours(24)));
      }
      String secret =
          late.task("key-issue?project=late&name=two&expiresIn=1h").path("key").asText();
      assertThat(status(late, secret)).isEqualTo(200);
      DATABASE
          .jdbi()
          .useHandle(
              handle ->
                  handle.execute(
                      "UPDATE api_keys SET expires_at = UTC_TIMESTAMP(3) + INTERVAL 1 HOUR WHERE"
                          + " name = 'two'"));
      await().until(() -> status(late, secret) == 401);
      assertThat(status(GATEWAY, secret)).isEqualTo(200);
    } finally {
      late.stop();
    }
  }

  @Tag("heavy")
  @Test
  void aRevokedKeyIsRefusedAtOnceHereAndWithinFiveSecondsThereHoweverHotItIs() throws Exception {
    TestGateway other = gateway();
    other.start();
    try {
      JsonNode issued = GATEWAY.task("key-issue?project=revoked&name=it");
      String secret = issued.path("key").asText();
      assertThat(status(GATEWAY, secret)).isEqualTo(200);
      assertThat(status(other, secret)).isEqualTo(200);

      JsonNode revoked = GATEWAY.task("key-revoke?id=" + issued.path("id").asText());
      long revokedNanos = System.nanoTime();

      assertThat(status(GATEWAY, secret)).isEqualTo(401);
      assertThat(revoked.path("revokedAt").asText()).isNotBlank();
      assertThat(revoked.has("key")).isFalse();
      isRefusedWithinFiveSeconds(other, secret, revokedNanos, 401);
    } finally {
      other.stop();
    }
  }

  @Test
  void aKeyIsRevokedForEverNotASecondTimeAndGetsNoNewSecret() throws Exception {
    // Never used: the last use is written in the background, and shown.
    String id = GATEWAY.task("key-issue?project=revoked&name=unused").path("id").asText();
    JsonNode revoked = GATEWAY.task("key-revoke?id=" + id);

    assertThat(GATEWAY.task("key-revoke?id=" + id)).isEqualTo(revoked);
    refused("key-rotate?id=" + id, 409, "conflict_error");
  }

  @Test
  void aRevocationByCommandReachesTheServerWithinFiveSeconds() throws Exception {
    JsonNode issued = GATEWAY.task("key-issue?project=by-command&name=it");
    String secret = issued.path("key").asText();
    assertThat(status(GATEWAY, secret)).isEqualTo(200);

    command("revoke", "--id", issued.path("id").asText());

    isRefusedWithinFiveSeconds(GATEWAY, secret, System.nanoTime(), 401);
  }

  @Test
  void aKeyMayHaveLimitsOfItsOwn() throws Exception {
    String id = GATEWAY.task("key-issue?project=limited&name=it").path("id").asText();

    GATEWAY.task("key-limits?id=" + id + "&rule=memory_read&limit=7");
    JsonNode both = GATEWAY.task("key-limits?id=" + id + "&rule=global&limit=9");
    assertThat(both.path("limits")).isEqualTo(JSON.readTree("{\"global\":9,\"memory_read\":7}"));
    assertThat(both.has("key")).isFalse();

    refused("key-limits?id=" + id + "&rule=memory_read&limit=", 400, "invalid_request_error");
    JsonNode one = GATEWAY.task("key-limits?id=" + id + "&rule=memory_read");
    assertThat(one.path("limits")).isEqualTo(JSON.readTree("{\"global\":9}"));
    assertThat(GATEWAY.task("key-list?project=limited").get(0)).isEqualTo(one);
  }

  /** Contract §15. */
  @Test
  void aKeyMayHaveScopes() throws Exception {
    JsonNode issued = GATEWAY.task("key-issue?project=scoped&name=it");
    assertThat(issued.path("scopes")).isEqualTo(JSON.readTree("{}"));
    String id = issued.path("id").asText();

    JsonNode scoped =
        GATEWAY.task(
            "key-scope?id="
                + id
                + "&models=vllm/*,fast&endpoints=chat&memory=read&addresses=10.0.0.0/8");
    assertThat(scoped.path("scopes"))
        .isEqualTo(
            JSON.readTree(
                "{\"models\":[\"vllm/*\",\"fast\"],\"endpoints\":[\"chat\"],\"memory\":\"read\","
                    + "\"addresses\":[\"10.0.0.0/8\"]}"));
    assertThat(scoped.has("key")).isFalse();
    assertThat(scoped.path("expiresAt").isNull()).isTrue();

    command("scope", "--id", id, "--models", "", "--endpoints", "", "--expiresIn", "1h");
    JsonNode less = GATEWAY.task("key-scope?id=" + id + "&addresses=");
    assertThat(less.path("scopes")).isEqualTo(JSON.readTree("{\"memory\":\"read\"}"));
    assertThat(less.path("expiresAt").asText()).isGreaterThan(less.path("createdAt").asText());
    assertThat(GATEWAY.task("key-list?project=scoped").get(0)).isEqualTo(less);

    JsonNode all = GATEWAY.task("key-scope?id=" + id + "&memory=all&expiresIn=");
    assertThat(all.path("scopes")).isEqualTo(JSON.readTree("{}"));
    assertThat(all.path("expiresAt").isNull()).isTrue();
  }

  /** Contract §15. */
  @Tag("heavy")
  @Test
  void scopesHoldAtOnceHereAndWithinFiveSecondsThereHoweverHotTheKeyIs() throws Exception {
    TestGateway other = gateway();
    other.start();
    try {
      JsonNode issued = GATEWAY.task("key-issue?project=scoped-hot&name=it");
      String secret = issued.path("key").asText();
      assertThat(status(GATEWAY, secret)).isEqualTo(200);
      assertThat(status(other, secret)).isEqualTo(200);

      GATEWAY.task("key-scope?id=" + issued.path("id").asText() + "&addresses=192.0.2.1");
      long scopedNanos = System.nanoTime();

      assertThat(status(GATEWAY, secret)).isEqualTo(403);
      isRefusedWithinFiveSeconds(other, secret, scopedNanos, 403);
    } finally {
      other.stop();
    }
  }

  /** Contract §15. */
  @Test
  void aKeyThatIsLeftAMomentEnds() throws Exception {
    JsonNode issued = GATEWAY.task("key-issue?project=scoped-brief&name=it");
    String secret = issued.path("key").asText();
    assertThat(status(GATEWAY, secret)).isEqualTo(200);

    GATEWAY.task("key-scope?id=" + issued.path("id").asText() + "&expiresIn=10ms");

    await().until(() -> status(GATEWAY, secret) == 401);
  }

  @Test
  void theLastUseIsWrittenDown() throws Exception {
    TestGateway other = new TestGateway(DATABASE, UPSTREAM);
    other.start();
    JsonNode issued = GATEWAY.task("key-issue?project=used&name=it");
    assertThat(issued.path("lastUsedAt").isNull()).isTrue();
    assertThat(status(other, issued.path("key").asText())).isEqualTo(200);

    other.stop();

    assertThat(GATEWAY.task("key-list?project=used").get(0).path("lastUsedAt").asText())
        .isGreaterThanOrEqualTo(issued.path("createdAt").asText());
  }

  @Test
  void theCommandTakesTheSameWordsAndPrintsTheSame() throws Exception {
    JsonNode issued = command("issue", "--project", "cli", "--name", "it", "--expiresIn", "12h");
    assertThat(status(GATEWAY, issued.path("key").asText())).isEqualTo(200);
    String id = issued.path("id").asText();

    JsonNode rotated = command("rotate", "--id", id);
    assertThat(status(GATEWAY, rotated.path("key").asText())).isEqualTo(200);
    assertThat(names(rotated)).isEqualTo(names(issued));
    assertThat(names(issued))
        .isEqualTo(names(GATEWAY.task("key-issue?project=cli&name=task&expiresIn=12h")));

    // Never used: the last use is written in the background, and shown.
    String unused =
        command("issue", "--project", "unused", "--name", "it", "--expiresIn", "12h")
            .path("id")
            .asText();
    command("limits", "--id", unused, "--rule", "llm_burst", "--limit", "3");
    assertThat(command("list", "--project", "unused"))
        .isEqualTo(GATEWAY.task("key-list?project=unused"));
    assertThat(command("revoke", "--id", unused))
        .isEqualTo(GATEWAY.task("key-revoke?id=" + unused));
  }

  @Tag("heavy")
  @Test
  void asAProcessItPrintsNothingButJson() throws Exception {
    CommandLine.Outcome outcome =
        new CommandLine()
            .with(DATABASE)
            .runAsProcess("key", "issue", "--project", "cli", "--name", "it", "config.yml");

    assertThat(outcome.status()).as(outcome.err()).isZero();
    assertThat(JSON.readTree(outcome.out()).path("key").asText()).startsWith("msk_");
    assertThat(outcome.err()).isEmpty();
  }

  private static final String NO_ID = "018f0000-0000-7000-8000-000000000000";

  @ParameterizedTest
  @CsvSource({
    "issue, 400, project=p",
    "issue, 400, name=n",
    "issue, 400, project=p name=",
    "issue, 400, project=p name=n expiresIn=zebra",
    "issue, 400, project=p name=n expiresIn=0s",
    "issue, 400, project=p name=n expiresIn=-5m",
    "issue, 400, project=p name=n expiresIn=9223372036854775807d",
    "issue, 400, project=p name=n expiresIn=100000000d",
    "issue, 400, project=p name=n zebra=1",
    "list, 400, zebra=1",
    "rotate, 400, ''",
    "rotate, 404, id=" + NO_ID,
    "rotate, 404, id=zebra",
    "revoke, 404, id=" + NO_ID,
    "limits, 404, id=" + NO_ID + " rule=global limit=1",
    "limits, 400, id=" + NO_ID + " rule=zebra limit=1",
    "limits, 400, id=" + NO_ID + " rule=global limit=0",
    "limits, 400, id=" + NO_ID + " rule=global limit=zebra",
    "scope, 400, memory=read",
    "scope, 404, id=" + NO_ID + " memory=read",
    "scope, 400, id=" + NO_ID + " memory=zebra",
    "scope, 400, id=" + NO_ID + " endpoints=zebra",
    "scope, 400, id=" + NO_ID + " addresses=zebra",
    "scope, 400, id=" + NO_ID + " expiresIn=zebra",
    "scope, 400, id=" + NO_ID + " zebra=1",
  })
  void wrongWordsAreToldToTaskAndCommandAlike(String action, int status, String words)
      throws Exception {
    refused(
        "key-" + action + "?" + words.replace(' ', '&'),
        status,
        status == 404 ? "not_found" : "invalid_request_error");

    List<String> arguments = new ArrayList<>(List.of("key", action));
    for (String word : words.isEmpty() ? new String[0] : words.split(" ", -1)) {
      arguments.add("--" + word);
    }
    arguments.add("config.yml");
    CommandLine.Outcome outcome =
        new CommandLine().with(DATABASE).run(arguments.toArray(String[]::new));
    assertThat(outcome.status()).isEqualTo(1);
    assertThat(outcome.out()).isEmpty();
    assertThat(outcome.err().strip().lines().reduce((a, last) -> last))
        .hasValueSatisfying(line -> assertThat(line).isNotBlank());
    assertThat(outcome.err()).doesNotContain("Exception").doesNotContain("\tat ");
  }

  /** The database takes "shop " for "shop". */
  @ParameterizedTest
  @ValueSource(strings = {"shop%20", "%20shop", "shop%09", "shop%C2%A0"})
  void aProjectNeitherBeginsNorEndsWithABlank(String project) throws Exception {
    refused("key-issue?name=n&project=" + project, 400, "invalid_request_error");
  }

  /** Addresses of pages and of the admin API cannot name a project with NUL. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "project=a%00b&name=n",
        "project=a%09b&name=n",
        "project=p&name=a%0Ab",
        "project=%E2%80%8B&name=n",
        "project=p&name=%E2%80%8B",
        "project=p&name=a%E2%80%AEb"
      })
  void aNameHasSomethingToSeeAndNoControlCharacter(String query) throws Exception {
    refused("key-issue?" + query, 400, "invalid_request_error");
  }

  @Test
  void aNameMayBeLongAndOfAnyScript() throws Exception {
    String name = "é".repeat(254) + "🦓";
    JsonNode issued = command("issue", "--project", "Ünïcode 🦓", "--name", name);
    assertThat(issued.path("name").asText()).isEqualTo(name);
    refused("key-issue?project=p&name=" + "x".repeat(256), 400, "invalid_request_error");
  }

  private static JsonNode command(String action, String... words) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("key", action));
    arguments.addAll(List.of(words));
    arguments.add("config.yml");
    CommandLine.Outcome outcome =
        new CommandLine().with(DATABASE).run(arguments.toArray(String[]::new));
    assertThat(outcome.status()).as(outcome.err()).isZero();
    assertThat(outcome.err()).isEmpty();
    return JSON.readTree(outcome.out());
  }

  /**
   * No request that begins later is let in, however long one takes: the gateways, which are in this
   * process, go by the same clock.
   */
  private static void isRefusedWithinFiveSeconds(
      TestGateway gateway, String secret, long revokedNanos, int refusal) {
    AtomicLong lastLetIn = new AtomicLong(revokedNanos);
    await()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(10))
        .until(
            () -> {
              long begun = System.nanoTime();
              int status = status(gateway, secret);
              if (status == 200) {
                lastLetIn.set(begun);
              }
              return status == refusal;
            });
    assertThat(Duration.ofNanos(lastLetIn.get() - revokedNanos)).isLessThan(Duration.ofSeconds(5));
  }

  private static List<String> names(JsonNode object) {
    List<String> names = new ArrayList<>();
    object.fieldNames().forEachRemaining(names::add);
    return names;
  }

  private static void refused(String task, int status, String type) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(GATEWAY.adminUrl() + "/tasks/" + task))
            .POST(HttpRequest.BodyPublishers.noBody());
    ErrorEnvelope.check(GATEWAY.send(request), status, type);
  }

  private static int status(TestGateway gateway, String secret) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(gateway.url() + "/v1/models"))
            .header("Authorization", "Bearer " + secret);
    return gateway.send(request).statusCode();
  }
}

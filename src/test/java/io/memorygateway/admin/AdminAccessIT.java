package io.memorygateway.admin;

import static org.assertj.core.api.Assertions.assertThat;

import at.favre.lib.crypto.bcrypt.BCrypt;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.memorygateway.CommandLine;
import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RawAnswer;
import io.memorygateway.testing.RawClient;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §12: who may use the admin port, in each mode of {@code admin.auth}. */
class AdminAccessIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  private static final String PASSWORD = "correct horse: battery ü";
  private static final String SECRET = "the-proxy-and-we-know-this";

  @RegisterExtension static final TestGateway OPEN = new TestGateway(DATABASE, UPSTREAM);

  @RegisterExtension static final LockedGateway BASIC = new LockedGateway(AdminAccessIT::basic);
  @RegisterExtension static final LockedGateway HEADERS = new LockedGateway(AdminAccessIT::headers);

  @RegisterExtension
  static final LockedGateway TOKEN =
      new LockedGateway(admin -> admin.putObject("auth").put("mode", "token"));

  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path folder;

  private final CommandLine command = new CommandLine().with(DATABASE);

  private static void basic(ObjectNode admin) {
    ObjectNode auth = admin.putObject("auth").put("mode", "basic").put("failuresPerMinute", 1000);
    auth.putArray("open").add("/metrics").add("/healthcheck");
    String hash = hash(PASSWORD);
    for (String role : List.of("viewer", "operator", "owner")) {
      auth.withObject("/users").putObject("a-" + role).put("password", hash).put("role", role);
    }
  }

  private static void headers(ObjectNode admin) {
    ObjectNode auth = admin.putObject("auth").put("mode", "headers").put("failuresPerMinute", 1000);
    ObjectNode headers = auth.putObject("headers").put("secret", SECRET);
    headers.putObject("roles").put("platform", "owner").put("support", "viewer");
  }

  private static String hash(String password) {
    return BCrypt.withDefaults()
        .hashToString(10, password.toCharArray())
        .replaceFirst("^\\$2a", "\\$2y");
  }

  /** A gateway whose tasks cannot be had without a login, so that it issues no key at its start. */
  private static final class LockedGateway implements BeforeAllCallback, AfterAllCallback {
    private final TestGateway gateway;

    LockedGateway(Consumer<ObjectNode> admin) {
      gateway =
          new TestGateway(DATABASE, UPSTREAM)
              .withoutKey()
              .configured(config -> admin.accept((ObjectNode) config.get("admin")));
    }

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
      gateway.start();
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
      gateway.stop();
    }

    int port() {
      return URI.create(gateway.adminUrl()).getPort();
    }
  }

  @Test
  void aViewersBodiesThatAreStillToComeKeepNobodyOut() throws Exception {
    List<RawClient> slow = new ArrayList<>();
    String who =
        "X-Forwarded-User: %s\r\nX-Forwarded-Groups: %s\r\nX-Gateway-Proxy-Secret: " + SECRET;
    try {
      for (int i = 0; i < 120; i++) {
        RawClient client = new RawClient(HEADERS.port());
        slow.add(client);
        client.send(
            "POST /%s HTTP/1.1\r\nHost: localhost\r\n%s\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 999\r\n\r\na"
                .formatted(
                    i % 2 == 0 ? "tasks/gc" : "admin/api/keys", who.formatted("vic", "support")));
      }
      try (RawClient owner = new RawClient(HEADERS.port())) {
        owner.send(
            "GET /admin/api/me HTTP/1.1\r\nHost: localhost\r\n%s\r\n\r\n"
                .formatted(who.formatted("ada", "platform")));
        assertThat(RawAnswer.parse(owner.readAnswer()).status()).isEqualTo(200);
      }
    } finally {
      for (RawClient client : slow) {
        client.reset();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "POST /",
        "GET /console",
        "POST /console/app.js",
        "GET /console/../threads",
        "GET /console/%2e%2e/threads",
        "GET /console/..;/threads",
        "GET /console/x/../../tasks/gc",
        "GET //threads",
        "GET /console//../../threads",
        "GET /threads",
        "GET /healthcheck/",
        "GET /metrics/x",
        "GET /;/metrics",
        "GET /zebra",
        "POST /metrics",
        "POST /tasks/gc",
        "POST /tasks/log-level",
        "POST /tasks/key-issue?project=stolen&name=evil",
        "POST /tasks/admin-token-issue?name=evil&role=owner",
        "OPTIONS /tasks/gc",
        "DELETE /tasks/gc",
      })
  void nothingIsServedWithoutALogin(String request) throws Exception {
    for (LockedGateway gateway : List.of(BASIC, HEADERS, TOKEN)) {
      RawAnswer answer = send(gateway, request);
      assertThat(answer.status()).as(request).isIn(400, 401);
      assertThat(answer.body()).doesNotContain("msk_", "msa_", "jvm_");
    }
    assertThat(keysOf("stolen")).isEmpty();
  }

  /** A browser sends passwords and what a proxy adds by itself, but no token. */
  @Test
  void thePageOfTheConsoleIsOpenOnlyWhereItAsksForTheTokenItself() throws Exception {
    for (String path : List.of("/", "/console/app.js", "/console/vendor/preact.js")) {
      assertThat(send(TOKEN, "GET " + path).status()).isEqualTo(200);
      assertThat(send(TOKEN, "HEAD " + path).status()).isEqualTo(200);
      assertThat(send(BASIC, "GET " + path).status()).isEqualTo(401);
      assertThat(send(BASIC, "GET " + path).header("WWW-Authenticate")).startsWith("Basic ");
      assertThat(send(BASIC, "GET " + path, basic("a-viewer", PASSWORD)).status()).isEqualTo(200);
      assertThat(send(HEADERS, "GET " + path).status()).isEqualTo(401);
    }
  }

  @Test
  void aLoginIsAskedForInTheSchemeOfTheMode() throws Exception {
    ErrorEnvelope.check(send(BASIC, "GET /threads"), 401, "authentication_error");
    assertThat(send(BASIC, "GET /threads").header("WWW-Authenticate")).startsWith("Basic realm=");
    assertThat(send(TOKEN, "GET /threads").header("WWW-Authenticate")).isEqualTo("Bearer");
  }

  @Test
  void monitoringIsLetInWhereItIsConfigured() throws Exception {
    assertThat(send(BASIC, "GET /metrics").status()).isEqualTo(200);
    assertThat(send(BASIC, "GET /healthcheck").status()).isEqualTo(200);
    assertThat(send(TOKEN, "GET /metrics").status()).isEqualTo(401);
    assertThat(send(TOKEN, "GET /healthcheck").status()).isEqualTo(401);
  }

  @Test
  void aPasswordGivesTheRoleOfItsUser() throws Exception {
    assertThat(task(BASIC, "key-list", basic("a-viewer", PASSWORD))).isEqualTo(200);
    assertThat(task(BASIC, "drain?state=off", basic("a-viewer", PASSWORD))).isEqualTo(403);
    assertThat(task(BASIC, "drain?state=off", basic("a-operator", PASSWORD))).isEqualTo(200);
    assertThat(task(BASIC, "purge", basic("a-operator", PASSWORD))).isEqualTo(403);
    assertThat(task(BASIC, "key-issue?project=p&name=n", basic("a-operator", PASSWORD)))
        .isEqualTo(403);
    assertThat(task(BASIC, "admin-token-list", basic("a-operator", PASSWORD))).isEqualTo(403);
    for (String name :
        List.of(
            "key-limits",
            "log-level",
            "key-revoke?zebra=1",
            "drain?zebra=1",
            "key-issue?project=p&project=q&name=n",
            "key-revoke?id=%zz",
            "key-revoke?id=%FF")) {
      assertThat(task(BASIC, name, basic("a-viewer", PASSWORD))).as(name).isEqualTo(403);
    }
    assertThat(task(BASIC, "key-limits", basic("a-operator", PASSWORD))).isEqualTo(400);
    assertThat(task(BASIC, "key-revoke?id=%zz", basic("a-owner", PASSWORD))).isEqualTo(400);
    assertThat(task(BASIC, "key-revoke?id=a&id=b", basic("a-owner", PASSWORD))).isEqualTo(400);
    assertThat(task(BASIC, "key-issue?project=by-ada&name=n", basic("a-owner", PASSWORD)))
        .isEqualTo(200);
    assertThat(keysOf("p")).isEmpty();

    List<JsonNode> rows = audit();
    assertThat(rows)
        .anySatisfy(
            row -> {
              assertThat(row.path("action").asText()).isEqualTo("key-issue");
              assertThat(row.path("actor").asText()).isEqualTo("a-operator");
              assertThat(row.path("role").asText()).isEqualTo("operator");
              assertThat(row.path("outcome").asText()).isEqualTo("refused");
            })
        .anySatisfy(
            row -> {
              assertThat(row.path("actor").asText()).isEqualTo("a-owner");
              assertThat(row.path("after").path("project").asText()).isEqualTo("by-ada");
            });
  }

  @Test
  void aWrongPasswordIsRefusedLoggedAndRecorded() throws Exception {
    for (String login :
        List.of(
            basic("a-owner", "wrong"),
            basic("a-owner", ""),
            basic("a-owner", PASSWORD + " "),
            basic("a-owner", "x".repeat(500)),
            basic("nobody", PASSWORD),
            basic("", ""),
            "Authorization: Basic !!!",
            "Authorization: Basic " + encoded("a-owner"),
            "Authorization: Bearer " + PASSWORD)) {
      ErrorEnvelope.check(send(BASIC, "GET /threads", login), 401, "authentication_error");
    }
    assertThat(logs())
        .contains("A login to the admin port from 127.0.0.1 was refused")
        .doesNotContain(PASSWORD);
    assertThat(audit())
        .anySatisfy(
            row -> {
              assertThat(row.path("action").asText()).isEqualTo("login");
              assertThat(row.path("outcome").asText()).isEqualTo("refused");
              assertThat(row.path("actor").asText()).isEqualTo("a-owner");
              assertThat(row.path("source").asText()).isEqualTo("127.0.0.1");
            });
    assertThat(send(BASIC, "GET /threads", basic("a-owner", PASSWORD)).status()).isEqualTo(200);
  }

  @Test
  void aBrowserOfAnotherSiteDoesNotUseAPasswordThatItRemembers() throws Exception {
    String[] login = {basic("a-owner", PASSWORD), "Sec-Fetch-Site: cross-site"};
    assertThat(send(BASIC, "POST /tasks/key-issue?project=csrf&name=n", login).status())
        .isEqualTo(403);
    assertThat(keysOf("csrf")).isEmpty();
  }

  @Test
  void theProxyIsBelievedWithItsSecretAndItsGroups() throws Exception {
    String secret = "X-Gateway-Proxy-Secret: " + SECRET;
    String[] owner = {secret, "X-Forwarded-User: ada", "X-Forwarded-Groups: support, platform"};
    // Of a proxy that passes the user's own token on.
    String idToken = "Authorization: Bearer eyJhbGciOiJub25lIn0.e30.";
    String[] viewer = {secret, "X-Forwarded-User: eve", "X-Forwarded-Groups: support", idToken};
    String issue = "POST /tasks/key-issue?project=by-proxy&name=n";
    assertThat(send(HEADERS, issue, viewer).status()).isEqualTo(403);
    assertThat(send(HEADERS, issue, owner).status()).isEqualTo(200);
    assertThat(send(HEADERS, "GET /threads", viewer).status()).isEqualTo(200);
    String user = "X-Forwarded-User: ada";
    String groups = "X-Forwarded-Groups: platform";
    for (String[] wrong :
        new String[][] {
          {user, groups},
          {user, groups, "X-Gateway-Proxy-Secret: guess"},
          {user, groups, "X-Gateway-Proxy-Secret: "},
          {user, groups, secret, secret},
          {user, "X-Forwarded-User: eve", groups, secret},
          {user, groups, "X-Forwarded-Groups: support", secret},
          {groups, secret},
          {"X-Forwarded-User: ", groups, secret},
        }) {
      ErrorEnvelope.check(send(HEADERS, "GET /threads", wrong), 401, "authentication_error");
    }
    for (String[] withoutRole :
        new String[][] {{user, secret}, {user, "X-Forwarded-Groups: others", secret}}) {
      ErrorEnvelope.check(send(HEADERS, "GET /threads", withoutRole), 403, "invalid_request_error");
      assertThat(send(HEADERS, "GET /", withoutRole).status()).isEqualTo(200);
      assertThat(send(HEADERS, "POST /", withoutRole).status()).isEqualTo(403);
      assertThat(send(HEADERS, "GET /console/../metrics", withoutRole).status()).isIn(400, 403);
    }
    assertThat(logs()).doesNotContain(SECRET);
  }

  @Test
  void aTokenIsShownOnceWorksUntilItIsRevokedAndHasARole() throws Exception {
    CommandLine.Outcome issued =
        command.run("admin-token", "issue", "--name", "ci", "--role", "operator", "config.yml");
    assertThat(issued.status()).as(issued.err()).isZero();
    JsonNode token = JSON.readTree(issued.out());
    String secret = token.path("token").asText();
    assertThat(secret).matches("msa_[0-9a-f]{32}");
    assertThat(token.path("expiresAt").asText()).isNotEmpty();
    String login = "Authorization: Bearer " + secret;
    for (LockedGateway gateway : List.of(BASIC, HEADERS, TOKEN)) {
      assertThat(task(gateway, "drain?state=off", login)).isEqualTo(200);
      assertThat(task(gateway, "key-issue?project=p&name=n", login)).isEqualTo(403);
    }
    assertThat(command.run("admin-token", "list", "config.yml").out())
        .contains("\"ci\"")
        .doesNotContain(secret);

    String id = token.path("id").asText();
    assertThat(command.run("admin-token", "revoke", "--id", id, "config.yml").status()).isZero();
    Awaitility.await()
        .untilAsserted(() -> assertThat(task(TOKEN, "drain?state=off", login)).isEqualTo(401));
    assertThat(audit())
        .filteredOn(row -> row.path("subject").asText().equals(id))
        .extracting(row -> row.path("action").asText())
        .containsExactly("admin-token-issue", "admin-token-revoke");
    assertThat(audit().toString()).doesNotContain(secret);
    assertThat(logs()).doesNotContain(secret);
    assertThat(
            command
                .run("admin-token", "issue", "--name", "x", "--role", "god", "config.yml")
                .failure())
        .contains("viewer");
    assertThat(
            command
                .run(
                    "admin-token",
                    "issue",
                    "--name",
                    "x",
                    "--role",
                    "owner",
                    "--expiresIn",
                    "900d",
                    "config.yml")
                .failure())
        .contains("366d");
  }

  /** Whatever is sent: an answer of ours, never what is behind the login. */
  @Test
  void noRequestGetsPastByBeingOdd() throws Exception {
    Random random = new Random(7);
    String[] paths = {
      "/tasks/key-issue?project=fuzz&name=n", "/threads", "/tasks/gc", "/console/../threads"
    };
    // What is left of a path without its parameters may be the root, which is open with tokens.
    String page = "ETag: " + send(TOKEN, "HEAD /").header("ETag");
    String[] twists = {
      "", "/", "//", "/./", "/..", "/../", ";x=y", "%2f", "%2e%2e/", "?", "#", "\t"
    };
    String[] methods = {"GET", "POST", "PUT", "HEAD", "get", "TRACE", "PROPFIND", "POST\t"};
    String[] schemes = {"Basic", "Bearer", "basic", "Digest", "Negotiate", ""};
    for (int i = 0; i < 600; i++) {
      byte[] junk = new byte[random.nextInt(40)];
      random.nextBytes(junk);
      String credentials =
          switch (random.nextInt(4)) {
            case 0 -> Base64.getEncoder().encodeToString(junk);
            case 1 -> encoded("a-owner:" + new String(junk, StandardCharsets.ISO_8859_1));
            case 2 -> "msa_" + "0".repeat(random.nextInt(40));
            default -> "x".repeat(random.nextInt(3000));
          };
      String path = paths[random.nextInt(paths.length)];
      int cut = random.nextInt(path.length());
      String twisted =
          path.substring(0, cut) + twists[random.nextInt(twists.length)] + path.substring(cut);
      String head =
          methods[random.nextInt(methods.length)]
              + " "
              + (random.nextBoolean() ? twisted : path)
              + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n"
              + "Authorization: "
              + schemes[random.nextInt(schemes.length)]
              + " "
              + credentials
              + "\r\nX-Forwarded-User: ada\r\nX-Forwarded-Groups: platform\r\n"
              + "Forwarded: for=127.0.0.1\r\nX-Forwarded-For: 127.0.0.1\r\n\r\n";
      LockedGateway gateway = List.of(HEADERS, TOKEN).get(random.nextInt(2));
      try (RawClient client = new RawClient(gateway.port())) {
        String answer = client.send(head).readAll();
        if (gateway != TOKEN || !answer.contains(page)) {
          assertThat(answer).as(head).matches("(?s)HTTP/1\\.1 (4\\d\\d|501|505) .*");
        }
      }
    }
    assertThat(keysOf("fuzz")).isEmpty();
  }

  @Test
  void beyondLoopbackThereHasToBeALogin() throws Exception {
    String open =
        CommandLine.config(
            folder,
            config ->
                ((ObjectNode) config.at("/server/adminConnectors/0")).put("bindHost", "0.0.0.0"));
    for (String name : List.of("check", "server")) {
      assertThat(command.run(name, open).failure())
          .startsWith("admin.auth: must be basic, headers or token");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{mode: sesame}",
        "{mode: basic}",
        "{mode: basic, users: {ada: {password: secret1, role: owner}}}",
        "{mode: basic, users: {ada: {password: '$2y$04$abcdefghijklmnopqrstuuabcdefghijklmnopqrstuvwxyzABCDE', role: owner}}}",
        "{mode: token, users: {ada: {password: secret1, role: owner}}}",
        "{mode: headers}",
        "{mode: headers, headers: {secret: secret1, roles: {a: owner}}}",
        "{mode: headers, headers: {secret: 'secret1-and-more-of-it'}}",
        "{mode: headers, headers: {secret: 'secret1-and-more-of-it', roles: {a: god}}}",
        "{mode: headers, headers: {secret: 'secret1-and-more-of-it', roles: {a: owner}, proxies: [example.org]}}",
        "{mode: none, open: [/tasks/key-issue]}",
        "sesame",
      })
  void aWrongConfigurationIsToldInOneLineWithoutItsSecrets(String auth) throws Exception {
    JsonNode wrong = new YAMLMapper().readTree(auth);
    String file =
        CommandLine.config(folder, config -> ((ObjectNode) config.get("admin")).set("auth", wrong));
    assertThat(command.run("check", "--database", "no", file).failure())
        .contains("admin")
        .doesNotContain("secret1");
  }

  private static String basic(String user, String password) {
    return "Authorization: Basic " + encoded(user + ":" + password);
  }

  private static String encoded(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  private static int task(LockedGateway gateway, String nameAndWords, String login)
      throws Exception {
    return send(gateway, "POST /tasks/" + nameAndWords, login).status();
  }

  private static RawAnswer send(LockedGateway gateway, String request, String... headers)
      throws Exception {
    StringBuilder head = new StringBuilder(request).append(" HTTP/1.1\r\nHost: localhost\r\n");
    for (String header : headers) {
      head.append(header).append("\r\n");
    }
    head.append("Content-Length: 0\r\nConnection: close\r\n\r\n");
    try (RawClient client = new RawClient(gateway.port())) {
      return RawAnswer.parse(client.send(head.toString()).readAll());
    }
  }

  /** The gateways of one process log into the file of the one that was started last. */
  private static String logs() throws Exception {
    return OPEN.log() + BASIC.gateway.log() + HEADERS.gateway.log() + TOKEN.gateway.log();
  }

  private static JsonNode keysOf(String project) throws Exception {
    return OPEN.task("key-list?project=" + project);
  }

  private List<JsonNode> audit() throws Exception {
    List<JsonNode> rows = new ArrayList<>();
    for (String line : command.run("audit", "export", "config.yml").out().lines().toList()) {
      rows.add(JSON.readTree(line));
    }
    return rows;
  }
}

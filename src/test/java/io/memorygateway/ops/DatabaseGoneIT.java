package io.memorygateway.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.testing.DatabaseRelay;
import io.memorygateway.testing.EmbeddedMariaDb;
import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Contract §3 and §4: the proxy outlives its database, and takes it back by itself. */
@Tag("heavy")
class DatabaseGoneIT {
  @RegisterExtension static final TestDatabase UNUSED = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  private static final String CHAT = "{\"model\":\"gpt-5\",\"messages\":[]}";
  @TempDir Path folder;

  private EmbeddedMariaDb mariadb;
  private DatabaseRelay relay;
  private TestGateway gateway;

  @BeforeEach
  void start() throws Exception {
    mariadb = EmbeddedMariaDb.start(Path.of("target", "mariadb"), folder);
    try (Connection connection =
        DriverManager.getConnection(
            mariadb.jdbcUrl("gone") + "&sslMode=DISABLED", mariadb.user(), mariadb.password())) {
      TestDatabase.migrate(connection);
    }
    // So that it comes back on the port that it left.
    relay = DatabaseRelay.to(mariadb.port());
    gateway =
        new TestGateway(UNUSED, UPSTREAM)
            .withShippedTimeouts()
            .with(
                "DATABASE_URL", "jdbc:mysql://127.0.0.1:" + relay.port() + "/gone?sslMode=DISABLED")
            .with("DATABASE_USER", mariadb.user())
            .with("DATABASE_PASSWORD", mariadb.password());
    gateway.start();
    assertThat(chat()).isEqualTo(200);
    await().until(() -> health() == 200);
  }

  @AfterEach
  void stop() throws Exception {
    gateway.stop();
    relay.close();
    mariadb.close();
  }

  @Test
  void aKilledDatabaseStopsOnlyWhatNeedsIt() throws Exception {
    ProcessHandle.of(mariadb.pid()).orElseThrow().destroyForcibly();

    servesWhoItKnowsAndNobodyElse();

    mariadb.close();
    mariadb = EmbeddedMariaDb.start(Path.of("target", "mariadb"), folder);
    relay.restore(mariadb.port());
    allIsAsBefore();
  }

  @Test
  void aDatabaseThatHangsIsAsGood() throws Exception {
    relay.hang();

    servesWhoItKnowsAndNobodyElse();

    relay.restore(mariadb.port());
    allIsAsBefore();
  }

  private void servesWhoItKnowsAndNobodyElse() throws Exception {
    await().until(() -> health() != 200);
    // Longer than any answer about a key is believed unasked.
    await().during(Duration.ofSeconds(6)).until(() -> chat() == 200);
    HttpResponse<String> answer = gateway.send(unknown());
    ErrorEnvelope.check(answer, 503, "service_unavailable");
    assertThat(answer.headers().firstValueAsLong("Retry-After").orElse(0)).isPositive();
    HttpRequest.Builder issue =
        HttpRequest.newBuilder(URI.create(gateway.adminUrl() + "/tasks/key-issue?project=p&name=n"))
            .POST(HttpRequest.BodyPublishers.noBody());
    ErrorEnvelope.check(gateway.send(issue), 503, "service_unavailable");
    assertThat(
            gateway
                .send(HttpRequest.newBuilder(URI.create(gateway.adminUrl() + "/metrics")))
                .statusCode())
        .isEqualTo(200);
  }

  private void allIsAsBefore() throws Exception {
    await().until(() -> health() == 200);
    await().until(() -> gateway.send(unknown()).statusCode() == 401);
    assertThat(chat()).isEqualTo(200);
    assertThat(gateway.issueKey("again")).startsWith("msk_");
  }

  private int chat() throws Exception {
    return gateway
        .send(
            gateway
                .request("/v1/chat/completions")
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(CHAT)))
        .statusCode();
  }

  private HttpRequest.Builder unknown() {
    return HttpRequest.newBuilder(URI.create(gateway.url() + "/v1/models"))
        .header("x-api-key", "msk_%032x".formatted(System.nanoTime()));
  }

  private int health() throws Exception {
    return gateway
        .send(HttpRequest.newBuilder(URI.create(gateway.adminUrl() + "/healthcheck")))
        .statusCode();
  }
}

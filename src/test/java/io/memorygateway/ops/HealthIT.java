package io.memorygateway.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.DatabaseRelay;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import io.memorygateway.testing.TestTimeout;
import java.net.URI;
import java.net.http.HttpRequest;
import java.sql.Connection;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfEnvironmentVariable;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What load balancers and operators are told of a node's health. */
class HealthIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  private static final ObjectMapper JSON = new ObjectMapper();
  private static DatabaseRelay relay;
  private static TestGateway gateway;

  @BeforeAll
  static void start() throws Exception {
    relay = DatabaseRelay.to(DATABASE.port());
    gateway =
        new TestGateway(DATABASE, UPSTREAM)
            .with("DATABASE_URL", DATABASE.url(relay))
            .configured(
                config -> config.withObject("/database/properties").put("socketTimeout", "600000"));
    gateway.start();
  }

  @AfterAll
  static void stop() throws Exception {
    gateway.stop();
    relay.close();
  }

  @Test
  void eachPartHasItsDetail() throws Exception {
    UPSTREAM.enqueue(Answer.json("{\"choices\":[]}"), Answer.error(500, "server_error", "no"));
    gateway.post("/v1/chat/completions", "{\"model\":\"gpt-5\"}");
    gateway.post("/v1/chat/completions", "{\"model\":\"gpt-5\"}");

    // Each part comes back from an outage, or from a busy machine, by itself.
    await().untilAsserted(HealthIT::allIsWell);
  }

  private static void allIsWell() throws Exception {
    JsonNode health = healthcheck();
    assertThat(sharing()).isEqualTo("shared");
    assertThat(health.at("/database/healthy").asBoolean()).isTrue();
    assertThat(health.at("/database/max").asInt()).isEqualTo(24);
    assertThat(health.at("/database/waiting").asInt()).isZero();
    assertThat(health.at("/migrations/message").asText()).endsWith("are there");
    assertThat(health.at("/draining/message").asText()).isEqualTo("no");
    assertThat(health.at("/observer/message").asText()).isEqualTo("nothing waits to be observed");
    assertThat(health.at("/provider-openai/healthy").asBoolean()).isTrue();
    assertThat(health.at("/provider-openai/message").asText())
        .isEqualTo("50.0 % of 2 calls failed in the last 5 minutes");
    assertThat(health.at("/provider-openai/lastSuccess").asText()).endsWith("Z");
    assertThat(health.at("/provider-google/message").asText()).startsWith("no calls");
    assertThat(ready()).isEqualTo(200);
    assertThat(metrics())
        .contains("memory_gateway_healthy{check=\"database\"} 1.0")
        .contains("memory_gateway_healthy{check=\"migrations\"} 1.0")
        .contains("memory_gateway_draining 0.0")
        .contains("memory_gateway_database_connections{state=\"max\"} 24.0")
        .contains("memory_gateway_database_waiting 0.0")
        .contains("jvm_memory_used_bytes{area=\"heap\"}")
        .contains("jvm_gc_collection_seconds_count");
  }

  @Tag("heavy")
  @Test
  void anOutageOfTheDatabaseMakesItNotReadyAndItComesBackByItself() throws Exception {
    await().until(() -> ready() == 200);

    relay.hang();

    await().until(() -> ready() == 503);
    for (int i = 0; i < 3; i++) {
      // A statement waits for ten minutes, and a second one for as long again.
      HttpRequest.Builder asked =
          HttpRequest.newBuilder(URI.create(gateway.adminUrl() + "/healthcheck"));
      assertThat(gateway.send(asked.timeout(TestTimeout.DEFAULT)).statusCode()).isEqualTo(500);
    }
    assertThat(probe("alive")).isEqualTo(200);
    assertThat(healthcheck().at("/database/message").asText()).contains("does not answer");

    relay.restore(DATABASE.port());

    await().until(() -> ready() == 200);
  }

  /**
   * Its accounts but administrators: the server is that of other tests of this JVM, too. One of
   * several JVMs would be stopped until all have ended their statements.
   */
  @Tag("heavy")
  @Test
  @DisabledIfEnvironmentVariable(named = "DATABASE_URL", matches = ".+")
  void aDatabaseThatIsReadOnlyMakesItNotReadyAndItComesBackByItself() throws Exception {
    try (Connection connection = DATABASE.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE USER IF NOT EXISTS health IDENTIFIED BY 'health'");
      statement.execute(
          "GRANT SELECT, INSERT, UPDATE, DELETE ON `%s`.* TO health"
              .formatted(connection.getCatalog()));
      TestGateway node =
          new TestGateway(DATABASE, UPSTREAM)
              .with("DATABASE_USER", "health")
              .with("DATABASE_PASSWORD", "health");
      try {
        node.start();
        await().until(() -> ready(node) == 200);
        statement.execute("SET GLOBAL read_only = 1");

        await().until(() -> ready(node) == 503);
        assertThat(healthcheck(node).at("/database/message").asText()).contains("read-only");
        assertThat(metrics(node)).contains("memory_gateway_healthy{check=\"database\"} 0.0");
        assertThat(ready(gateway)).as("an account that may write").isEqualTo(200);

        statement.execute("SET GLOBAL read_only = 0");
        await().until(() -> ready(node) == 200);
      } finally {
        statement.execute("SET GLOBAL read_only = 0");
        node.stop();
        statement.execute("DROP USER health");
      }
    }
  }

  @Test
  void aSchemaThatLacksAMigrationMakesItNotReady() throws Exception {
    await().until(() -> healthcheck().at("/migrations/healthy").asBoolean());
    try (Connection connection = DATABASE.connect()) {
      connection
          .createStatement()
          .execute("UPDATE DATABASECHANGELOG SET ID = 'gone' WHERE ID = 'request-log'");

      await().until(() -> healthcheck().at("/migrations/message").asText().equals("1 are missing"));

      connection
          .createStatement()
          .execute("UPDATE DATABASECHANGELOG SET ID = 'request-log' WHERE ID = 'gone'");
    }
    await().until(() -> healthcheck().at("/migrations/healthy").asBoolean());
  }

  private static int ready() throws Exception {
    return probe("ready");
  }

  private static int ready(TestGateway node) throws Exception {
    return probe(node, "ready");
  }

  private static int probe(String type) throws Exception {
    return probe(gateway, type);
  }

  private static int probe(TestGateway node, String type) throws Exception {
    return node.send(HttpRequest.newBuilder(URI.create(node.url() + "/health-check?type=" + type)))
        .statusCode();
  }

  private static JsonNode healthcheck() throws Exception {
    return healthcheck(gateway);
  }

  private static JsonNode healthcheck(TestGateway node) throws Exception {
    return JSON.readTree(
        node.send(HttpRequest.newBuilder(URI.create(node.adminUrl() + "/healthcheck"))).body());
  }

  private static String sharing() throws Exception {
    return healthcheck().at("/rate-limits/message").asText();
  }

  private static String metrics() throws Exception {
    return metrics(gateway);
  }

  private static String metrics(TestGateway node) throws Exception {
    return node.send(HttpRequest.newBuilder(URI.create(node.adminUrl() + "/metrics"))).body();
  }
}

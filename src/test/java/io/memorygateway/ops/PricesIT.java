package io.memorygateway.ops;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.CommandLine;
import io.memorygateway.price.PriceTable;
import io.memorygateway.ratelimit.Limits;
import io.memorygateway.testing.ErrorEnvelope;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** {@code price show} and {@code price check}, and what the table says of itself. */
class PricesIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();
  @RegisterExtension static final TestGateway GATEWAY = new TestGateway(DATABASE, UPSTREAM);

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final PriceTable TABLE = new PriceTable();

  @TempDir Path folder;

  /** Without a database, too. */
  @Test
  void everyPriceOfAModelIsShownAndWhoSaysSo() throws Exception {
    CommandLine gateway =
        new CommandLine()
            .with("DATABASE_URL", "jdbc:mysql://127.0.0.1:" + FakeUpstream.closedPort() + "/x");
    String config =
        CommandLine.config(
            folder,
            file ->
                file.putObject("prices")
                    .putObject("openai/own")
                    .put("input", 0.5)
                    .put("output", 2)
                    .putArray("tiers")
                    .addObject()
                    .put("above", 1000)
                    .put("input", 1));

    CommandLine.Outcome table = gateway.run("price", "show", "anthropic/claude-sonnet-4-5", config);
    assertThat(table.status()).as(table.err()).isZero();
    JsonNode price = JSON.readTree(table.out()).at("/prices/0");
    assertThat(price.path("model").asText()).isEqualTo("anthropic/claude-sonnet-4-5");
    assertThat(price.path("source").asText()).startsWith(TABLE.title() + ": anthropic/");
    assertThat(price.at("/dollars/cacheWrite1h").asText()).isEqualTo("6");

    JsonNode own = JSON.readTree(gateway.run("price", "show", "openai/own", config).out());
    assertThat(own.at("/prices/0/source").asText()).isEqualTo("config");
    assertThat(own.at("/prices/0/dollars/cacheRead").asText()).isEqualTo("0.5");
    assertThat(own.at("/prices/0/dollars/tiers/0/above").asInt()).isEqualTo(1000);

    assertThat(gateway.run("price", "show", "openai/nothing", config).failure())
        .contains("No price is known of openai/nothing", TABLE.title());
  }

  @Test
  void modelsWithoutAPriceAreListedTheMostCalledFirst() throws Exception {
    Limits.awaitRoomInTheDay();
    try (Connection connection = DATABASE.connect()) {
      day(connection, "openai", "gpt-4o", 0, 7, 200);
      day(connection, "openai", "seldom", 0, 1, 200);
      day(connection, "openai", "often", 1, 5, 200);
      day(connection, "openai", "often", 29, 6, 200);
      day(connection, "openai", "long-ago", 32, 9, 200);
      day(connection, "openai", "invented", 0, 9, 404);
    }

    JsonNode report = GATEWAY.task("price-check");
    assertThat(report.path("models").asInt()).isEqualTo(3);
    assertThat(report.path("truncated").asBoolean(true)).isFalse();
    assertThat(report.path("withoutPrice").findValuesAsText("model"))
        .containsExactly("often", "seldom");
    assertThat(report.at("/withoutPrice/0/calls").asInt()).isEqualTo(11);
    assertThat(report.at("/withoutPrice/0/inputTokens").asInt()).isEqualTo(110);
    CommandLine.Outcome outcome =
        new CommandLine().with(DATABASE).run("price", "check", "config.yml");
    assertThat(outcome.status()).as(outcome.err()).isZero();
    assertThat(JSON.readTree(outcome.out())).isEqualTo(report);
  }

  @Test
  void aNodeSaysWhichTableItHas() throws Exception {
    assertThat(get("/metrics"))
        .contains("\nmemory_gateway_price_table_age_days ")
        .contains(
            "memory_gateway_price_table_info{date=\"%s\",version=\"%s\"} 1"
                .formatted(TABLE.date(), TABLE.version()));
    assertThat(JSON.readTree(get("/healthcheck")).at("/prices/message").asText())
        .isEqualTo(TABLE.title());
    assertThat(new CommandLine().with(DATABASE).run("check", "config.yml").out())
        .contains("prices: " + TABLE.title());
    HttpResponse<String> unknown =
        GATEWAY.send(
            HttpRequest.newBuilder(URI.create(GATEWAY.adminUrl() + "/tasks/price-show?model=x"))
                .POST(HttpRequest.BodyPublishers.noBody()));
    ErrorEnvelope.check(unknown, 404, "not_found");
  }

  @Test
  void aWrongPriceStopsTheStartWithItsKey() throws Exception {
    assertThat(checked("openai/x", "{\"input\": 0.0000001, \"output\": 1}"))
        .contains("prices", "openai/x", "input must be dollars", "at most 6 decimals");
    assertThat(checked("nobody/x", "{\"input\": 1, \"output\": 1}"))
        .startsWith("prices.nobody/x: the name of a provider");
  }

  private String checked(String model, String price) throws Exception {
    JsonNode written = JSON.readTree(price);
    String config =
        CommandLine.config(folder, file -> file.putObject("prices").set(model, written));
    return new CommandLine().with(DATABASE).run("check", "--database", "no", config).failure();
  }

  private static String get(String path) throws Exception {
    return GATEWAY.send(HttpRequest.newBuilder(URI.create(GATEWAY.adminUrl() + path))).body();
  }

  private static void day(
      Connection connection, String provider, String model, int daysAgo, int calls, int status)
      throws Exception {
    try (PreparedStatement insert =
        connection.prepareStatement(
            """
            INSERT INTO usage_days (started_at, project_id, key_id, endpoint, provider, model, status, error_type, calls, errors, input_tokens,
              failed_attempts, calls_without_tokens, output_tokens, cached_tokens, duration_ms)
            VALUES (UTC_DATE() - INTERVAL ? DAY, 1, 1, 'chat', ?, ?, ?, '', ?, ?, ?, 0, 0, 0, 0, 0)
            """)) {
      insert.setInt(1, daysAgo);
      insert.setString(2, provider);
      insert.setString(3, model);
      insert.setInt(4, status);
      insert.setInt(5, calls);
      insert.setInt(6, status >= 400 ? calls : 0);
      insert.setInt(7, calls * 10);
      insert.executeUpdate();
    }
  }
}

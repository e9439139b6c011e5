package io.memorygateway.database;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.memorygateway.CommandLine;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §1: a node whose clock is years ahead dates nothing by it, and removes nothing. */
class WrongClockIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  private static final String THREAD = "{\"id\":\"t\",\"resourceId\":\"r\"}";

  @Test
  void timesAreThoseOfTheDatabase() throws Exception {
    // For these sessions the database's clock stands still, in September 2020.
    String url = DATABASE.url() + "&sessionVariables=timestamp=1600000000";
    TestGateway gateway = new TestGateway(DATABASE, UPSTREAM).with("DATABASE_URL", url);
    gateway.start();
    try {
      HttpResponse<String> created = create(gateway);
      assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
      assertThat(created.body()).contains("\"createdAt\":\"2020-09-13T12:");

      JsonNode removed = gateway.task("purge");
      CommandLine.Outcome purged =
          new CommandLine().with(DATABASE).with("DATABASE_URL", url).run("purge", "config.yml");

      assertThat(removed.path("idempotencyKeys").asInt(-1)).as(removed.toString()).isZero();
      assertThat(purged.out()).as(purged.err()).contains("\"idempotencyKeys\" : 0");
      assertThat(create(gateway).body()).isEqualTo(created.body());
    } finally {
      gateway.stop();
    }
  }

  private static HttpResponse<String> create(TestGateway gateway) throws Exception {
    return gateway.send(
        gateway
            .request("/v1/memory/threads")
            .header("Idempotency-Key", "k")
            .POST(HttpRequest.BodyPublishers.ofString(THREAD)));
  }
}

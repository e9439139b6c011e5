package io.memorygateway.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §1 and §2: a pool that others have taken is no outage, and delays no revocation. */
@Tag("heavy")
class RevocationUnderLoadIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .withShippedTimeouts()
          .configured(
              config -> {
                config
                    .withObject("/database")
                    .put("initialSize", 1)
                    .put("minSize", 1)
                    .put("maxSize", 1);
                // A database that a busy machine makes slow is none that cannot be reached.
                config.withObject("/auth").put("graceWhileDatabaseDown", "0s");
              });

  private static final String THREAD = "/v1/memory/threads/locked";

  private volatile boolean stopped;

  @Test
  void aRevokedKeyIsRefusedWithinFiveSecondsThoughThePoolIsExhausted() throws Exception {
    JsonNode issued = GATEWAY.task("key-issue?project=other&name=revoked");
    String secret = issued.path("key").asText();
    GATEWAY.post("/v1/memory/threads", "{\"id\":\"locked\",\"resourceId\":\"r\"}");
    List<Thread> load = new ArrayList<>();
    AtomicInteger refused = new AtomicInteger();
    try (Connection locker = DATABASE.connect();
        Connection revoker = DATABASE.connect()) {
      locker.setAutoCommit(false);
      locker
          .createStatement()
          .executeQuery(
              "SELECT * FROM threads t JOIN thread_heads h ON h.thread_id = t.id FOR UPDATE");
      for (int i = 0; i < 6; i++) {
        Thread thread = new Thread(() -> write(refused), "load-" + i);
        load.add(thread);
        thread.start();
      }
      await().until(() -> refused.get() > 0);
      await("a key that was never seen here").until(() -> status(secret) == 200);

      try (PreparedStatement revoke =
          revoker.prepareStatement(
              "UPDATE api_keys SET revoked_at = UTC_TIMESTAMP(3) WHERE public_id = ?")) {
        revoke.setString(1, issued.path("id").asText());
        assertThat(revoke.executeUpdate()).isEqualTo(1);
      }
      long revokedNanos = System.nanoTime();

      // By the clock that the gateway goes by: however slow all is, nothing is believed longer.
      AtomicLong lastLetIn = new AtomicLong(revokedNanos);
      await()
          .pollInterval(Duration.ofMillis(10))
          .until(
              () -> {
                long begun = System.nanoTime();
                int status = status(secret);
                assertThat(status).isIn(200, 401, 503);
                if (status == 200) {
                  lastLetIn.set(begun);
                }
                return status == 401;
              });
      assertThat(Duration.ofNanos(lastLetIn.get() - revokedNanos))
          .isLessThan(Duration.ofSeconds(5));
      await().until(() -> GATEWAY.get("/v1/models").statusCode() == 200);
    } finally {
      stopped = true;
      for (Thread thread : load) {
        thread.join();
      }
    }
  }

  /** Takes the pool's only connection, again and again. */
  private void write(AtomicInteger refused) {
    while (!stopped) {
      try {
        HttpRequest.Builder patch =
            GATEWAY
                .request(THREAD)
                .header("Content-Type", "application/json")
                .method("PATCH", BodyPublishers.ofString("{\"title\":\"x\"}"));
        if (GATEWAY.send(patch).statusCode() >= 429) {
          refused.incrementAndGet();
        }
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }
  }

  private static int status(String secret) throws Exception {
    return GATEWAY
        .send(
            HttpRequest.newBuilder(URI.create(GATEWAY.url() + "/v1/models"))
                .header("x-api-key", secret))
        .statusCode();
  }
}

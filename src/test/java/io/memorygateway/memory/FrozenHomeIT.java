package io.memorygateway.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.testing.DatabaseRelay;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import io.memorygateway.testing.TestTimeout;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * While the shard of a home stands still, its connections open, projects of other homes are served.
 */
@Tag("heavy")
class FrozenHomeIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  private static final int HOME = 16_384;

  /** Of each of its two projects, which together would hold all connections of the pool. */
  private static final int CALLERS = 12;

  @Test
  void projectsOfOtherHomesAreServed() throws Exception {
    ExecutorService callers = Executors.newCachedThreadPool();
    DatabaseRelay relay = DatabaseRelay.to(DATABASE.port());
    TestGateway gateway =
        new TestGateway(DATABASE, UPSTREAM)
            .withShippedTimeouts()
            .with("DATABASE_URL", DATABASE.url(relay).replace("PREFERRED", "DISABLED"));
    gateway.start();
    try {
      MemoryClient near = new MemoryClient(gateway, gateway.key());
      List<MemoryClient> far = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        gateway.task("project-create?project=far" + i + "&home=" + HOME);
        far.add(new MemoryClient(gateway, gateway.issueKey("far" + i)));
      }
      for (MemoryClient each : List.of(near, far.get(0), far.get(1))) {
        each.createThread("t", "r");
      }

      relay.freeze(HOME);
      AtomicInteger ended = new AtomicInteger();
      List<Future<?>> hanging = new ArrayList<>();
      for (int i = 0; i < 2 * CALLERS; i++) {
        MemoryClient client = far.get(i % 2);
        hanging.add(
            callers.submit(
                () -> {
                  client.get("/threads/t/messages");
                  ended.incrementAndGet();
                }));
      }
      await().until(() -> relay.held() >= CALLERS);
      while (ended.get() == 0) {
        near.get("/threads/t/messages").is(200);
        near.patch("/threads/t", "{\"title\":\"served\"}").is(200);
        near.post("/threads/t/messages", "{\"messages\":[{\"role\":\"user\",\"content\":\"tea\"}]}")
            .is(201);
        assertThat(turn(gateway)).isEqualTo(200);
      }

      assertThat(relay.held()).isLessThan(2 * CALLERS);
      relay.thaw();
      for (Future<?> each : hanging) {
        each.get(TestTimeout.SECONDS, TimeUnit.SECONDS);
      }
      for (MemoryClient each : far) {
        await().until(() -> each.get("/threads/t/messages").status() == 200);
      }
    } finally {
      relay.thaw();
      gateway.stop();
      relay.close();
      callers.shutdownNow();
    }
  }

  private static int turn(TestGateway gateway) throws Exception {
    return gateway
        .send(
            HttpRequest.newBuilder(URI.create(gateway.url() + "/v1/chat/completions"))
                .header("Authorization", "Bearer " + gateway.key())
                .header("Content-Type", "application/json")
                .header("x-thread-id", "t")
                .header("x-resource-id", "r")
                .POST(
                    BodyPublishers.ofString(
                        "{\"model\":\"openai/m\",\"messages\":[{\"role\":\"user\",\"content\":\"more?\"}]}")))
        .statusCode();
  }
}

package io.memorygateway.memory;

import static io.memorygateway.memory.MemoryClient.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.database.SqlObjects;
import io.memorygateway.memory.MemoryClient.Reply;
import io.memorygateway.memory.replay.ExpiredIdempotencyKeys;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §5: Idempotency-Key, on two nodes. */
class IdempotencyIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();
  @RegisterExtension static final TestGateway GATEWAY = new TestGateway(DATABASE, UPSTREAM);
  @RegisterExtension static final TestGateway OTHER_NODE = new TestGateway(DATABASE, UPSTREAM);

  private static final String MESSAGE = "{\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}]}";

  private MemoryClient client;
  private MemoryClient elsewhere;

  @BeforeEach
  void useAProjectOfItsOwn() throws IOException, InterruptedException {
    String key = GATEWAY.issueKey("p-" + java.util.UUID.randomUUID());
    client = new MemoryClient(GATEWAY, key);
    elsewhere = new MemoryClient(OTHER_NODE, key);
    client.createThread("t", "r");
  }

  @Test
  void theSameWriteIsDoneOnceAndAnsweredAlike() {
    List<String[]> writes =
        List.of(
            new String[] {"POST", "/threads", "{\"resourceId\":\"r\",\"metadata\":{\"n\":1.10}}"},
            new String[] {"POST", "/threads/t/messages", MESSAGE.formatted("a")},
            new String[] {"PATCH", "/threads/t", "{\"title\":\"x\"}"},
            new String[] {"POST", "/threads/t/clone", "{\"newThreadId\":\"c\"}"},
            new String[] {"PATCH", "/threads/t/observations/config", "{\"messageTokens\":9}"},
            new String[] {"DELETE", "/threads/t/messages", "{\"messageIds\":[\"none\"]}"},
            new String[] {"DELETE", "/threads/c", ""});
    for (String[] write : writes) {
      Reply first = send(client, write, "key " + write[0] + write[1]);
      assertThat(first.status()).as(first.text()).isBetween(200, 201);
      Reply again = send(elsewhere, write, "key " + write[0] + write[1]);
      assertThat(again.text()).isEqualTo(first.text());
      assertThat(again.status()).isEqualTo(first.status());
    }
    assertThat(client.get("/threads/t/messages").json().get("total").asInt()).isEqualTo(1);
    assertThat(client.get("/threads").json().get("total").asInt()).isEqualTo(2);
  }

  @Test
  void singleMessagesAreChangedAndRemovedOnce() {
    String id = client.append("t", "a").get(0);
    String[] patch = {"PATCH", "/threads/t/messages/" + id, "{\"content\":[1.10]}"};
    assertThat(send(elsewhere, patch, "p").is(200).text())
        .isEqualTo(send(client, patch, "p").is(200).text());
    String[] delete = {"DELETE", "/threads/t/messages/" + id, ""};
    assertThat(send(client, delete, "d").is(200).text())
        .isEqualTo(send(elsewhere, delete, "d").is(200).text());
    send(client, delete, "another").isError(404, "not_found");
  }

  @Test
  void anotherRequestWithTheSameKeyIsAConflict() {
    String path = "/threads/t/messages";
    client.send("POST", path, bytes(MESSAGE.formatted("a")), "Idempotency-Key", "k").is(201);
    client
        .send("POST", path, bytes(MESSAGE.formatted("b")), "Idempotency-Key", "k")
        .isError(409, "conflict_error");
    client
        .send("POST", "/threads", bytes(MESSAGE.formatted("a")), "Idempotency-Key", "k")
        .isError(400, "invalid_request_error");
    client
        .send("PATCH", "/threads/t", bytes("{}"), "Idempotency-Key", "k")
        .isError(409, "conflict_error");
    assertThat(client.contents(path)).containsExactly("a");
  }

  @Test
  void aWriteThatFailedMayBeTriedAgainWithItsKey() {
    String[] write = {"POST", "/threads/later/messages", MESSAGE.formatted("a")};
    send(client, write, "k").isError(404, "not_found");
    client.createThread("later", "r");
    send(client, write, "k").is(201);
    send(elsewhere, write, "k").is(201);
    assertThat(client.contents("/threads/later/messages")).containsExactly("a");
  }

  @Test
  void anotherProjectMayUseTheSameKey() throws Exception {
    MemoryClient stranger = MemoryClient.ofNewProject(GATEWAY);
    String[] write = {"POST", "/threads", "{\"id\":\"x\",\"resourceId\":\"r\"}"};
    send(client, write, "k").is(201);
    send(stranger, write, "k").is(201);
    assertThat(stranger.get("/threads").json().get("total").asInt()).isEqualTo(1);
  }

  @Test
  void requestsAtTheSameTimeAreDoneOnce() throws Exception {
    ExecutorService callers = Executors.newFixedThreadPool(12);
    try {
      String[] write = {"POST", "/threads/t/messages", MESSAGE.formatted("a")};
      List<Callable<String>> calls =
          IntStream.range(0, 24)
              .mapToObj(
                  i ->
                      (Callable<String>)
                          () ->
                              send((i % 2 == 0 ? client : elsewhere).inCrowd(), write, "k")
                                  .is(201)
                                  .text())
              .toList();
      List<String> answers = new java.util.ArrayList<>();
      for (Future<String> answer : callers.invokeAll(calls)) {
        answers.add(answer.get());
      }
      assertThat(answers).hasSize(24).containsOnly(answers.get(0));
      assertThat(client.contents("/threads/t/messages")).containsExactly("a");
    } finally {
      callers.shutdownNow();
    }
  }

  @Test
  void whatWasDeletedSinceIsNotSaidAgain() {
    String[] write = {"POST", "/threads/t/messages", MESSAGE.formatted("secret")};
    String id = send(client, write, "k").is(201).json().at("/messages/0/id").asText();
    client.delete("/threads/t/messages/" + id).is(200);
    assertThat(send(client, write, "k").is(201).text()).isEqualTo("{\"messages\":[]}");
    assertThat(client.contents("/threads/t/messages")).isEmpty();

    String[] make = {
      "POST", "/threads", "{\"id\":\"n\",\"resourceId\":\"r\",\"title\":\"secret\"}"
    };
    send(client, make, "m").is(201);
    client.delete("/threads/n").is(200);
    send(client, make, "m").isError(404, "not_found");
    client.get("/threads/n").isError(404, "not_found");
  }

  @Test
  void aKeyCountsFor24Hours() throws Exception {
    String[] write = {"POST", "/threads/t/messages", MESSAGE.formatted("a")};
    send(client, write, "k").is(201);
    age("23 HOUR");
    send(client, write, "k").is(201);
    age("25 HOUR");
    send(client, write, "k").is(201);
    assertThat(client.contents("/threads/t/messages")).containsExactly("a", "a");
    send(client, write, "k").is(201);
    assertThat(client.contents("/threads/t/messages")).hasSize(2);
  }

  @Test
  void oldKeysAreRemovedByOneNodeAtATime() throws Exception {
    send(client, new String[] {"PATCH", "/threads/t", "{}"}, "old").is(200);
    age("25 HOUR");
    send(client, new String[] {"PATCH", "/threads/t", "{}"}, "new").is(200);
    Jdbi jdbi =
        SqlObjects.install(Jdbi.create(DATABASE.url(), DATABASE.user(), DATABASE.password()));
    jdbi.useHandle(
        otherNode ->
            otherNode.execute(
                "INSERT INTO leases VALUES"
                    + " ('idempotency-keys', 'another', UTC_TIMESTAMP(3) + INTERVAL 60 SECOND)"));
    assertThat(ExpiredIdempotencyKeys.remove(jdbi, Instant.now())).isZero();
    assertThat(count(jdbi)).isEqualTo(2);
    jdbi.useHandle(otherNode -> otherNode.execute("DELETE FROM leases"));
    assertThat(ExpiredIdempotencyKeys.remove(jdbi, Instant.now())).isPositive();
    assertThat(count(jdbi)).isEqualTo(1);
  }

  @Test
  void aKeyThatIsNoneIsRefused() {
    for (String bad : List.of(" ", "x".repeat(256))) {
      send(client, new String[] {"PATCH", "/threads/t", "{}"}, bad)
          .isError(400, "invalid_request_error");
    }
  }

  private static int count(Jdbi jdbi) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT COUNT(*) FROM idempotency_keys
                    WHERE project_id = (SELECT project_id FROM threads ORDER BY created_at DESC LIMIT 1)
                    """)
                .mapTo(Integer.class)
                .one());
  }

  private static void age(String interval) throws Exception {
    try (var connection = DATABASE.connect();
        var statement = connection.createStatement()) {
      statement.execute(
          "UPDATE idempotency_keys SET created_at = UTC_TIMESTAMP(3) - INTERVAL " + interval);
    }
  }

  private static Reply send(MemoryClient client, String[] write, String key) {
    return client.send(write[0], write[1], bytes(write[2]), "Idempotency-Key", key);
  }
}

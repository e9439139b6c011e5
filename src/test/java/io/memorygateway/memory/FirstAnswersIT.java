package io.memorygateway.memory;

import static io.memorygateway.memory.MemoryClient.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.database.SqlObjects;
import io.memorygateway.memory.replay.ExpiredMessageRevisions;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §5: a repeated Idempotency-Key gets the first answer, whatever was changed since. */
class FirstAnswersIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();
  @RegisterExtension static final TestGateway GATEWAY = new TestGateway(DATABASE, UPSTREAM);
  @RegisterExtension static final TestGateway OTHER_NODE = new TestGateway(DATABASE, UPSTREAM);

  private static final String MESSAGES = "/threads/t/messages";
  private static final String MESSAGE = "/threads/t/messages/m";
  private static final String APPEND =
      """
      {"messages":[{"id":"m","role":"user","content":[1.10]},{"id":"n","role":"user","content":"n"}]}
      """;

  private String key;
  private MemoryClient client;
  private MemoryClient elsewhere;

  @BeforeEach
  void useAProjectOfItsOwn() throws IOException, InterruptedException, SQLException {
    execute("DELETE FROM former_messages");
    key = GATEWAY.issueKey("p-" + java.util.UUID.randomUUID());
    client = new MemoryClient(GATEWAY, key);
    elsewhere = new MemoryClient(OTHER_NODE, key);
    client.createThread("t", "r");
  }

  @Test
  void eachAnswerSaysWhatItSaidFirst() {
    List<String[]> writes =
        List.of(
            new String[] {"POST", MESSAGES, APPEND},
            new String[] {"PATCH", MESSAGE, "{\"content\":\"second\"}"},
            new String[] {"PATCH", MESSAGE, "{\"content\":\"third\",\"type\":\"reasoning\"}"},
            new String[] {"PATCH", MESSAGE, "{\"type\":\"mixed\"}"},
            new String[] {
              "POST",
              MESSAGES,
              "{\"messages\":[{\"id\":\"m\",\"role\":\"user\",\"content\":\"third\"}]}"
            },
            new String[] {"PATCH", MESSAGE, "{\"content\":{\"last\":1}}"});
    List<String> first = new ArrayList<>();
    for (String[] write : writes) {
      first.add(send(client, write[0], write[1], write[2], "key " + first.size()));
    }
    assertThat(first.get(3)).contains("\"third\"", "\"mixed\"");
    assertThat(first.get(4)).contains("\"third\"", "\"mixed\"");
    for (MemoryClient anyNode : List.of(client, elsewhere)) {
      for (int i = 0; i < writes.size(); i++) {
        String[] write = writes.get(i);
        assertThat(send(anyNode, write[0], write[1], write[2], "key " + i)).isEqualTo(first.get(i));
      }
    }
    assertThat(client.get(MESSAGE).is(200).text()).isEqualTo(first.get(5));
  }

  @Test
  void aCloneIsShownAsItWas() {
    send(client, "POST", MESSAGES, APPEND, "append");
    String clone = "{\"newThreadId\":\"c\"}";
    String first = send(client, "POST", "/threads/t/clone", clone, "clone");
    String copy = client.get("/threads/c/messages").json().at("/messages/1/id").asText();
    client.patch("/threads/c/messages/" + copy, "{\"content\":\"patched\"}").is(200);
    client.append("c", "later");
    assertThat(send(elsewhere, "POST", "/threads/t/clone", clone, "clone")).isEqualTo(first);
  }

  @Test
  void anAnswerThatWasAskedForAgainSinceIsShownAsItWas() throws Exception {
    String history =
        """
        {"role":"user","content":"Hello."},{"role":"assistant","content":"Welcome."},{"role":"user","content":"Who?"}""";
    String append =
        "{\"messages\":[" + history + ",{\"role\":\"assistant\",\"content\":\"Nobody.\"}]}";
    String first = send(client, "POST", MESSAGES, append, "append");
    UPSTREAM.enqueue(
        Answer.json("{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"Hi.\"}}]}"));
    assertThat(
            GATEWAY
                .send(
                    GATEWAY
                        .request("/v1/chat/completions")
                        .setHeader("Authorization", "Bearer " + key)
                        .header("Content-Type", "application/json")
                        .header("x-thread-id", "t")
                        .header("x-resource-id", "r")
                        .POST(
                            HttpRequest.BodyPublishers.ofString(
                                "{\"model\":\"gpt-5\",\"messages\":[" + history + "]}")))
                .headers()
                .firstValue("X-Memory-Status"))
        .hasValue("stored");
    assertThat(client.get(MESSAGES).text()).contains("\"superseded\":true");
    assertThat(send(elsewhere, "POST", MESSAGES, append, "append")).isEqualTo(first);
  }

  @Tag("heavy")
  @Test
  void whileOthersWriteEachAnswerStaysWhatItWas() throws Exception {
    client.post(MESSAGES, APPEND).is(201);
    ExecutorService callers = Executors.newFixedThreadPool(8);
    try {
      List<Callable<String[]>> writes = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        MemoryClient node = i % 2 == 0 ? client : elsewhere;
        String name = "w" + i;
        String content = "{\"id\":\"m\",\"role\":\"user\",\"content\":\"" + name + "\"}";
        String[] write =
            i % 3 == 0
                ? new String[] {
                  "POST",
                  MESSAGES,
                  "{\"messages\":[" + content.replace("\"m\"", "\"" + name + "\"") + "]}",
                  name
                }
                : new String[] {
                  "PATCH",
                  i % 3 == 1 ? MESSAGE : MESSAGES + "/n",
                  "{\"content\":\"" + name + "\"}",
                  name
                };
        writes.add(
            () -> {
              String answer = send(node.inCrowd(), write[0], write[1], write[2], write[3]);
              return new String[] {write[0], write[1], write[2], write[3], answer};
            });
      }
      for (Future<String[]> done : callers.invokeAll(writes)) {
        String[] write = done.get();
        assertThat(send(client, write[0], write[1], write[2], write[3])).isEqualTo(write[4]);
      }
    } finally {
      callers.shutdownNow();
    }
  }

  @Test
  void whereAVersionBeforeThisOneGaveTheAnswerMessagesAreShownAsTheyAre() throws SQLException {
    send(client, "POST", MESSAGES, APPEND, "append");
    execute("UPDATE idempotency_keys SET thread_version = NULL");
    client.patch(MESSAGE, "{\"content\":\"second\"}").is(200);
    assertThat(send(client, "POST", MESSAGES, APPEND, "append")).contains("\"second\"");
    assertThat(formerMessages()).isZero();
  }

  @Test
  void nothingIsKeptOfWhatNoAnswerSaid() throws SQLException {
    client.post(MESSAGES, APPEND).is(201);
    send(client, "PATCH", "/threads/t", "{\"title\":\"x\"}", "title");
    client.patch(MESSAGE, "{\"content\":\"second\"}").is(200);
    assertThat(formerMessages()).isZero();

    send(client, "PATCH", MESSAGE, "{\"content\":\"third\"}", "third");
    client.patch(MESSAGE, "{\"content\":\"third\"}").is(200);
    assertThat(formerMessages()).isZero();
    client.patch(MESSAGE, "{\"content\":\"fourth\"}").is(200);
    client.patch(MESSAGE, "{\"content\":\"fifth\"}").is(200);
    assertThat(formerMessages()).isEqualTo(1);
  }

  @Test
  void nothingIsKeptOfWhatIsDeleted() throws Exception {
    send(client, "POST", MESSAGES, APPEND, "append");
    client.patch(MESSAGE, "{\"content\":\"second\"}").is(200);
    client.patch(MESSAGES + "/n", "{\"content\":\"second\"}").is(200);
    assertThat(formerMessages()).isEqualTo(2);
    client.send("DELETE", MESSAGES, bytes("{\"messageIds\":[\"m\"]}")).is(200);
    assertThat(formerMessages()).isEqualTo(1);
    assertThat(send(client, "POST", MESSAGES, APPEND, "append"))
        .contains("\"n\"")
        .doesNotContain("1.10", "second");
    client.delete("/threads/t").is(200);
    // The background may be removing it already, and then it is not removed here.
    GATEWAY.task("purge");
    await().untilAsserted(() -> assertThat(formerMessages()).isZero());
  }

  @Test
  void nothingIsKeptForLongerThanTheKeyCounts() throws SQLException {
    String first = send(client, "POST", MESSAGES, APPEND, "append");
    execute("UPDATE idempotency_keys SET created_at = UTC_TIMESTAMP(3) - INTERVAL 23 HOUR");
    client.patch(MESSAGE, "{\"content\":\"second\"}").is(200);
    Jdbi jdbi =
        SqlObjects.install(Jdbi.create(DATABASE.url(), DATABASE.user(), DATABASE.password()));
    assertThat(ExpiredMessageRevisions.remove(jdbi, Instant.now().plus(Duration.ofMinutes(59))))
        .isZero();
    assertThat(send(client, "POST", MESSAGES, APPEND, "append")).isEqualTo(first);
    assertThat(ExpiredMessageRevisions.remove(jdbi, Instant.now().plus(Duration.ofMinutes(61))))
        .isOne();
    assertThat(client.get(MESSAGE).is(200).text()).contains("second");
  }

  private static String send(
      MemoryClient client, String method, String path, String body, String key) {
    MemoryClient.Reply reply = client.send(method, path, bytes(body), "Idempotency-Key", key);
    assertThat(reply.status()).as(reply.text()).isBetween(200, 201);
    return reply.text();
  }

  private static int formerMessages() throws SQLException {
    try (var connection = DATABASE.connect();
        var statement = connection.createStatement();
        var count = statement.executeQuery("SELECT COUNT(*) FROM former_messages")) {
      count.next();
      return count.getInt(1);
    }
  }

  private static void execute(String sql) throws SQLException {
    try (var connection = DATABASE.connect();
        var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}

package io.memorygateway.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.memorygateway.testing.SharedGateway;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §5: copies of threads. */
class ThreadClonesIT {
  @RegisterExtension static final SharedGateway GATEWAY = new SharedGateway();

  private MemoryClient client;

  @BeforeEach
  void makeAThread() throws IOException, InterruptedException {
    client = MemoryClient.ofNewProject(GATEWAY);
    client
        .post(
            "/threads",
            "{\"id\":\"t\",\"resourceId\":\"r\",\"title\":\"old\",\"metadata\":{\"n\":1.10}}")
        .is(201);
    client.append("t", "1", "2", "3", "4", "5");
  }

  @Test
  void aCopyHasAllThatTheThreadHas() {
    JsonNode answer = client.post("/threads/t/clone", "{}").is(201).json();
    String id = answer.at("/thread/id").asText();
    assertThat(UUID.fromString(id).version()).isEqualTo(7);
    assertThat(answer.at("/thread/resourceId").asText()).isEqualTo("r");
    assertThat(answer.at("/thread/title").asText()).isEqualTo("old");
    assertThat(client.get("/threads/" + id).is(200).text()).contains("\"metadata\":{\"n\":1.10}");
    assertThat(client.contents("/threads/" + id + "/messages"))
        .containsExactly("1", "2", "3", "4", "5");
    assertThat(answer.get("clonedMessages"))
        .isEqualTo(client.get("/threads/" + id + "/messages").json().get("messages"));
    List<String> ids = new ArrayList<>();
    answer.get("clonedMessages").forEach(message -> ids.add(message.get("id").asText()));
    client
        .get("/threads/t/messages")
        .json()
        .get("messages")
        .forEach(message -> ids.add(message.get("id").asText()));
    assertThat(ids).hasSize(10).doesNotHaveDuplicates();
    assertThat(ids).allSatisfy(each -> assertThat(UUID.fromString(each).version()).isEqualTo(7));
  }

  @Test
  void aCopyStandsOnItsOwn() {
    client.post("/threads/t/clone", "{\"newThreadId\":\"c\"}").is(201);
    client.append("c", "6");
    client.append("t", "other");
    client.delete("/threads/t").is(200);
    assertThat(client.contents("/threads/c/messages"))
        .containsExactly("1", "2", "3", "4", "5", "6");
  }

  @Test
  void aCopyMayDiffer() {
    JsonNode thread =
        client
            .post(
                "/threads/t/clone",
                "{\"newThreadId\":\"c/1\",\"resourceId\":\"r2\",\"title\":\"new\",\"metadata\":{\"m\":2.0},\"options\":{\"messageLimit\":2}}")
            .is(201)
            .json()
            .get("thread");
    assertThat(thread.get("id").asText()).isEqualTo("c/1");
    assertThat(thread.get("resourceId").asText()).isEqualTo("r2");
    assertThat(thread.get("title").asText()).isEqualTo("new");
    assertThat(client.get("/threads/c%2F1").text()).contains("\"metadata\":{\"m\":2.0}");
    assertThat(client.contents("/threads/c%2F1/messages")).containsExactly("4", "5");
    assertThat(client.get("/threads?resourceId=r2").json().get("total").asInt()).isEqualTo(1);
    client
        .post("/threads/t/clone", "{\"newThreadId\":\"c0\",\"options\":{\"messageLimit\":0}}")
        .is(201);
    client.append("c0", "first");
    assertThat(client.contents("/threads/c0/messages")).containsExactly("first");
    client
        .post("/threads/t/clone", "{\"newThreadId\":\"c9\",\"options\":{\"messageLimit\":9}}")
        .is(201);
    assertThat(client.contents("/threads/c9/messages")).hasSize(5);
  }

  @Test
  void anIdThatIsTakenIsAConflict() {
    client.post("/threads/t/clone", "{\"newThreadId\":\"t\"}").isError(409, "conflict_error");
    client.post("/threads/none/clone", "{}").isError(404, "not_found");
    assertThat(client.get("/threads").json().get("total").asInt()).isEqualTo(1);
  }

  @Test
  void longThreadsAreCopiedWhole() {
    for (int i = 0; i < 2; i++) {
      client.append("t", IntStream.range(0, 1000).mapToObj(String::valueOf).toArray(String[]::new));
    }
    JsonNode answer = client.post("/threads/t/clone", "{\"newThreadId\":\"c\"}").is(201).json();
    assertThat(answer.get("clonedMessages")).hasSize(2005);
    assertThat(client.contents("/threads/c/messages?offset=2004")).containsExactly("999");
  }

  @Tag("heavy")
  @Test
  void aThreadThatIsTooLongForOneTransactionIsCopiedWhole() throws Exception {
    for (int i = 0; i < 5; i++) {
      client.append("t", IntStream.range(0, 1000).mapToObj(String::valueOf).toArray(String[]::new));
    }
    String gone =
        client.get("/threads/t/messages?offset=1500&limit=1").json().at("/messages/0/id").asText();
    client.delete("/threads/t/messages/" + gone).is(200);
    JsonNode answer =
        client
            .send(
                "POST",
                "/threads/t/clone",
                MemoryClient.bytes("{\"newThreadId\":\"c\"}"),
                "Idempotency-Key",
                "copy")
            .is(201)
            .json();
    assertThat(answer.get("clonedMessages")).hasSize(5004);
    assertThat(client.contents("/threads/c/messages?offset=1490&limit=200"))
        .isEqualTo(client.contents("/threads/t/messages?offset=1490&limit=200"));
    assertThat(client.get("/threads/c/messages").json().get("total").asInt()).isEqualTo(5004);
    assertThat(client.get("/threads").json().get("total").asInt()).isEqualTo(2);
    JsonNode again =
        client
            .send(
                "POST",
                "/threads/t/clone",
                MemoryClient.bytes("{\"newThreadId\":\"c\"}"),
                "Idempotency-Key",
                "copy")
            .is(201)
            .json();
    assertThat(again).isEqualTo(answer);
    client
        .post("/threads/t/clone", "{\"newThreadId\":\"c4\",\"options\":{\"messageLimit\":4100}}")
        .is(201);
    assertThat(client.contents("/threads/c4/messages?limit=200&order=desc"))
        .isEqualTo(client.contents("/threads/t/messages?limit=200&order=desc"));
    assertThat(client.get("/threads/c4/messages").json().get("total").asInt()).isEqualTo(4100);
    client.post("/threads/t/clone", "{\"newThreadId\":\"c4\"}").isError(409, "conflict_error");
    restoreBeneathTheNode();
    client.post("/threads/t/clone", "{}").isError(503, "service_unavailable");
    client.post("/threads/t/clone", "{}").is(201);
    GATEWAY.task("purge");
    assertThat(client.get("/threads/c4/messages").json().get("total").asInt()).isEqualTo(4100);
    // What the copy that failed has left; the node's own removal, in the background, may be at it.
    await()
        .until(
            () -> {
              GATEWAY.task("purge");
              return removedThreads() == 0;
            });
  }

  /** Rows get the ids that the node would give next. */
  private static void restoreBeneathTheNode() throws SQLException {
    try (var connection = GATEWAY.database().connect();
        var statement = connection.createStatement()) {
      for (int i = 0; i < 128; i++) {
        statement.execute(
            "INSERT INTO threads (id, project_id, public_id, resource_id, created_at) SELECT"
                + " MAX(id) + 1, MAX(project_id), UUID(), 'r', MAX(created_at) FROM threads WHERE id"
                + " < "
                + (1L << 47));
      }
    }
  }

  private static int removedThreads() throws SQLException {
    try (var connection = GATEWAY.database().connect();
        var statement = connection.createStatement();
        var left = statement.executeQuery("SELECT COUNT(*) FROM removed_threads")) {
      left.next();
      return left.getInt(1);
    }
  }

  @Test
  void whatWasObservedOfAThreadIsKnownOfItsCopy() throws Exception {
    client.patch("/threads/t/observations/config", "{\"messageTokens\":77}").is(200);
    try (var connection = GATEWAY.database().connect();
        var statement = connection.createStatement()) {
      statement.execute(
          """
          INSERT INTO observation_records (thread_id, generation, public_id, origin_type, observations,
            observation_tokens, total_tokens_observed, config, created_at, updated_at)
          SELECT id, 0, UUID(), 'initial', 'they like tea', 3, 9, '{}', UTC_TIMESTAMP(3), UTC_TIMESTAMP(3)
          FROM threads WHERE public_id = 't' ORDER BY created_at DESC LIMIT 1
          """);
    }
    client.post("/threads/t/clone", "{\"newThreadId\":\"c\"}").is(201);
    assertThat(client.get("/threads/c/observations").is(200).text())
        .isEqualTo("{\"observations\":\"they like tea\"}");
    assertThat(client.patch("/threads/c/observations/config", "{}").is(200).text())
        .contains("\"messageTokens\":77");
  }
}

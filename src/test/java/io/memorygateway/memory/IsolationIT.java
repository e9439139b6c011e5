package io.memorygateway.memory;

import static io.memorygateway.memory.MemoryClient.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.memory.MemoryClient.Reply;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Contract §1: what belongs to another project does not exist. Two projects have threads and
 * messages with the same ids; the endpoints are those of the running gateway, so that a new one
 * cannot be forgotten.
 */
class IsolationIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();
  @RegisterExtension static final TestGateway GATEWAY = new TestGateway(DATABASE, UPSTREAM);

  private static final String MEMORY = "/v1/memory";

  /** Those of the document, without HEAD, which is the same as GET. */
  private static final List<String> METHODS = List.of("get", "put", "post", "patch", "delete");

  /** A good body for each method but GET, by method and path. */
  private static final Map<String, String> BODIES =
      Map.of(
          "POST /search", "{\"query\":\"of\",\"threadId\":\"{thread}\"}",
          "POST /threads", "{\"id\":\"made\",\"resourceId\":\"r\"}",
          "PATCH /threads/{thread}", "{\"title\":\"changed\",\"metadata\":{\"x\":1}}",
          "DELETE /threads/{thread}", "",
          "POST /threads/{thread}/clone", "{\"newThreadId\":\"cloned\"}",
          "POST /threads/{thread}/messages",
              "{\"messages\":[{\"role\":\"user\",\"content\":\"stranger\"}]}",
          "DELETE /threads/{thread}/messages", "{\"messageIds\":[\"m\"]}",
          "PATCH /threads/{thread}/messages/{message}", "{\"content\":\"changed\"}",
          "DELETE /threads/{thread}/messages/{message}", "",
          "PATCH /threads/{thread}/observations/config", "{\"messageTokens\":5}");

  /** The OpenAPI document, which is made at the start from all resources that are registered. */
  private static JsonNode document;

  private MemoryClient owner;
  private MemoryClient stranger;

  @BeforeAll
  static void fetchTheDocument() throws Exception {
    URI address = URI.create(GATEWAY.url() + "/openapi.json");
    document = new ObjectMapper().readTree(GATEWAY.send(HttpRequest.newBuilder(address)).body());
  }

  @BeforeEach
  void twoProjects() throws Exception {
    owner = MemoryClient.ofNewProject(GATEWAY);
    stranger = MemoryClient.ofNewProject(GATEWAY);
  }

  @Test
  void anotherProjectsThreadIsAnsweredAsOneThatDoesNotExist() {
    owner.createThread("shared", "r");
    owner.post("/threads/shared/messages", message("of the owner")).is(201);
    String before = everything();

    int tried = 0;
    for (String endpoint : endpoints()) {
      if (namesThread(endpoint)) {
        Reply theirs = call(endpoint, "shared");
        Reply none = call(endpoint, "does-not-exist");
        assertThat(theirs.status()).as(endpoint).isEqualTo(404).isEqualTo(none.status());
        assertThat(theirs.text()).as(endpoint).isEqualTo(none.text());
        tried++;
      }
    }

    assertThat(tried).isGreaterThanOrEqualTo(15);
    assertThat(everything()).isEqualTo(before);
  }

  /** As a node of a version that relied on foreign keys deletes a thread. */
  @Test
  void aThreadOfWhichOnlyTheRowsBelowAreLeftDoesNotExist() throws Exception {
    stranger.createThread("left", "r-left");
    stranger.post("/threads/left/messages", message("of the dead")).is(201);
    stranger.get("/threads/left/messages").is(200);
    try (var connection = DATABASE.connect();
        var statement = connection.createStatement()) {
      assertThat(statement.executeUpdate("DELETE FROM threads WHERE public_id = 'left'")).isOne();
      statement.execute(
          """
          INSERT INTO observation_records (thread_id, generation, public_id, origin_type, observations, observation_tokens,
            total_tokens_observed, config, created_at, updated_at)
          SELECT thread_id, 0, UUID(), 'observation', 'of the dead', 1, 1, '{}', NOW(), NOW() FROM thread_heads
          WHERE public_id = 'left'
          """);
    }

    for (String endpoint : endpoints()) {
      if (namesThread(endpoint)) {
        Reply left = call(endpoint, "left");
        Reply none = call(endpoint, "does-not-exist");
        assertThat(left.status()).as(endpoint).isEqualTo(404).isEqualTo(none.status());
        assertThat(left.text()).as(endpoint).isEqualTo(none.text());
      }
    }
    assertThat(stranger.get("/threads").text()).doesNotContain("left");
    assertThat(stranger.get("/threads?resourceId=r-left").text()).doesNotContain("\"left\"");
    assertThat(stranger.post("/search", "{\"query\":\"dead\",\"resourceId\":\"r-left\"}").text())
        .doesNotContain("dead\"", "left\"");
    stranger.createThread("left", "r-other");
    assertThat(stranger.get("/threads/left/messages").text()).doesNotContain("dead");
    assertThat(stranger.get("/threads/left/observations/record").text()).doesNotContain("dead");
    stranger.post("/threads/left/messages", message("of the living")).is(201);
    stranger.delete("/threads/left").is(200);
  }

  @Test
  void eachProjectSeesItsOwnThreadOfTheSameId() {
    for (MemoryClient client : List.of(owner, stranger)) {
      client.createThread("shared", "r");
    }
    owner.post("/threads/shared/messages", message("of the owner")).is(201);
    stranger.post("/threads/shared/messages", message("of the stranger")).is(201);
    String before = everything();

    for (String endpoint : endpoints()) {
      if (!endpoint.startsWith("DELETE /threads/{thread}")) {
        assertThat(call(endpoint, "shared").status()).as(endpoint).isBetween(200, 201);
        assertThat(call(endpoint, "shared").text()).doesNotContain("of the owner");
      }
    }
    call("DELETE /threads/{thread}/messages", "shared").is(200);
    call("POST /threads/{thread}/messages", "shared").is(201);
    call("DELETE /threads/{thread}", "shared").is(200);

    assertThat(everything()).isEqualTo(before);
  }

  @Test
  void theOldOwnersKeyDoesNotHelpWithARequestOfTheOther() {
    owner.createThread("shared", "r");
    for (String endpoint : endpoints()) {
      if (endpoint.contains("{thread}") && BODIES.containsKey(endpoint)) {
        String path = path(endpoint, "shared");
        byte[] body = bytes(BODIES.get(endpoint));
        owner.send(method(endpoint), path, body, "Idempotency-Key", "k" + endpoint);
        assertThat(
                stranger
                    .send(method(endpoint), path, body, "Idempotency-Key", "k" + endpoint)
                    .status())
            .isEqualTo(404);
      }
    }
  }

  /** All that the owner can see. */
  private String everything() {
    StringBuilder all = new StringBuilder(owner.get("/threads").text());
    for (String path : List.of("", "/messages", "/messages/m", "/observations/record")) {
      all.append(owner.get("/threads/shared" + path).text());
    }
    return all.append(owner.patch("/threads/shared/observations/config", "{}").text()).toString();
  }

  private Reply call(String endpoint, String thread) {
    String body = BODIES.get(endpoint);
    assertThat(body != null || method(endpoint).equals("GET"))
        .as("a body for the new endpoint " + endpoint)
        .isTrue();
    return stranger.send(
        method(endpoint),
        path(endpoint, thread),
        body == null ? null : bytes(body.replace("{thread}", thread)));
  }

  /** Whether the path or the body of a call has the id of a thread. */
  private static boolean namesThread(String endpoint) {
    return endpoint.contains("{thread}") || BODIES.getOrDefault(endpoint, "").contains("{thread}");
  }

  private static String method(String endpoint) {
    return endpoint.substring(0, endpoint.indexOf(' '));
  }

  private static String path(String endpoint, String thread) {
    return endpoint
        .substring(endpoint.indexOf(' ') + 1)
        .replace("{thread}", thread)
        .replace("{message}", "m")
        .replace("{resource}", "r");
  }

  private static String message(String content) {
    return "{\"messages\":["
        + MemoryClient.json("id", "m", "role", "user", "content", content)
        + "]}";
  }

  /** Method and path, without {@code /v1/memory}, of every endpoint that the gateway serves. */
  private static List<String> endpoints() {
    List<String> endpoints = new ArrayList<>();
    for (Map.Entry<String, JsonNode> path : document.get("paths").properties()) {
      if (path.getKey().startsWith(MEMORY)) {
        for (String method : METHODS) {
          if (path.getValue().has(method)) {
            endpoints.add(
                method.toUpperCase(Locale.ROOT) + " " + path.getKey().substring(MEMORY.length()));
          }
        }
      }
    }
    return endpoints;
  }
}

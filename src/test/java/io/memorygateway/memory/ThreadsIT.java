package io.memorygateway.memory;

import static io.memorygateway.memory.MemoryClient.thread;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.memorygateway.testing.SharedGateway;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §5: threads. */
class ThreadsIT {
  @RegisterExtension static final SharedGateway GATEWAY = new SharedGateway();

  private MemoryClient client;

  @BeforeEach
  void useAProjectOfItsOwn() throws IOException, InterruptedException {
    client = MemoryClient.ofNewProject(GATEWAY);
  }

  @Test
  void aNewThreadIsShownWithAllItsFields() {
    JsonNode thread =
        client
            .post("/threads", "{\"id\":\"t1\",\"resourceId\":\"r1\",\"other\":[1]}")
            .is(201)
            .json()
            .get("thread");
    List<String> names = new ArrayList<>();
    thread.fieldNames().forEachRemaining(names::add);
    assertThat(names)
        .containsExactly(
            "id", "projectId", "resourceId", "title", "metadata", "createdAt", "updatedAt");
    assertThat(thread.get("id").asText()).isEqualTo("t1");
    assertThat(thread.get("resourceId").asText()).isEqualTo("r1");
    assertThat(thread.get("title").isNull()).isTrue();
    assertThat(thread.get("metadata").isNull()).isTrue();
    assertThat(thread.get("createdAt").asText())
        .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z")
        .isEqualTo(thread.get("updatedAt").asText());
    assertThat(client.get("/threads/t1").is(200).json().get("thread")).isEqualTo(thread);
  }

  @Test
  void aThreadWithoutIdGetsOneOfOurs() {
    String id =
        client.post("/threads", "{\"resourceId\":\"r1\"}").is(201).json().at("/thread/id").asText();
    assertThat(java.util.UUID.fromString(id).version()).isEqualTo(7);
    client.get("/threads/" + id).is(200);
  }

  @Test
  void theSameThreadAgainIsFoundUnchanged() {
    String thread = "{\"id\":\"t1\",\"resourceId\":\"r1\",\"title\":\"a\"}";
    String first = client.post("/threads", thread).is(201).text();
    String second = client.post("/threads", thread.replace("\"a\"", "\"b\"")).is(200).text();
    assertThat(second).isEqualTo(first);
    client.post("/threads", "{\"id\":\"t1\",\"resourceId\":\"r2\"}").isError(409, "conflict_error");
  }

  @Test
  void metadataComesBackAsItWasSpelt() {
    String metadata = "{\"b\":1.10,\"a\":12345678901234567890,\"c\":{\"z\":1e5,\"y\":[0.0]}}";
    String body =
        client
            .post("/threads", "{\"id\":\"t1\",\"resourceId\":\"r\",\"metadata\":" + metadata + "}")
            .is(201)
            .text();
    assertThat(body).contains("\"metadata\":" + metadata);
    assertThat(client.get("/threads/t1").text()).contains("\"metadata\":" + metadata);
  }

  @Test
  void patchMergesMetadataAndLeavesWhatItDoesNotName() {
    client
        .post(
            "/threads",
            """
            {"id":"t1","resourceId":"r","title":"a","metadata":{"n":1.10,"gone":1,"in":{"x":1}}}
            """)
        .is(201);
    String patched =
        client
            .patch("/threads/t1", "{\"metadata\":{\"gone\":null,\"in\":{\"y\":2.50}}}")
            .is(200)
            .text();
    assertThat(patched)
        .contains("\"title\":\"a\"")
        .contains("\"metadata\":{\"n\":1.10,\"in\":{\"x\":1,\"y\":2.50}}");
    assertThat(client.get("/threads/t1").text()).isEqualTo(patched);

    assertThat(client.patch("/threads/t1", "{\"title\":null}").is(200).text())
        .contains("\"title\":null", "\"n\":1.10");
    assertThat(client.patch("/threads/t1", "{\"metadata\":null}").is(200).text())
        .contains("\"metadata\":null");
    assertThat(client.patch("/threads/t1", "{}").is(200).text()).contains("\"metadata\":null");
    client.patch("/threads/none", "{}").isError(404, "not_found");
  }

  @Test
  void everyWriteToAThreadMovesItToTheFront() {
    for (String id : List.of("a", "b", "c")) {
      client.createThread(id, "r");
    }
    Instant before = updatedAt("a");
    client.append("a", "hello");
    assertThat(updatedAt("a")).isAfterOrEqualTo(before);
    assertThat(ids("/threads")).startsWith("a");
    client.patch("/threads/b", "{\"title\":\"x\"}").is(200);
    assertThat(ids("/threads")).startsWith("b");
  }

  @Test
  void equalTimesAreOrderedById() throws Exception {
    for (String id : List.of("b", "B", "\u00e9", "a")) {
      client.createThread(id, "r");
    }
    try (var connection = GATEWAY.database().connect();
        var statement = connection.createStatement()) {
      statement.execute("UPDATE thread_heads SET updated_at = '2026-01-01 00:00:00.000'");
    }
    assertThat(ids("/threads")).containsExactly("B", "a", "b", "\u00e9");
  }

  @Test
  void aLimitOf200AtMostIsServedAndSaysSo() {
    client.createThread("t", "r");
    assertThat(client.get("/threads?limit=100000").is(200).json().get("limit").asInt())
        .isEqualTo(200);
    assertThat(client.get("/threads").json().get("limit").asInt()).isEqualTo(50);
    assertThat(client.get("/threads?offset=99999999999999999999999").is(200).json().get("threads"))
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "limit=0",
        "limit=-1",
        "limit=1.5",
        "limit=x",
        "limit=",
        "offset=-1",
        "offset=x",
        "offset=",
        "limit=+5",
        "limit=1e3",
        "offset=%D9%A1",
        "resourceId=",
        "resourceId=a%01b"
      })
  void badPagesAre400(String query) {
    client.get("/threads?" + query).isError(400, "invalid_request_error");
  }

  @Test
  void aThreadOfAnotherResourceIsNotThere() {
    client.createThread("t1", "r1");
    client.get("/threads/t1?resourceId=r1").is(200);
    String other = client.get("/threads/t1?resourceId=r2").isError(404, "not_found").text();
    assertThat(client.get("/threads/none?resourceId=r2").isError(404, "not_found").text())
        .isEqualTo(other);
  }

  @Test
  void aDeletedThreadIsGoneAndMayBeMadeAgain() {
    client.createThread("t1", "r1");
    client.append("t1", "x");
    assertThat(client.delete("/threads/t1").is(200).text()).isEqualTo("{\"ok\":true}");
    client.get("/threads/t1").isError(404, "not_found");
    client.get("/threads/t1/messages").isError(404, "not_found");
    client.delete("/threads/t1").isError(404, "not_found");
    assertThat(client.get("/threads").json().get("total").asInt()).isZero();
    client.createThread("t1", "r2");
    assertThat(client.get("/threads/t1/messages").json().get("total").asInt()).isZero();
  }

  private Instant updatedAt(String id) {
    return Instant.parse(client.get(thread(id)).is(200).json().at("/thread/updatedAt").asText());
  }

  private List<String> ids(String path) {
    List<String> ids = new ArrayList<>();
    client.get(path).is(200).json().get("threads").forEach(t -> ids.add(t.get("id").asText()));
    return ids;
  }
}

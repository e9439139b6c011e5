package io.memorygateway.memory;

import static io.memorygateway.memory.MemoryClient.encode;
import static io.memorygateway.memory.MemoryClient.json;
import static io.memorygateway.memory.MemoryClient.thread;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.SharedGateway;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §5: ids that clients give. */
class IdentifiersIT {
  @RegisterExtension static final SharedGateway GATEWAY = new SharedGateway();

  private MemoryClient client;

  @BeforeEach
  void useAProjectOfItsOwn() throws IOException, InterruptedException {
    client = MemoryClient.ofNewProject(GATEWAY);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a/b", "/", "a%b", "%", "a%2Fb", "a b", " ", "a ", " a", ".", "..", "a.b", "\ud83d\ude00",
        "\u00e9", "e\u0301", "?q=1", "#x", ";x", "a;b=c", "a\\b", "'\"", "+", "a:b", "*", "[x]",
            "{x}",
        "a//b", "../messages", "messages", "\u200b", "a\u00a0b", "\u202e"
      })
  void mayHaveAnyCharacter(String id) {
    client.post("/threads", json("id", id, "resourceId", id)).is(201);
    assertThat(
            client
                .get(thread(id) + "?resourceId=" + encode(id))
                .is(200)
                .json()
                .at("/thread/id")
                .asText())
        .isEqualTo(id);
    client
        .post(
            thread(id) + "/messages",
            "{\"messages\":[" + json("id", id, "role", "user", "content", "x") + "]}")
        .is(201);
    String message = thread(id) + "/messages/" + encode(id);
    assertThat(client.get(message).is(200).json().at("/message/id").asText()).isEqualTo(id);
    client.get(thread(id) + "/observations/record").is(200);
    client.delete(message).is(200);
    client.delete(thread(id)).is(200);
    client.get(thread(id)).isError(404, "not_found");
  }

  @Test
  void thatLookAlikeAreDifferent() {
    List<String> ids = List.of("a", "A", "a ", "a\u00a0", "\u00e1", "a\u0301", "\u1d43", "\uff41");
    ids.forEach(id -> client.createThread(id, "r"));
    for (String id : ids) {
      assertThat(client.get(thread(id)).is(200).json().at("/thread/id").asText()).isEqualTo(id);
    }
    assertThat(client.get("/threads").json().get("total").asInt()).isEqualTo(ids.size());
    assertThat(client.get("/threads?resourceId=R").json().get("total").asInt()).isZero();
    assertThat(client.get("/threads?resourceId=r%20").json().get("total").asInt()).isZero();
    client.get("/threads/a?resourceId=r%20").isError(404, "not_found");
  }

  @Test
  void keepASemicolonThatIsNotEscaped() {
    client.createThread("semi", "r");
    client.createThread("semi;colon", "r");
    assertThat(client.get("/threads/semi;colon?resourceId=r").is(200).json().at("/thread/id"))
        .hasToString("\"semi;colon\"");
    client.delete("/threads/semi;colon").is(200);
    client.get("/threads/semi").is(200);
    client.get("/threads/semi;colon").isError(404, "not_found");
  }

  @Test
  void haveOneTo255Characters() {
    String longest = "\ud83d\ude00".repeat(255);
    client.createThread(longest, longest);
    client.get(thread(longest)).is(200);
    for (String bad : List.of("", "x".repeat(256), longest + "x", "a\u0001", "a\u007f", "\u0085")) {
      client
          .post("/threads", json("id", bad, "resourceId", "r"))
          .isError(400, "invalid_request_error");
      client
          .post("/threads", json("id", "x", "resourceId", bad))
          .isError(400, "invalid_request_error");
    }
    client.get("/threads/a%0Ab").isError(400, "invalid_request_error");
    client.get("/threads/" + "x".repeat(256)).isError(400, "invalid_request_error");
  }
}

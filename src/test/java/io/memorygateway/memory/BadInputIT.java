package io.memorygateway.memory;

import static io.memorygateway.memory.MemoryClient.bytes;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.memory.MemoryClient.Reply;
import io.memorygateway.testing.RawClient;
import io.memorygateway.testing.SharedGateway;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §3 and §5: whatever is wrong with a body is 400 or 413 in the one shape. */
class BadInputIT {
  @RegisterExtension static final SharedGateway GATEWAY = new SharedGateway();

  private static final List<String[]> WRITES =
      List.of(
          new String[] {"POST", "/threads"},
          new String[] {"PATCH", "/threads/t"},
          new String[] {"POST", "/threads/t/clone"},
          new String[] {"POST", "/threads/t/messages"},
          new String[] {"DELETE", "/threads/t/messages"},
          new String[] {"PATCH", "/threads/t/messages/m"},
          new String[] {"PATCH", "/threads/t/observations/config"});

  private final MemoryClient client = new MemoryClient(GATEWAY, GATEWAY.key());

  @Test
  void whatIsNotTheJsonExpectedIs400Everywhere() {
    List<byte[]> bodies = new ArrayList<>();
    for (String body :
        List.of(
            "{",
            "[]",
            "null",
            "1",
            "\"x\"",
            "{\"a\":1,\"a\":2}",
            "{\"x\":{\"a\":1,\"a\":2}}",
            "{} {}",
            "{\"x\":\"\\u0000\"}",
            "{\"x\":\"\\ud800\"}",
            "{\"\\udc00\":1}",
            "{\"x\":nul}",
            "{'x':1}",
            "{\"x\":" + "[".repeat(600) + "]".repeat(600) + "}",
            "[".repeat(200_000),
            "{\"x\":" + "{\"a\":".repeat(100_000))) {
      bodies.add(bytes(body));
    }
    bodies.add("{\"x\":\"\u00e9\"}".getBytes(ISO_8859_1));
    bodies.add("{\"x\":1}".getBytes(UTF_16));
    bodies.add(new byte[] {'{', '}', 0});
    bodies.add(new byte[] {'{', '"', (byte) 0xED, (byte) 0xA0, (byte) 0x80, '"', ':', '1', '}'});
    for (String[] write : WRITES) {
      for (byte[] body : bodies) {
        client.send(write[0], write[1], body).isError(400, "invalid_request_error");
      }
    }
    client.send("POST", "/threads", new byte[0]).isError(400, "invalid_request_error");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "POST | /threads | {}",
        "POST | /threads | {\"resourceId\":1}",
        "POST | /threads | {\"resourceId\":null}",
        "POST | /threads | {\"resourceId\":[\"r\"]}",
        "POST | /threads | {\"resourceId\":\"r\",\"id\":1}",
        "POST | /threads | {\"resourceId\":\"r\",\"id\":\"\"}",
        "POST | /threads | {\"resourceId\":\"r\",\"title\":{}}",
        "POST | /threads | {\"resourceId\":\"r\",\"metadata\":[]}",
        "POST | /threads | {\"resourceId\":\"r\",\"metadata\":\"x\"}",
        "PATCH | /threads/t | {\"title\":1}",
        "PATCH | /threads/t | {\"metadata\":1}",
        "POST | /threads/t/clone | {\"newThreadId\":1}",
        "POST | /threads/t/clone | {\"options\":1}",
        "POST | /threads/t/clone | {\"options\":{\"messageLimit\":-1}}",
        "POST | /threads/t/clone | {\"options\":{\"messageLimit\":1.5}}",
        "POST | /threads/t/clone | {\"options\":{\"messageLimit\":\"1\"}}",
        "POST | /threads/t/messages | {}",
        "POST | /threads/t/messages | {\"messages\":[]}",
        "POST | /threads/t/messages | {\"messages\":{}}",
        "POST | /threads/t/messages | {\"messages\":[1]}",
        "POST | /threads/t/messages | {\"messages\":[{\"role\":\"user\"}]}",
        "POST | /threads/t/messages | {\"messages\":[{\"content\":\"x\"}]}",
        "POST | /threads/t/messages | {\"messages\":[{\"role\":\"User\",\"content\":\"x\"}]}",
        "POST | /threads/t/messages | {\"messages\":[{\"role\":1,\"content\":\"x\"}]}",
        "POST | /threads/t/messages | {\"messages\":[{\"role\":\"user\",\"content\":1}]}",
        "POST | /threads/t/messages | {\"messages\":[{\"role\":\"user\",\"content\":null}]}",
        "POST | /threads/t/messages | {\"messages\":[{\"role\":\"user\",\"content\":true}]}",
        "POST | /threads/t/messages | {\"messages\":[{\"role\":\"user\",\"content\":\"x\",\"type\":\"video\"}]}",
        "POST | /threads/t/messages | {\"messages\":[{\"role\":\"user\",\"content\":\"x\",\"id\":5}]}",
        "POST | /threads/t/messages | {\"messages\":[{\"role\":\"user\",\"content\":\"x\",\"createdAt\":\"today\"}]}",
        "POST | /threads/t/messages | {\"messages\":[{\"role\":\"user\",\"content\":\"x\",\"createdAt\":\"0001-01-01T00:00:00Z\"}]}",
        "POST | /threads/t/messages | {\"messages\":[{\"role\":\"user\",\"content\":\"x\",\"createdAt\":1700000000}]}",
        "DELETE | /threads/t/messages | {\"messageIds\":[]}",
        "DELETE | /threads/t/messages | {\"messageIds\":[1]}",
        "DELETE | /threads/t/messages | {\"messageIds\":\"m\"}",
        "PATCH | /threads/t/messages/m | {\"content\":7}",
        "PATCH | /threads/t/messages/m | {\"type\":\"x\"}",
        "PATCH | /threads/t/observations/config | {\"messageTokens\":0}",
        "PATCH | /threads/t/observations/config | {\"messageTokens\":\"5\"}",
        "PATCH | /threads/t/observations/config | {\"observationTokens\":99999999999999999999}",
        "PATCH | /threads/t/observations/config | {\"observationTokens\":1e3}",
      })
  void membersOfTheWrongKindAre400(String method, String path, String body) {
    client.send(method, path, bytes(body)).isError(400, "invalid_request_error");
  }

  @Test
  void titlesAndMetadataHaveALimit() {
    String longest = "\ud83d\ude00".repeat(4000);
    client.post("/threads", MemoryClient.json("resourceId", "r", "title", longest)).is(201);
    client
        .post("/threads", MemoryClient.json("resourceId", "r", "title", longest + "x"))
        .isError(400, "invalid_request_error");
    String metadata = "{\"x\":\"" + "x".repeat(256 * 1024 - 8) + "\"}";
    client
        .post("/threads", "{\"id\":\"big\",\"resourceId\":\"r\",\"metadata\":" + metadata + "}")
        .is(201);
    client.patch("/threads/big", "{\"metadata\":{\"y\":1}}").isError(400, "invalid_request_error");
    client
        .post("/threads", "{\"resourceId\":\"r\",\"metadata\":" + metadata.replace("{", "{ ") + "}")
        .isError(400, "invalid_request_error");
  }

  @Test
  void aLargeMessageIsKeptAndATooLargeOneIs413() throws Exception {
    client.createThread("large", "r");
    byte[] large = new byte[6 << 20];
    Arrays.fill(large, (byte) 'x');
    String text = new String(large, ISO_8859_1);
    client.append("large", text);
    assertThat(client.contents("/threads/large/messages")).containsExactly(text);

    try (RawClient raw = new RawClient(GATEWAY.port())) {
      raw.send(
          "POST /v1/memory/threads/large/messages HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n"
              .formatted(GATEWAY.key(), 100 << 20));
      assertThat(raw.readAnswer())
          .startsWith("HTTP/1.1 413")
          .contains("\"type\":\"invalid_request_error\"");
    }
    byte[] chunk = ("100000\r\n" + "x".repeat(1 << 20) + "\r\n").getBytes(ISO_8859_1);
    try (RawClient raw = new RawClient(GATEWAY.port())) {
      raw.send(
          "POST /v1/memory/threads/large/messages HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nTransfer-Encoding: chunked\r\n\r\n"
              .formatted(GATEWAY.key()));
      for (int i = 0; i < 32; i++) {
        raw.send(new String(chunk, ISO_8859_1));
      }
      // The one byte too many is the last that is sent: an answer in between would end the sending.
      raw.send("1\r\nx\r\n");
      assertThat(raw.readAnswer())
          .startsWith("HTTP/1.1 413")
          .contains("\"type\":\"invalid_request_error\"");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "resourceId=%zz",
        "resourceId=100%",
        "resourceId=%FF",
        "limit=1&%C3=1",
        "other=%ED%A0%80"
      })
  void aQueryThatIsNotPercentEncodedUtf8Is400(String query) throws Exception {
    assertThat(threads(query))
        .startsWith("HTTP/1.1 400")
        .contains("\"type\":\"invalid_request_error\"");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "&&",
        "=x&y",
        "resourceId=a+b%20%C3%A9%F0%9F%98%80",
        "x=a;b",
        "x=%25zz",
        "x=é"
      })
  void anyOtherQueryIsServed(String query) throws Exception {
    assertThat(threads(query)).startsWith("HTTP/1.1 200");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "zebra", "text/plain"})
  void theTypeOfABodyDoesNotMatter(String type) throws Exception {
    try (RawClient raw = new RawClient(GATEWAY.port())) {
      raw.send(
          "POST /v1/memory/threads HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\nContent-Length: 18\r\n\r\n{\"resourceId\":\"r\"}"
              .formatted(GATEWAY.key(), type));
      assertThat(raw.readAnswer()).startsWith("HTTP/1.1 201");
    }
  }

  @Test
  void whoIsNotKnownIsToldThatFirst() throws Exception {
    try (RawClient raw = new RawClient(GATEWAY.port())) {
      raw.send("GET /v1/memory/threads?limit=%zz HTTP/1.1\r\nHost: localhost\r\n\r\n");
      assertThat(raw.readAnswer()).startsWith("HTTP/1.1 401");
    }
  }

  @Test
  void anErrorSaysNothingThatCameWithTheRequest() {
    for (String[] write : WRITES) {
      Reply reply = client.send(write[0], write[1], bytes("{\"secret404\":{\"x\":1,\"x\":2}}"));
      assertThat(reply.text()).doesNotContain("404", "secret", "Exception", "line");
    }
    assertThat(client.get("/threads/id404").is(404).text()).doesNotContain("404");
  }

  /** The answer to a query that a client library would not send like this. */
  private static String threads(String query) throws IOException {
    try (RawClient raw = new RawClient(GATEWAY.port())) {
      raw.send(
          "GET /v1/memory/threads?%s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n"
              .formatted(query, GATEWAY.key()));
      return raw.readAnswer();
    }
  }
}

package io.memorygateway.memory;

import static io.memorygateway.memory.MemoryClient.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.memorygateway.testing.SharedGateway;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §5: messages. */
class MessagesIT {
  @RegisterExtension static final SharedGateway GATEWAY = new SharedGateway();

  private static final String MESSAGES = "/threads/t/messages";

  private MemoryClient client;

  @BeforeEach
  void makeAThread() throws IOException, InterruptedException {
    client = MemoryClient.ofNewProject(GATEWAY);
    client.createThread("t", "r");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"text\"",
        "\"\"",
        "\"line\\nbreak \\u00e9 \u00e9 \ud83d\ude00 \\\"quoted\\\" \\\\ \\/\"",
        "\"NUL \\u0000, half a pair \\ud83d, the other \\udE00 first \\ude00\\ud83d\"",
        "[{\"type\":\"text\",\"text\":\"\\u0000\",\"\\u0000\":[[[\"\\u0000\"]]]}]",
        "[{\"type\":\"text\",\"text\":\"a\",\"text\":\"b\"}]",
        "[]",
        "{}",
        "[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,AA==\"}}]",
        "[{\"type\":\"tool_use\",\"id\":\"x\",\"name\":\"n\",\"input\":{\"price\":1.10,\"big\":12345678901234567890}}]",
        "[{\"type\":\"function_call_output\",\"output\":\"1\",\"unknown\":{\"z\":[1.0,-0,1E5,0.10]}}]",
        "{\"format\":2,\"parts\":[{\"type\":\"data-new\",\"data\":null}],\"b\":1,\"a\":2}",
        "{ \"spaced\" : [ 1 , 2 ] }"
      })
  void contentComesBackAsItWasSpelt(String content) {
    String stored =
        client
            .post(MESSAGES, "{\"messages\":[{\"role\":\"user\",\"content\":" + content + "}]}")
            .is(201)
            .text();
    assertThat(stored).contains("\"content\":" + content + ",");
    assertThat(client.get(MESSAGES).text()).contains("\"content\":" + content + ",");
    String id = client.get(MESSAGES).json().at("/messages/0/id").asText();
    assertThat(client.get(MESSAGES + "/" + id).text()).contains("\"content\":" + content + ",");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"[{\"x\":%s}] | 1 | 1001", "{\"%s\":1} | n | 50001"})
  void soDoesWhatOtherReadersFindTooLong(String content, String of, int times) {
    String large = "\"content\":" + content.formatted(of.repeat(times));
    client.post(MESSAGES, "{\"messages\":[{\"role\":\"user\"," + large + "}]}").is(201);
    assertThat(client.get(MESSAGES).text()).contains(large + ",");
  }

  @ParameterizedTest
  @ValueSource(strings = {"\\u0000", "\\ud83d", "\\ude00", "\\ud83d\\ud83d"})
  void whateverCharactersAContentHasItIsFoundAndChanged(String character) {
    String content = "\"pelican%spelican %s\"".formatted(character, character);
    client
        .post(MESSAGES, "{\"messages\":[{\"id\":\"m\",\"role\":\"user\",\"content\":\"stork\"}]}")
        .is(201);
    client.patch(MESSAGES + "/m", "{\"content\":" + content + "}").is(200);

    String found =
        client.post("/search", "{\"query\":\"pelican\",\"threadId\":\"t\"}").is(200).text();
    assertThat(found).contains("\"content\":" + content);
    client
        .post(MESSAGES, "{\"messages\":[{\"role\":\"" + character + "\",\"content\":\"x\"}]}")
        .isError(400, "invalid_request_error");
  }

  @Test
  void aMessageIsShownWithAllItsFields() {
    JsonNode message =
        client
            .post(
                MESSAGES,
                """
                {"messages":[{"id":"m","role":"tool","content":"x","type":"tool-result",
                 "createdAt":"2020-02-29T23:59:59.5+02:00","other":1}]}
                """)
            .is(201)
            .json()
            .at("/messages/0");
    List<String> names = new ArrayList<>();
    message.fieldNames().forEachRemaining(names::add);
    assertThat(names).containsExactly("id", "threadId", "role", "content", "type", "createdAt");
    assertThat(message.toString())
        .isEqualTo(
            "{\"id\":\"m\",\"threadId\":\"t\",\"role\":\"tool\",\"content\":\"x\",\"type\":\"tool-result\","
                + "\"createdAt\":\"2020-02-29T21:59:59.500Z\"}");
    assertThat(client.get(MESSAGES + "/m").is(200).json().get("message")).isEqualTo(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"x\" | text",
        "[] | text",
        "[\"a\"] | text",
        "[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"input_text\",\"text\":\"b\"}] | text",
        "[{\"type\":\"tool_use\"}] | tool-call",
        "[{\"type\":\"tool_result\"}] | tool-result",
        "[{\"type\":\"thinking\"}] | reasoning",
        "[{\"type\":\"input_image\"}] | image",
        "[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"image_url\"}] | mixed",
        "[{\"type\":\"text\",\"text\":\"\"},{\"type\":\"image_url\"}] | image",
        "{\"content\":null,\"tool_calls\":[{}]} | tool-call",
        "{\"content\":null} | text",
        "{\"content\":null,\"audio\":{}} | mixed",
        "{\"tool_call_id\":\"c\",\"content\":\"sunny\"} | tool-result",
        "{\"format\":2,\"parts\":[{\"type\":\"text\",\"text\":\"a\"}]} | text",
        "[{\"type\":\"never heard of\"}] | mixed",
        "{\"type\":\"reasoning\"} | reasoning",
      })
  void aTypeThatIsNotGivenIsTakenFromTheContent(String content, String type) {
    client
        .post(MESSAGES, "{\"messages\":[{\"role\":\"user\",\"content\":" + content + "}]}")
        .is(201);
    assertThat(client.get(MESSAGES).json().at("/messages/0/type").asText()).isEqualTo(type);
  }

  @Test
  void theOrderIsThatOfStoringWhateverTheTimes() {
    client
        .post(
            MESSAGES,
            """
            {"messages":[{"role":"user","content":"1","createdAt":"2030-01-01T00:00:00Z"},
                         {"role":"assistant","content":"2","createdAt":"2020-01-01T00:00:00Z"},
                         {"role":"user","content":"3","createdAt":"2020-01-01T00:00:00Z"}]}
            """)
        .is(201);
    client.append("t", "4", "5");
    assertThat(client.contents(MESSAGES)).containsExactly("1", "2", "3", "4", "5");
    assertThat(client.contents(MESSAGES + "?order=desc")).containsExactly("5", "4", "3", "2", "1");
    assertThat(client.contents(MESSAGES + "?order=asc&limit=2&offset=1")).containsExactly("2", "3");
    assertThat(client.contents(MESSAGES + "?order=desc&limit=2&offset=4")).containsExactly("1");
    JsonNode page = client.get(MESSAGES + "?limit=2&offset=7").is(200).json();
    assertThat(page.get("total").asInt()).isEqualTo(5);
    assertThat(page.get("messages")).isEmpty();
  }

  @Test
  void aMessageStoredAlreadyIsFoundNotDoubled() {
    String message =
        "{\"messages\":[{\"id\":\"m\",\"role\":\"user\",\"content\":[{\"a\":1.10,\"b\":2}]}]}";
    String first = client.post(MESSAGES, message).is(201).text();
    client.append("t", "between");
    String again = message.replace("\"a\":1.10,\"b\":2", "\"b\": 2, \"a\": 1.1");
    assertThat(client.post(MESSAGES, again).is(201).text()).isEqualTo(first);
    assertThat(client.get(MESSAGES).json().get("total").asInt()).isEqualTo(2);
    String typed = message.replace("\"content\"", "\"type\":\"mixed\",\"content\"");
    assertThat(client.post(MESSAGES, typed).is(201).text()).isEqualTo(first);
    assertThat(client.get(MESSAGES).json().get("total").asInt()).isEqualTo(2);
    client.post(MESSAGES, message.replace("1.10", "1.11")).isError(409, "conflict_error");
    client.post(MESSAGES, message.replace("user", "assistant")).isError(409, "conflict_error");
    assertThat(client.get(MESSAGES).json().get("total").asInt()).isEqualTo(2);
  }

  @Test
  void aBatchIsStoredWholeOrNotAtAll() {
    client.post(MESSAGES, "{\"messages\":[" + message("taken", "x") + "]}").is(201);
    client
        .post(
            MESSAGES,
            "{\"messages\":[" + message("new", "a") + "," + message("taken", "other") + "]}")
        .isError(409, "conflict_error");
    client.get(MESSAGES + "/new").isError(404, "not_found");
    assertThat(client.get(MESSAGES).json().get("total").asInt()).isEqualTo(1);
    String twice = "{\"messages\":[" + message("n", "a") + "," + message("n", "a") + "]}";
    assertThat(client.post(MESSAGES, twice).is(201).json().get("messages")).hasSize(2);
    assertThat(client.get(MESSAGES).json().get("total").asInt()).isEqualTo(2);
  }

  @Test
  void aBatchMayHave1000Messages() {
    String one = message(null, "x") + ",";
    String max = one.repeat(999) + message(null, "last");
    assertThat(client.post(MESSAGES, "{\"messages\":[" + max + "]}").is(201).json().get("messages"))
        .hasSize(1000);
    assertThat(client.contents(MESSAGES + "?offset=999")).containsExactly("last");
    client
        .post(MESSAGES, "{\"messages\":[" + one + max + "]}")
        .isError(400, "invalid_request_error");
  }

  @Test
  void aMessageIsChangedInItsPlace() {
    List<String> ids = client.append("t", "a", "b", "c");
    String path = MESSAGES + "/" + ids.get(1);
    String patched =
        client.patch(path, "{\"content\":[{\"type\":\"image\",\"n\":1.0}]}").is(200).text();
    assertThat(patched).contains("\"n\":1.0", "\"type\":\"image\",\"createdAt\"");
    assertThat(client.get(path).text()).isEqualTo(patched);
    assertThat(client.patch(path, "{\"type\":\"text\"}").is(200).text()).contains("\"n\":1.0");
    assertThat(client.patch(path, "{}").is(200).text()).contains("\"n\":1.0");
    assertThat(client.get(MESSAGES).json().at("/messages/1/id").asText()).isEqualTo(ids.get(1));
    client.patch(MESSAGES + "/none", "{}").isError(404, "not_found");
    client.patch(path, "{\"content\":null}").isError(400, "invalid_request_error");
  }

  @Test
  void deletedMessagesAreGone() {
    List<String> ids = client.append("t", "a", "b", "c", "d");
    assertThat(client.delete(MESSAGES + "/" + ids.get(0)).is(200).text())
        .isEqualTo("{\"ok\":true}");
    client.delete(MESSAGES + "/" + ids.get(0)).isError(404, "not_found");
    client.get(MESSAGES + "/" + ids.get(0)).isError(404, "not_found");
    String some = "{\"messageIds\":[\"" + ids.get(1) + "\",\"" + ids.get(1) + "\",\"none\"]}";
    assertThat(client.send("DELETE", MESSAGES, MemoryClient.bytes(some)).is(200).text())
        .isEqualTo("{\"ok\":true,\"deleted\":1}");
    assertThat(client.contents(MESSAGES)).containsExactly("c", "d");
    client
        .send("DELETE", "/threads/none/messages", MemoryClient.bytes(some))
        .isError(404, "not_found");
  }

  @Test
  void anotherResourcesThreadIsNotThere() {
    client.append("t", "a");
    client.get(MESSAGES + "?resourceId=r").is(200);
    client.get(MESSAGES + "?resourceId=other").isError(404, "not_found");
    client.get("/threads/none/messages").isError(404, "not_found");
    client
        .post("/threads/none/messages", "{\"messages\":[" + message("a", "b") + "]}")
        .isError(404, "not_found");
  }

  @ParameterizedTest
  @ValueSource(strings = {"order=up", "order=", "limit=0", "offset=-1", "resourceId="})
  void badPagesAre400(String query) {
    client.get(MESSAGES + "?" + query).isError(400, "invalid_request_error");
  }

  private static String message(String id, String content) {
    return id == null
        ? json("role", "user", "content", content)
        : json("id", id, "role", "user", "content", content);
  }
}

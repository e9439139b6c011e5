package io.memorygateway.memory;

import static io.memorygateway.memory.MemoryClient.thread;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.memorygateway.memory.MemoryClient.Reply;
import io.memorygateway.testing.SharedGateway;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §11: the page with a message in its middle. */
class MessagesAroundIT {
  @RegisterExtension static final SharedGateway GATEWAY = new SharedGateway();

  private MemoryClient client;

  @BeforeEach
  void useAProjectOfItsOwn() throws IOException, InterruptedException {
    client = MemoryClient.ofNewProject(GATEWAY);
    client.createThread("t", "r");
  }

  @ParameterizedTest
  @CsvSource({
    "around=m50&limit=3, 49, m49 m50 m51",
    "around=m50&limit=4, 48, m48 m49 m50 m51",
    "around=m50&limit=1, 50, m50",
    "around=m0&limit=3, 0, m0 m1 m2",
    "around=m1&limit=4, 0, m0 m1 m2 m3",
    "around=m99&limit=3, 97, m97 m98 m99",
    "around=m50&limit=3&order=desc, 48, m51 m50 m49",
    "around=m50&limit=4&order=desc, 47, m52 m51 m50 m49",
    "around=m99&limit=2&order=desc, 0, m99 m98"
  })
  void hasTheMessageInItsMiddle(String query, long offset, String ids) {
    store(0, 100, "x");
    JsonNode page = page(query);
    assertThat(ids(page)).isEqualTo(List.of(ids.split(" ")));
    assertThat(page.at("/total").asLong()).isEqualTo(100);
    assertThat(page.at("/offset").asLong()).isEqualTo(offset);
  }

  @Test
  void itsOffsetIsThatOfTheListAlsoWhereMessagesWereDeleted() {
    store(0, 700, "x");
    List<String> deleted = new ArrayList<>();
    IntStream.range(0, 700).filter(i -> i % 3 == 0).forEach(i -> deleted.add("\"m" + i + "\""));
    client
        .send(
            "DELETE",
            thread("t") + "/messages",
            MemoryClient.bytes("{\"messageIds\":[" + String.join(",", deleted) + "]}"))
        .is(200);
    for (int message : new int[] {1, 100, 511, 512, 514, 698}) {
      JsonNode page = page("around=m" + message + "&limit=5");
      assertThat(ids(page)).contains("m" + message);
      assertThat(ids(page)).isEqualTo(ids(page("limit=5&offset=" + page.at("/offset").asLong())));
    }
    client.get(path("around=m3")).isError(404, "not_found");
  }

  @Tag("heavy")
  @Test
  void aPageThatWouldBeTooLargeStillHasTheMessage() {
    String large = "x".repeat(5 << 20);
    for (int i = 0; i < 9; i++) {
      store(i, i + 1, large);
    }
    Reply reply = client.get(path("around=m4&limit=9")).is(200);
    assertThat(reply.text().length()).isLessThan(16 << 20);
    assertThat(ids(reply.json())).isEqualTo(List.of("m3", "m4", "m5"));
    assertThat(reply.json().at("/offset").asLong()).isEqualTo(3);
  }

  @Test
  void whatIsInvalidOrNotThereIsRefused() throws Exception {
    store(0, 3, "x");
    client.get(path("around=m1&offset=0")).isError(400, "invalid_request_error");
    client.get(path("around=")).isError(400, "invalid_request_error");
    client.get(path("around=m1&limit=0")).isError(400, "invalid_request_error");
    client.get(path("around=nobody")).isError(404, "not_found");
    client.get(path("around=m1&resourceId=x")).isError(404, "not_found");
    MemoryClient.ofNewProject(GATEWAY).get(path("around=m1")).isError(404, "not_found");
  }

  private static String path(String query) {
    return thread("t") + "/messages?" + query;
  }

  private JsonNode page(String query) {
    return client.get(path(query)).is(200).json();
  }

  private static List<String> ids(JsonNode page) {
    List<String> ids = new ArrayList<>();
    page.at("/messages").forEach(message -> ids.add(message.at("/id").asText()));
    return ids;
  }

  private void store(int from, int to, String content) {
    List<String> messages = new ArrayList<>();
    for (int i = from; i < to; i++) {
      messages.add("{\"id\":\"m" + i + "\",\"role\":\"user\",\"content\":\"" + content + "\"}");
    }
    client
        .post(thread("t") + "/messages", "{\"messages\":[" + String.join(",", messages) + "]}")
        .is(201);
  }
}

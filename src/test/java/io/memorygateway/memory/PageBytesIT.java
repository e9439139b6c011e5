package io.memorygateway.memory;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.memorygateway.testing.SharedGateway;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §5: a page ends, at one item or more, before it is larger than 16 MiB. */
@Tag("heavy")
class PageBytesIT {
  private static final int MAX_BYTES = 16 << 20;

  @RegisterExtension static final SharedGateway GATEWAY = new SharedGateway();

  private MemoryClient client;

  @BeforeEach
  void makeAProject() throws Exception {
    client = MemoryClient.ofNewProject(GATEWAY);
  }

  @Test
  void messagesEndBeforeTheyAreTooLarge() throws Exception {
    client.createThread("t", "r");
    for (char each : "abcd".toCharArray()) {
      client.append("t", String.valueOf(each).repeat(7 << 20));
    }
    client.append("t", "e");

    assertThat(walk("/threads/t/messages?order=asc", "messages")).containsExactly(2, 3);
    assertThat(walk("/threads/t/messages?order=desc", "messages")).containsExactly(3, 2);
    JsonNode first = client.get("/threads/t/messages?limit=200").json();
    assertThat(first.get("total").asInt()).isEqualTo(5);
    assertThat(first.get("limit").asInt()).isEqualTo(200);
    assertThat(first.at("/messages/0/content").asText()).startsWith("a");
    JsonNode newest = client.get("/threads/t/messages?limit=200&order=desc").json();
    assertThat(newest.at("/messages/0/content").asText()).isEqualTo("e");
    assertThat(newest.at("/messages/2/content").asText()).startsWith("c");
  }

  @Test
  void alsoWhereMessagesAreMissing() throws Exception {
    client.createThread("t", "r");
    List<String> ids = new ArrayList<>();
    for (char each : "abcd".toCharArray()) {
      ids.addAll(client.append("t", String.valueOf(each).repeat(7 << 20)));
    }
    client.delete("/threads/t/messages/" + ids.get(1)).is(200);
    assertThat(walk("/threads/t/messages?order=asc", "messages")).containsExactly(2, 1);
    assertThat(walk("/threads/t/messages?order=desc", "messages")).containsExactly(2, 1);
    client.get("/threads/t/messages/" + ids.get(0)).is(200);
  }

  @Test
  void oneMessageLargerThanAPageIsAPage() {
    client.createThread("t", "r");
    client.append("t", "x".repeat(18 << 20));
    client.append("t", "y");
    JsonNode page = client.get("/threads/t/messages").is(200).json();
    assertThat(page.get("messages")).hasSize(1);
    assertThat(page.get("total").asInt()).isEqualTo(2);
    assertThat(page.at("/messages/0/content").asText()).hasSize(18 << 20);
  }

  @Test
  void threadsWithMuchMetadataEndBeforeTheyAreTooLarge() {
    String metadata = "{\"x\":\"" + "x".repeat(255 * 1024) + "\"}";
    for (int i = 0; i < 70; i++) {
      client
          .post(
              "/threads",
              "{\"id\":\"t" + i + "\",\"resourceId\":\"r\",\"metadata\":" + metadata + "}")
          .is(201);
    }
    client.post("/threads", "{\"id\":\"last\",\"resourceId\":\"r\",\"title\":\"n\"}").is(201);
    for (String list : List.of("/threads?", "/threads?resourceId=r&")) {
      assertThat(walk(list, "threads")).containsExactly(65, 6);
    }
    JsonNode page = client.get("/threads?limit=200").json();
    assertThat(page.get("total").asInt()).isEqualTo(71);
    assertThat(page.at("/threads/0/title").asText()).isEqualTo("n");
    assertThat(page.at("/threads/1/metadata/x").asText()).hasSize(255 * 1024);
  }

  @Test
  void historyEndsBeforeItIsTooLarge() throws Exception {
    client.createThread("t", "r");
    try (var connection = GATEWAY.database().connect();
        var statement = connection.createStatement()) {
      for (int i = 0; i < 4; i++) {
        statement.execute(
            """
            INSERT INTO observation_records (thread_id, generation, public_id, origin_type, observations,
              observation_tokens, total_tokens_observed, config, created_at, updated_at)
            SELECT id, %d, UUID(), 'reflection', REPEAT('x', 6000000), 3, 9, '{}', UTC_TIMESTAMP(3), UTC_TIMESTAMP(3)
            FROM threads WHERE public_id = 't' ORDER BY created_at DESC LIMIT 1
            """
                .formatted(i));
      }
    }
    assertThat(walk("/threads/t/observations/history?", "records")).containsExactly(2, 2);
  }

  @Test
  void foundMessagesThatAreTooLargeTogetherAreNotRead() {
    client.createThread("t", "r");
    StringBuilder again = new StringBuilder();
    for (int i = 0; i < 3; i++) {
      String message = "{\"id\":\"m" + i + "\",\"role\":\"user\",\"content\":[%s]}";
      client
          .post(
              "/threads/t/messages",
              "{\"messages\":[" + message.formatted(" ".repeat(25 << 20)) + "]}")
          .is(201);
      again.append(again.isEmpty() ? "" : ",").append(message.formatted(""));
    }
    client
        .post("/threads/t/messages", "{\"messages\":[" + again + "]}")
        .isError(413, "invalid_request_error");
  }

  /** A small batch that names a large message often would be answered with it as often. */
  @Test
  void aMessageThatIsNamedOftenIsNotAnsweredBeyondBounds() throws Exception {
    String large =
        "{\"id\":\"m\",\"role\":\"user\",\"content\":[" + " ".repeat(1 << 20) + "\"a\"]}";
    String same = "{\"id\":\"m\",\"role\":\"user\",\"content\":[\"a\"]}";
    client.createThread("often", "r");

    client
        .post("/threads/often/messages", batch(large, same, 100))
        .isError(413, "invalid_request_error");
    assertThat(client.get("/threads/often/messages").json().get("total").asInt()).isZero();

    client.post("/threads/often/messages", batch(large, same, 1)).is(201);
    client
        .post("/threads/often/messages", batch(same, same, 100))
        .isError(413, "invalid_request_error");
    JsonNode found = client.post("/threads/often/messages", batch(same, same, 3)).is(201).json();
    assertThat(found.get("messages")).hasSize(4);
  }

  private static String batch(String first, String further, int times) {
    return "{\"messages\":[" + first + ("," + further).repeat(times) + "]}";
  }

  /**
   * How many items each page has when a list is read to its end; checks that each is there once.
   */
  private List<Integer> walk(String path, String items) {
    List<Integer> counts = new ArrayList<>();
    Map<String, Integer> seen = new TreeMap<>();
    int all = 0;
    int total;
    do {
      MemoryClient.Reply reply =
          client.get(path + (path.contains("?") ? "&" : "?") + "limit=200&offset=" + all).is(200);
      assertThat(reply.text().length()).isLessThanOrEqualTo(MAX_BYTES);
      JsonNode page = reply.json();
      total = page.get("total").asInt();
      int count = page.get(items).size();
      assertThat(count).isPositive();
      page.get(items).forEach(item -> seen.merge(item.get("id").asText(), 1, Integer::sum));
      counts.add(count);
      all += count;
    } while (all < total);
    assertThat(seen).hasSize(total).values().containsOnly(1);
    return counts;
  }
}

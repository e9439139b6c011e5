package io.memorygateway.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.SharedGateway;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §5: pages are exact also where messages were deleted. */
@Tag("heavy")
class MessageGapsIT {
  @RegisterExtension static final SharedGateway GATEWAY = new SharedGateway();

  private MemoryClient client;
  private final List<String> expected = new ArrayList<>();

  @BeforeEach
  void makeAThread() throws IOException, InterruptedException {
    client = MemoryClient.ofNewProject(GATEWAY);
    client.createThread("t", "r");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void everyPageIsThatOfTheMessagesLeft(long seed) {
    Random random = new Random(seed);
    append(0, 1000);
    append(1000, 900);
    deleteWhere(id -> random.nextInt(10) == 0);
    checkAllPages("t");
    deleteWhere(id -> id >= 400 && id < 1100 && random.nextInt(50) > 0);
    checkAllPages("t");
    append(1900, 300);
    deleteWhere(id -> id < 37 || id > 2190);
    checkAllPages("t");
    deleteWhere(id -> id % 1000 == 512);
    checkAllPages("t");
  }

  @Test
  void copiesOfAThreadWithGapsHaveTheSamePages() {
    append(0, 1000);
    deleteWhere(id -> id % 3 == 0 || (id > 500 && id < 700));
    client.post("/threads/t/clone", "{\"newThreadId\":\"whole\"}").is(201);
    checkAllPages("whole");
    client
        .post("/threads/t/clone", "{\"newThreadId\":\"part\",\"options\":{\"messageLimit\":317}}")
        .is(201);
    List<String> all = List.copyOf(expected);
    expected.subList(0, expected.size() - 317).clear();
    checkAllPages("part");
    client.append("part", "more");
    expected.add("more");
    checkAllPages("part");
    expected.clear();
    expected.addAll(all);
    checkAllPages("t");
  }

  @Test
  void anEmptiedThreadBeginsAnew() {
    append(0, 10);
    deleteWhere(id -> id < 5);
    deleteWhere(id -> true);
    checkAllPages("t");
    append(10, 600);
    checkAllPages("t");
    deleteWhere(id -> id % 2 == 0);
    checkAllPages("t");
  }

  private void append(int from, int count) {
    String body =
        IntStream.range(from, from + count)
            .mapToObj(i -> "{\"id\":\"%1$d\",\"role\":\"user\",\"content\":\"%1$d\"}".formatted(i))
            .collect(Collectors.joining(",", "{\"messages\":[", "]}"));
    client.post("/threads/t/messages", body).is(201);
    IntStream.range(from, from + count).mapToObj(String::valueOf).forEach(expected::add);
  }

  private void deleteWhere(java.util.function.IntPredicate unwanted) {
    List<String> ids = expected.stream().filter(id -> unwanted.test(Integer.parseInt(id))).toList();
    for (int i = 0; i < ids.size(); i += 1000) {
      List<String> batch = ids.subList(i, Math.min(i + 1000, ids.size()));
      String body =
          batch.stream().collect(Collectors.joining("\",\"", "{\"messageIds\":[\"", "\"]}"));
      client.send("DELETE", "/threads/t/messages", MemoryClient.bytes(body)).is(200);
    }
    expected.removeAll(new java.util.HashSet<>(ids));
  }

  private void checkAllPages(String thread) {
    for (String order : List.of("asc", "desc")) {
      List<String> all = new ArrayList<>();
      for (int offset = 0; offset <= expected.size(); offset += 97) {
        all.addAll(
            client.contents(
                "/threads/%s/messages?limit=97&order=%s&offset=%d"
                    .formatted(thread, order, offset)));
      }
      if (order.equals("desc")) {
        Collections.reverse(all);
      }
      assertThat(all).isEqualTo(expected);
    }
    assertThat(client.get("/threads/" + thread + "/messages").json().get("total").asInt())
        .isEqualTo(expected.size());
  }
}

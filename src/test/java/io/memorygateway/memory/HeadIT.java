package io.memorygateway.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.http.HttpHeaders;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §5: HEAD on every GET has the same headers and no body. */
class HeadIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();
  @RegisterExtension static final TestGateway GATEWAY = new TestGateway(DATABASE, UPSTREAM);

  private static MemoryClient client;

  @BeforeAll
  static void makeAThread() {
    client = new MemoryClient(GATEWAY, GATEWAY.key());
    client.createThread("t", "r");
    client
        .post(
            "/threads/t/messages",
            "{\"messages\":[{\"id\":\"m\",\"role\":\"user\",\"content\":\"\u00e9\"}]}")
        .is(201);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/threads",
        "/threads/t",
        "/threads/t/messages",
        "/threads/t/messages/m",
        "/threads/t/observations",
        "/threads/t/observations/record",
        "/threads/t/observations/history",
        "/threads/none",
        "/threads?limit=0"
      })
  void answersAsGetDoesButWithoutTheBody(String path) {
    var get = client.get(path);
    var head = client.send("HEAD", path, null);
    assertThat(head.status()).isEqualTo(get.status());
    assertThat(head.text()).isEmpty();
    assertThat(headers(head.http().headers())).isEqualTo(headers(get.http().headers()));
    assertThat(head.http().headers().firstValue("Content-Length"))
        .hasValue(
            String.valueOf(get.text().getBytes(java.nio.charset.StandardCharsets.UTF_8).length));
  }

  private static Map<String, List<String>> headers(HttpHeaders headers) {
    Map<String, List<String>> comparable = new TreeMap<>(headers.map());
    comparable.keySet().removeIf(name -> List.of("date", "x-request-id").contains(name));
    comparable.keySet().removeIf(name -> name.startsWith("x-ratelimit-"));
    return comparable;
  }
}

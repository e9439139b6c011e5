package io.memorygateway.proxy;

import static io.memorygateway.proxy.ThreadCaller.CHAT;
import static io.memorygateway.proxy.ThreadCaller.chat;
import static io.memorygateway.proxy.ThreadCaller.message;
import static io.memorygateway.proxy.ThreadCaller.sent;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RecordedRequest;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §7: calls and threads of any size are aligned, and bounded in what they bring. */
@Tag("heavy")
class LargeThreadsIT {
  private static final int LARGE = 2 << 20;

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                ((ObjectNode) config.get("rateLimits")).putObject("rules");
                // Nothing is observed meanwhile, and the date is not told.
                ((ObjectNode) config.get("observation"))
                    .put("messageTokens", 100_000_000)
                    .put("timeMarks", false);
              });

  private final String id = "large-" + UUID.randomUUID();
  private final ThreadCaller thread = new ThreadCaller(GATEWAY, id);

  @Test
  void theNewestOfALargeThreadGoesUpAndOneLineSaysHowMuchDoesNot() throws Exception {
    List<String> history = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      history.add(message(i % 2 == 0 ? "user" : "assistant", i + "x".repeat(LARGE)));
    }
    store(history);

    thread.say("next");

    RecordedRequest first = UPSTREAM.takeRequest();
    assertThat(first.text().length()).isBetween(3 * LARGE, 4 * LARGE + 10_000);
    assertThat(sent(first.json()))
        .hasSize(5)
        .element(0)
        .isEqualTo("system \"[9 earlier messages of this conversation are not shown yet.]\"");
    assertThat(total()).isEqualTo(14);

    history.add(message("user", "next"));
    history.add(message("assistant", "Hello from the upstream."));
    history.add(message("user", "last"));
    HttpResponse<String> answer = thread.call(CHAT, chat(history.toArray(String[]::new)));
    assertThat(answer.headers().firstValue("X-Memory-Status")).hasValue("stored");
    assertThat(total()).as("of the history nothing is stored twice").isEqualTo(16);
    assertThat(UPSTREAM.takeRequest().text().length()).isLessThan(4 * LARGE + 10_000);
  }

  @Test
  void aHistoryOfManyMessagesIsAlignedAndWhatIsNewIsStored() throws Exception {
    List<String> history = new ArrayList<>();
    for (int i = 0; i < 4_000; i++) {
      history.add(message(i % 2 == 0 ? "user" : "assistant", "m" + i));
    }
    for (int from = 0; from < history.size(); from += 1000) {
      store(history.subList(from, from + 1000));
    }
    history.set(1, message("assistant", "altered"));
    history.add(message("user", "new"));

    thread.call(CHAT, chat(history.toArray(String[]::new)));

    assertThat(sent(UPSTREAM.takeRequest().json()))
        .hasSize(4_001)
        .element(1)
        .isEqualTo("assistant \"altered\"");
    assertThat(total()).isEqualTo(4_002);
  }

  @Test
  void moreThanTenThousandNewMessagesAreRefusedAndNothingIsLeftBehind() throws Exception {
    HttpResponse<String> answer =
        thread.call(
            CHAT, chat(Collections.nCopies(10_001, message("user", "x")).toArray(String[]::new)));

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("invalid_request_error", "at most 10000 new messages");
    assertThat(UPSTREAM.requests()).isEmpty();
    assertThat(GATEWAY.get("/v1/memory/threads/" + id).statusCode()).isEqualTo(404);
    assertThat(
            thread
                .call(
                    CHAT,
                    chat(Collections.nCopies(10_000, message("user", "x")).toArray(String[]::new)))
                .statusCode())
        .isEqualTo(200);
    assertThat(total()).isEqualTo(10_001);
  }

  @Test
  void aCallOfTooManyValuesIsRefused() throws Exception {
    String values = "[" + "0,".repeat(2_000_000) + "0]";

    HttpResponse<String> answer =
        thread.call(CHAT, "{\"model\":\"gpt-5\",\"messages\":[],\"metadata\":" + values + "}");

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("JSON values");
  }

  private void store(List<String> messages) throws Exception {
    GATEWAY.send(
        GATEWAY
            .request("/v1/memory/threads")
            .header("Content-Type", "application/json")
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    "{\"id\":\"" + id + "\",\"resourceId\":\"user-1\"}")));
    HttpResponse<String> stored =
        GATEWAY.send(
            GATEWAY
                .request("/v1/memory/threads/" + id + "/messages")
                .header("Content-Type", "application/json")
                .POST(
                    HttpRequest.BodyPublishers.ofString(
                        "{\"messages\":[" + String.join(",", messages) + "]}")));
    assertThat(stored.statusCode()).isEqualTo(201);
  }

  private int total() throws Exception {
    String page = GATEWAY.get("/v1/memory/threads/" + id + "/messages?limit=1&order=desc").body();
    return Integer.parseInt(page.replaceAll("(?s).*\"total\":(\\d+).*", "$1"));
  }
}

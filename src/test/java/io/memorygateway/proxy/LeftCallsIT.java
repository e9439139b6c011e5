package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.observation.text.TokenCounter;
import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RawClient;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Contract §15: a call whose caller leaves is settled at what was taken from its target, which is
 * what the target will bill.
 */
@Tag("heavy")
class LeftCallsIT {
  private static final TokenCounter COUNTER = new TokenCounter();
  private static final String PIECE = "one two three ";
  private static final int PIECES = 40;

  /** More than buffers between the gateway and another program take. */
  private static final int MUCH = 16 << 20;

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                for (String served : List.of("chat", "messages")) {
                  ObjectNode provider = Routed.provider(config, "only-" + served, UPSTREAM);
                  provider.putArray("endpoints").add(served);
                  provider.putArray("translate").add("chat").add("messages");
                }
              });

  private BudgetedKey key;

  @BeforeEach
  void issue() throws Exception {
    key = BudgetedKey.issue(GATEWAY, "left").tokens(100_000_000);
  }

  @ParameterizedTest
  @CsvSource({
    // of what is used in the middle: told with the head of the stream; whether it is counted
    "chat, chat, true, false, true", "chat, chat, true, true, true",
    "messages, messages, true, false, true", "messages, messages, true, true, true",
    "messages, chat, true, false, true", "messages, chat, true, true, true",
    "chat, messages, true, false, true", "chat, messages, true, true, true",
    "messages, chat, false, false, true", "messages, chat, false, true, true",
    "chat, messages, false, false, true", "chat, messages, false, true, true",
    // Of a whole answer nothing can be told before its end.
    "chat, chat, false, false, false", "chat, chat, false, true, false",
  })
  void whatWasTakenIsSettled(
      String called, String served, boolean stream, boolean usage, boolean counted)
      throws Exception {
    boolean streamed = stream || !called.equals(served);
    List<String> events = events(served, usage);
    Semaphore came = new Semaphore(0);

    UPSTREAM.enqueue(
        exchange -> {
          came.release();
          exchange.awaitClientLeft();
        });
    RawClient leaving = call(called, served, stream);
    came.acquire();
    leaving.close();
    assertUsed("before", 0, 0);

    List<String> half = new ArrayList<>(events.subList(0, events.size() / 2));
    if (!stream) {
      // Once these are written, what was before them is read.
      half.addAll(Collections.nCopies(MUCH >> 20, ": " + "x".repeat(1 << 20) + "\n\n"));
    }
    Answer then =
        exchange -> {
          came.release();
          exchange.awaitClientLeft();
        };
    UPSTREAM.enqueue(
        streamed
            ? Answer.sseThen(half, then)
            : Answer.rawThen(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n"
                    + whole(PIECE),
                then));
    try (RawClient client = call(called, served, stream)) {
      came.acquire();
      if (stream) {
        for (int i = 0; i < PIECES / 2 - 2; i++) {
          String unused = client.readUntil(PIECE);
        }
      }
    }
    long some = COUNTER.count(PIECE.repeat(PIECES / 2 - 4));
    long left = assertUsed("in the middle", counted ? some : 0, counted ? 2 * some + 40 : 0);

    UPSTREAM.enqueue(
        streamed
            ? Answer.sse(events)
            : Answer.json(
                whole(PIECE.repeat(PIECES))
                    .replace("\"usage\":0", usage ? usage() : "\"object\":\"x\"")));
    try (RawClient client = call(called, served, stream)) {
      String unused = client.readUntil(stream ? "\n0\r\n\r\n" : "}");
    }
    long all = COUNTER.count(PIECE.repeat(PIECES));
    assertUsed(
        "after the end", left + (usage ? 100 : all), left + (usage ? 100 : all + PIECES + 40));
  }

  /** A whole answer that is told as a stream was made, however much of it is told. */
  @ParameterizedTest
  @CsvSource({"false", "true"})
  void aWholeAnswerIsSettledWhole(boolean usage) throws Exception {
    String text = PIECE.repeat((6 << 20) / PIECE.length());
    UPSTREAM.enqueue(
        Answer.json(
            "{\"type\":\"message\",\"role\":\"assistant\",\"stop_reason\":\"end_turn\",%s\"content\":[{\"type\":\"text\",\"text\":\"%s\"}]}"
                .formatted(
                    usage ? "\"usage\":{\"input_tokens\":10,\"output_tokens\":90}," : "", text)));
    String body = body("chat", "messages", true);
    try (Socket client = new Socket()) {
      client.setReceiveBufferSize(4096);
      client.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), GATEWAY.port()));
      client
          .getOutputStream()
          .write(
              "POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                  .formatted(Routed.CHAT, key.secret(), body.length(), body)
                  .getBytes(StandardCharsets.US_ASCII));
      assertThat(client.getInputStream().read()).isEqualTo('H');
    }
    long all = COUNTER.count(text);
    assertUsed("in the middle", usage ? 100 : all, usage ? 100 : all + 40);
  }

  private static String usage() {
    return "\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":90,\"total_tokens\":100}";
  }

  private static String whole(String text) {
    return "{\"usage\":0,\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"%s\"},\"finish_reason\":\"stop\"}]}"
        .formatted(text);
  }

  private static List<String> events(String served, boolean usage) {
    List<String> events = new ArrayList<>();
    boolean chat = served.equals("chat");
    if (!chat) {
      events.add(
          "data: {\"type\":\"message_start\",\"message\":{\"role\":\"assistant\",\"content\":[]%s}}\n\n"
              .formatted(usage ? ",\"usage\":{\"input_tokens\":10,\"output_tokens\":1}" : ""));
      events.add(
          "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n");
    }
    for (int i = 0; i < PIECES; i++) {
      events.add(
          (chat
                  ? "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%s\"}}]}\n\n"
                  : "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"%s\"}}\n\n")
              .formatted(PIECE));
    }
    if (chat) {
      events.add("data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n");
      if (usage) {
        events.add("data: {\"choices\":[],%s}\n\n".formatted(usage()));
      }
      events.add("data: [DONE]\n\n");
    } else {
      events.add("data: {\"type\":\"content_block_stop\",\"index\":0}\n\n");
      events.add(
          "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}%s}\n\n"
              .formatted(usage ? ",\"usage\":{\"output_tokens\":90}" : ""));
      events.add("data: {\"type\":\"message_stop\"}\n\n");
    }
    return events;
  }

  private static String body(String called, String served, boolean stream) {
    return Routed.body(
        called.equals("chat") ? Routed.CHAT : Routed.MESSAGES, "only-" + served + "/m", stream);
  }

  private RawClient call(String called, String served, boolean stream) throws Exception {
    return new RawClient(GATEWAY.port())
        .post(
            called.equals("chat") ? Routed.CHAT : Routed.MESSAGES,
            key.secret(),
            body(called, served, stream));
  }

  private long assertUsed(String when, long least, long most) throws Exception {
    long used = key.settled();
    assertThat(used).as(when).isBetween(least, most);
    return used;
  }
}

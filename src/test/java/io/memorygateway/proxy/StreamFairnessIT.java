package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.testing.Answer;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Streams whose upstream is always ahead of them, and whose clients take all, leave processors to
 * other requests.
 */
@Tag("heavy")
class StreamFairnessIT {
  private static final int STREAMS = 24;
  private static final int SMALL_CALLS = 20;

  /**
   * What the streams may pass on while one small call is served: a few turns of each. Without turns
   * it is hundreds of MiB.
   */
  private static final long BYTES_PER_CALL = 64L << 20;

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();
  @RegisterExtension static final TestGateway GATEWAY = new TestGateway(DATABASE, UPSTREAM);

  private final AtomicLong bytes = new AtomicLong();

  @Test
  void smallCallsAreServedBesideStreamsThatNeverRunDry() throws Exception {
    String key = GATEWAY.issueKey("another");
    UPSTREAM.answerAlways(endless());
    List<Socket> streams = new ArrayList<>();
    try {
      for (int i = 0; i < STREAMS; i++) {
        streams.add(stream(key));
      }
      await().until(() -> bytes.get() > STREAMS * (4L << 20));

      long before = bytes.get();
      for (int i = 0; i < SMALL_CALLS; i++) {
        assertThat(GATEWAY.get("/v1/memory/threads").statusCode()).isEqualTo(200);
      }

      assertThat((bytes.get() - before) / SMALL_CALLS).isLessThan(BYTES_PER_CALL);
    } finally {
      for (Socket stream : streams) {
        stream.close();
      }
    }
  }

  /** An answer that is always ahead of its client, and ends with it. */
  private static Answer endless() {
    String event =
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%s\"}}]}\n\n"
            .formatted("x".repeat(200))
            .repeat(256);
    byte[] chunk =
        (Integer.toHexString(event.length()) + "\r\n" + event + "\r\n")
            .getBytes(StandardCharsets.US_ASCII);
    return exchange -> {
      exchange.send(
          "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
      while (true) {
        exchange.send(chunk);
      }
    };
  }

  private Socket stream(String key) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), GATEWAY.port());
    String body = "{\"model\":\"gpt-5\",\"stream\":true}";
    OutputStream out = socket.getOutputStream();
    out.write(
        ("POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                + key
                + "\r\nContent-Type: application/json\r\nContent-Length: "
                + body.length()
                + "\r\n\r\n"
                + body)
            .getBytes(StandardCharsets.US_ASCII));
    Thread reader = new Thread(() -> readAll(socket), "stream-reader");
    reader.setDaemon(true);
    reader.start();
    return socket;
  }

  private void readAll(Socket socket) {
    byte[] buffer = new byte[64 << 10];
    try {
      InputStream in = socket.getInputStream();
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        bytes.addAndGet(n);
      }
    } catch (IOException e) {
      // The test closes the stream.
    }
  }
}

package io.memorygateway.faults;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Many connections of one thread, which send the same request, or none, and read what is answered,
 * each as slowly as it is told.
 */
final class ManyConnections implements AutoCloseable {
  private static final int TICK_MILLIS = 100;
  private static final int HEAD_BYTES = 4096;
  private static final int TAIL_BYTES = 16;

  private final List<One> connections = new ArrayList<>();
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 20);
  private final int sentATick;
  private final int readATick;

  private static final class One {
    private final SocketChannel channel;
    private final ByteBuffer request;
    private final StringBuilder head = new StringBuilder();
    private String tail = "";
    private long read;
    private boolean closed;

    One(SocketChannel channel, byte[] request) {
      this.channel = channel;
      this.request = ByteBuffer.wrap(request);
    }
  }

  /**
   * What became of the requests.
   *
   * @param answered with 200, and ended in order
   * @param refused with 429 or 503 and a Retry-After
   * @param timedOut with 408
   * @param cut answers or connections that ended before their time
   * @param other everything else
   */
  record Outcomes(int answered, int refused, int timedOut, int cut, int other) {}

  private ManyConnections(int sentASecond, int readASecond) {
    this.sentATick = Math.max(1, sentASecond / (1000 / TICK_MILLIS));
    this.readATick = Math.max(1, readASecond / (1000 / TICK_MILLIS));
  }

  /**
   * Connects.
   *
   * @param request of each; empty for none
   * @param sentASecond bytes of each connection's request
   * @param readASecond bytes of each connection's answer
   */
  static ManyConnections open(int count, int port, byte[] request, int sentASecond, int readASecond)
      throws IOException {
    ManyConnections all = new ManyConnections(sentASecond, readASecond);
    for (int i = 0; i < count; i++) {
      SocketChannel channel =
          SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      channel.configureBlocking(false);
      all.connections.add(new One(channel, request));
    }
    return all;
  }

  /** Sends and reads for so long, or until every answer has ended. */
  void run(int seconds) throws InterruptedException {
    long end = System.nanoTime() + seconds * 1_000_000_000L;
    while (System.nanoTime() < end && connections.stream().anyMatch(one -> !isDone(one))) {
      connections.forEach(this::turn);
      Thread.sleep(TICK_MILLIS);
    }
  }

  private static boolean isDone(One one) {
    return one.closed || hasEnded(one);
  }

  private void turn(One one) {
    if (one.closed) {
      return;
    }
    try {
      if (one.request.hasRemaining()) {
        ByteBuffer part = one.request.duplicate();
        part.limit(Math.min(part.limit(), part.position() + sentATick));
        one.channel.write(part);
        one.request.position(part.position());
      }
      read(one);
    } catch (IOException e) {
      one.closed = true;
    }
  }

  private void read(One one) throws IOException {
    int left = readATick;
    while (left > 0) {
      buffer.clear().limit(Math.min(buffer.capacity(), left));
      int read = one.channel.read(buffer);
      if (read <= 0) {
        one.closed |= read < 0;
        return;
      }
      left -= read;
      one.read += read;
      note(one, read);
    }
  }

  private void note(One one, int read) {
    if (one.head.length() < HEAD_BYTES) {
      byte[] bytes = new byte[Math.min(read, HEAD_BYTES)];
      buffer.flip().get(bytes);
      one.head.append(new String(bytes, StandardCharsets.ISO_8859_1));
    }
    byte[] last = new byte[Math.min(read, TAIL_BYTES)];
    buffer.position(0).limit(read).position(read - last.length).get(last);
    String all = one.tail + new String(last, StandardCharsets.ISO_8859_1);
    one.tail = all.substring(Math.max(0, all.length() - TAIL_BYTES));
  }

  /** By its length, or by the last chunk. */
  private static boolean hasEnded(One one) {
    String head = one.head.toString().toLowerCase(Locale.ROOT);
    int body = head.indexOf("\r\n\r\n");
    if (body < 0) {
      return false;
    }
    int at = head.indexOf("content-length: ");
    if (at < 0 || at > body) {
      return one.tail.endsWith("\r\n0\r\n\r\n");
    }
    long length = Long.parseLong(head.substring(at + 16, head.indexOf('\r', at)));
    return one.read >= body + 4 + length;
  }

  Outcomes outcomes() {
    int answered = 0;
    int refused = 0;
    int timedOut = 0;
    int cut = 0;
    int other = 0;
    for (One one : connections) {
      String head = one.head.toString();
      String status = head.length() < 12 ? "" : head.substring(9, 12);
      boolean hasRetryAfter = head.toLowerCase(Locale.ROOT).contains("\r\nretry-after: ");
      if (status.equals("200") && hasEnded(one)) {
        answered++;
      } else if (status.equals("429") || status.equals("503")) {
        refused += hasRetryAfter ? 1 : 0;
        other += hasRetryAfter ? 0 : 1;
      } else if (status.equals("408")) {
        timedOut++;
      } else if (status.isEmpty() || status.equals("200")) {
        cut++;
      } else {
        other++;
      }
    }
    return new Outcomes(answered, refused, timedOut, cut, other);
  }

  /** How many are open, as far as was noticed. */
  long open() {
    return connections.stream().filter(one -> !one.closed).count();
  }

  @Override
  public void close() throws IOException {
    for (One one : connections) {
      one.channel.close();
    }
  }
}

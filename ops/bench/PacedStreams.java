import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The first event of streams, of which many run at a time: clients each of which has a stream
 * directly and one through the gateway in turns, on kept connections. Prints by how much those of
 * the gateway are later.
 *
 * <p>{@code java PacedStreams.java UPSTREAM_URL GATEWAY_URL KEY STREAMS ROUNDS [MODEL]}
 */
final class PacedStreams {
  /** Rounds of each client that are not counted. */
  private static final int WARM_UP = 2;

  private static final long MAX_BEGIN_MILLIS = 1000;

  private PacedStreams() {}

  public static void main(String[] args) throws Exception {
    URI upstream = URI.create(args[0]);
    URI gateway = URI.create(args[1]);
    int streams = Integer.parseInt(args[3]);
    int rounds = Integer.parseInt(args[4]);
    ExecutorService threads = Executors.newFixedThreadPool(streams);
    List<double[]> direct = new ArrayList<>();
    List<double[]> through = new ArrayList<>();
    try {
      String model = args.length > 5 ? args[5] : "openai/gpt-5-mini";
      Callable<double[][]> client = () -> client(upstream, gateway, args[2], model, rounds);
      for (Future<double[][]> ended : threads.invokeAll(Collections.nCopies(streams, client))) {
        direct.add(ended.get()[0]);
        through.add(ended.get()[1]);
      }
    } finally {
      threads.shutdownNow();
    }
    double[] one = sorted(direct);
    double[] other = sorted(through);
    System.out.printf(
        Locale.ROOT,
        "%d streams at once, %d of each kind, first event: direct p50 %.3f p99 %.3f ms, gateway p50 %.3f p99 %.3f ms:"
            + " later by %.3f ms at p50%n",
        streams,
        one.length,
        one[one.length / 2],
        one[one.length * 99 / 100],
        other[other.length / 2],
        other[other.length * 99 / 100],
        other[other.length / 2] - one[one.length / 2]);
  }

  private static double[] sorted(List<double[]> parts) {
    return parts.stream().flatMapToDouble(Arrays::stream).sorted().toArray();
  }

  /** Times to the first event in milliseconds: directly, and through the gateway. */
  private static double[][] client(
      URI upstream, URI gateway, String key, String model, int rounds)
      throws IOException, InterruptedException {
    double[][] millis = new double[2][rounds];
    try (Socket one = connect(upstream);
        Socket other = connect(gateway)) {
      InputStream[] in = {
        new BufferedInputStream(one.getInputStream()), new BufferedInputStream(other.getInputStream())
      };
      OutputStream[] out = {one.getOutputStream(), other.getOutputStream()};
      // Not all at the same moment.
      Thread.sleep((long) (Math.random() * MAX_BEGIN_MILLIS));
      for (int round = -WARM_UP; round < rounds; round++) {
        for (int way = 0; way < 2; way++) {
          double first = stream(in[way], out[way], key, model);
          if (round >= 0) {
            millis[way][round] = first;
          }
        }
      }
    }
    return millis;
  }

  private static Socket connect(URI uri) throws IOException {
    Socket socket = new Socket(uri.getHost(), uri.getPort());
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(30_000);
    return socket;
  }

  private static double stream(InputStream in, OutputStream out, String key, String model)
      throws IOException {
    String body =
        "{\"model\":\"%s\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}]}".formatted(model);
    byte[] request =
        ("POST /v1/chat/completions HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nAuthorization: Bearer %s\r\n"
                + "Content-Length: %d\r\n\r\n%s")
            .formatted(key, body.length(), body)
            .getBytes(StandardCharsets.US_ASCII);
    long start = System.nanoTime();
    out.write(request);
    long first = 0;
    StringBuilder line = new StringBuilder();
    while (true) {
      int b = in.read();
      if (b < 0) {
        throw new IOException("the connection was closed");
      }
      if (b != '\n') {
        line.append((char) b);
        continue;
      }
      String text = line.toString().trim();
      line.setLength(0);
      if (first == 0 && text.startsWith("HTTP/1.1 ") && !text.startsWith("HTTP/1.1 200")) {
        throw new IOException(text);
      }
      if (first == 0 && text.startsWith("data: {")) {
        first = System.nanoTime();
      }
      if (text.equals("0")) {
        in.read(); // CR
        in.read(); // LF
        return (first - start) / 1e6;
      }
    }
  }
}

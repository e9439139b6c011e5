import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Time from writing a request to the first byte of the body of the stream that answers it: the same
 * request in turns direct to the upstream and through the gateway, one at a time, each on a
 * connection that is kept. Prints the medians and the median of the differences as JSON.
 *
 * <p>{@code java FirstByte.java DIRECT_URL GATEWAY_URL KEY MODEL ROUNDS}
 */
final class FirstByte {
  private static final int WARM_UP = 3000;

  public static void main(String[] args) throws IOException {
    int rounds = Integer.parseInt(args[4]);
    try (Probe direct = new Probe(args[0], args[2], args[3]);
        Probe gateway = new Probe(args[1], args[2], args[3])) {
      for (int i = 0; i < WARM_UP; i++) {
        direct.micros();
        gateway.micros();
      }
      double[] directly = new double[rounds];
      double[] through = new double[rounds];
      double[] later = new double[rounds];
      for (int i = 0; i < rounds; i++) {
        directly[i] = direct.micros();
        through[i] = gateway.micros();
        later[i] = through[i] - directly[i];
      }
      System.out.printf(
          "{\"direct_p50_ms\":%.3f,\"gateway_p50_ms\":%.3f,\"later_p50_ms\":%.3f,"
              + "\"later_p99_ms\":%.3f,\"rounds\":%d}%n",
          at(directly, 0.5), at(through, 0.5), at(later, 0.5), at(later, 0.99), rounds);
    }
  }

  private static double at(double[] micros, double quantile) {
    double[] sorted = micros.clone();
    Arrays.sort(sorted);
    return sorted[(int) (quantile * (sorted.length - 1))] / 1000;
  }

  /** One kept connection. */
  private static final class Probe implements AutoCloseable {
    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;
    private final byte[] request;

    Probe(String url, String key, String model) throws IOException {
      URI uri = URI.create(url);
      socket = new Socket(uri.getHost(), uri.getPort());
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(10_000);
      in = new BufferedInputStream(socket.getInputStream(), 65536);
      out = socket.getOutputStream();
      String body =
          "{\"model\":\"%s\",\"stream\":true,\"stream_options\":{\"include_usage\":true},"
                  .formatted(model)
              + "\"messages\":[{\"role\":\"user\",\"content\":\"What is the capital of France?\"}]}";
      request =
          ("POST "
                  + uri.getPath()
                  + " HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nAuthorization:"
                  + " Bearer "
                  + key
                  + "\r\nContent-Length: "
                  + body.length()
                  + "\r\n\r\n"
                  + body)
              .getBytes(StandardCharsets.US_ASCII);
    }

    double micros() throws IOException {
      long start = System.nanoTime();
      out.write(request);
      String status = line();
      long length = -1;
      for (String field = line(); !field.isEmpty(); field = line()) {
        String name = field.toLowerCase(java.util.Locale.ROOT);
        if (name.startsWith("content-length:")) {
          length = Long.parseLong(name.substring(15).strip());
        }
      }
      in.mark(1);
      in.read();
      long end = System.nanoTime();
      in.reset();
      if (!status.contains(" 200")) {
        throw new IOException("not 200: " + status);
      }
      finish(length);
      return (end - start) / 1000.0;
    }

    private void finish(long length) throws IOException {
      if (length >= 0) {
        in.skipNBytes(length);
        return;
      }
      for (int size = size(); size > 0; size = size()) {
        in.skipNBytes(size + 2L);
      }
      line();
    }

    private int size() throws IOException {
      return Integer.parseInt(line().strip(), 16);
    }

    private String line() throws IOException {
      StringBuilder line = new StringBuilder();
      for (int b = in.read(); b != '\n'; b = in.read()) {
        if (b < 0) {
          throw new IOException("the connection ended after: " + line);
        }
        if (b != '\r') {
          line.append((char) b);
        }
      }
      return line.toString();
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/**
 * A chat completion at a fixed rate, on kept connections that take turns; the time of each counts
 * from when it was due. Prints one line of JSON.
 *
 * <p>{@code java Paced.java URL KEY PER_SECOND SECONDS}
 */
final class Paced {
  private static final int CONNECTIONS = 16;

  public static void main(String[] args) throws Exception {
    URI uri = URI.create(args[0]);
    int perSecond = Integer.parseInt(args[2]);
    int each = perSecond * Integer.parseInt(args[3]) / CONNECTIONS;
    double[][] millis = new double[CONNECTIONS][each];
    long begin = System.nanoTime() + 200_000_000L;
    Thread[] threads = new Thread[CONNECTIONS];
    for (int i = 0; i < CONNECTIONS; i++) {
      int own = i;
      threads[i] = new Thread(() -> run(uri, args[1], begin, perSecond, own, millis[own]));
      threads[i].start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    double[] all = Arrays.stream(millis).flatMapToDouble(Arrays::stream).sorted().toArray();
    System.out.printf(
        Locale.ROOT,
        "{\"p50_ms\":%.3f,\"p99_ms\":%.3f}%n",
        all[all.length / 2],
        all[all.length * 99 / 100]);
  }

  private static void run(
      URI uri, String key, long begin, int perSecond, int own, double[] millis) {
    String body =
        "{\"model\":\"openai/gpt-5-mini\",\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}]}";
    byte[] request =
        ("POST %s HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s"
                .formatted(uri.getPath(), key, body.length(), body))
            .getBytes(StandardCharsets.US_ASCII);
    try (Socket socket = new Socket(uri.getHost(), uri.getPort())) {
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(10_000);
      InputStream in = new BufferedInputStream(socket.getInputStream(), 65_536);
      for (int i = 0; i < millis.length; i++) {
        long due = begin + (long) i * CONNECTIONS * 1_000_000_000L / perSecond;
        due += own * 1_000_000_000L / perSecond;
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
          LockSupport.parkNanos(left);
        }
        socket.getOutputStream().write(request);
        readAnswer(in);
        millis[i] = (System.nanoTime() - due) / 1e6;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void readAnswer(InputStream in) throws IOException {
    String status = line(in);
    if (!status.contains(" 200")) {
      throw new IOException("not 200: " + status);
    }
    long length = 0;
    for (String field = line(in); !field.isEmpty(); field = line(in)) {
      if (field.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
        length = Long.parseLong(field.substring(15).strip());
      }
    }
    in.skipNBytes(length);
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new IOException("the connection ended");
      }
      if (b != '\r') {
        line.append((char) b);
      }
    }
    return line.toString();
  }
}

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * A relay to a server that passes on what it receives a time later, in each direction, as a network
 * between would.
 *
 * <p>{@code java Relay.java PORT SERVER_PORT MICROSECONDS}
 */
final class Relay {
  private record Piece(byte[] bytes, long due) {}

  private Relay() {}

  public static void main(String[] args) throws IOException {
    int server = Integer.parseInt(args[1]);
    long nanos = Long.parseLong(args[2]) * 1000;
    try (ServerSocket listener =
        new ServerSocket(Integer.parseInt(args[0]), 512, InetAddress.getLoopbackAddress())) {
      while (true) {
        Socket client = listener.accept();
        Socket other = new Socket(InetAddress.getLoopbackAddress(), server);
        client.setTcpNoDelay(true);
        other.setTcpNoDelay(true);
        pass(client, other, nanos);
        pass(other, client, nanos);
      }
    }
  }

  private static void pass(Socket from, Socket to, long nanos) {
    BlockingQueue<Piece> under = new LinkedBlockingQueue<>();
    start(
        () -> {
          byte[] buffer = new byte[65_536];
          InputStream in = from.getInputStream();
          for (int read = in.read(buffer); read > 0; read = in.read(buffer)) {
            under.add(new Piece(Arrays.copyOf(buffer, read), System.nanoTime() + nanos));
          }
          under.add(new Piece(new byte[0], System.nanoTime() + nanos));
        });
    start(
        () -> {
          OutputStream out = to.getOutputStream();
          for (Piece piece = under.take(); piece.bytes().length > 0; piece = under.take()) {
            for (long left = nanos; left > 0; left = piece.due() - System.nanoTime()) {
              LockSupport.parkNanos(piece.due() - System.nanoTime());
            }
            out.write(piece.bytes());
          }
          to.shutdownOutput();
        });
  }

  private interface Work {
    void run() throws IOException, InterruptedException;
  }

  private static void start(Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException | InterruptedException ended) {
                // The connection is closed.
              }
            });
    thread.setDaemon(true);
    thread.start();
  }
}

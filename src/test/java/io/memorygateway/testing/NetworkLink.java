package io.memorygateway.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A TCP relay on loopback that behaves like a bad network: latency, packets that are lost and sent
 * again, resets, connections whose other end has vanished, and partitions in one direction or in
 * both. It looks at no byte, so connections may be encrypted.
 *
 * <p>What cannot be imitated is a connection that is not even accepted: during a partition, new
 * ones are made and stay silent, which is the harder case for whoever waits.
 */
public final class NetworkLink implements AutoCloseable {
  private static final int CONNECT_MILLIS = 2_000;
  private static final int STALL_LEAST_MILLIS = 200;
  private static final int STALL_MOST_MILLIS = 1_000;
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final ServerSocket listener;
  private final int target;
  private final Random random = new Random(1);
  private final Set<Pair> pairs = ConcurrentHashMap.newKeySet();
  private volatile int latencyMillis;
  private volatile int jitterMillis;
  private volatile double loss;
  private volatile boolean requestsHeld;
  private volatile boolean answersHeld;

  private NetworkLink(ServerSocket listener, int target) {
    this.listener = listener;
    this.target = target;
  }

  /** A link to a port on loopback, without a fault. */
  public static NetworkLink to(int port) throws IOException {
    NetworkLink link =
        new NetworkLink(new ServerSocket(0, 1024, InetAddress.getLoopbackAddress()), port);
    link.daemon(link::accept);
    return link;
  }

  public int port() {
    return listener.getLocalPort();
  }

  /** Connections that are open on either side. */
  public int connections() {
    return pairs.size();
  }

  /** What arrives goes on after so long, give or take the jitter, in each direction. */
  public void latency(int millis, int jitter) {
    jitterMillis = jitter;
    latencyMillis = millis;
  }

  /**
   * Packets are lost, and sent again after 200 to 1,000 ms, as TCP does it.
   *
   * @param share of what is read at once
   */
  public void lose(double share) {
    loss = share;
  }

  /**
   * A partition. Bytes and the ends of connections that are held arrive after {@link #heal}.
   *
   * @param requests what clients send does not arrive
   * @param answers what servers send does not arrive
   */
  public void hold(boolean requests, boolean answers) {
    requestsHeld = requests;
    answersHeld = answers;
  }

  /** Each connection is lost without a word to either side; new ones are made. */
  public void abandonAll() {
    pairs.forEach(pair -> pair.abandoned = true);
  }

  /** A connection is reset, on both sides. */
  public void resetOne() {
    List<Pair> open = List.copyOf(pairs);
    if (!open.isEmpty()) {
      open.get(random.nextInt(open.size())).reset();
    }
  }

  /** No fault any more; connections that were lost remain so. */
  public void heal() {
    latency(0, 0);
    lose(0);
    hold(false, false);
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        daemon(() -> connect(client));
      } catch (IOException e) {
        // The listener is closed.
      }
    }
  }

  private void connect(Socket client) {
    Socket server = new Socket();
    try {
      server.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), target), CONNECT_MILLIS);
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
    } catch (IOException e) {
      close(client);
      close(server);
      return;
    }
    Pair pair = new Pair(client, server);
    pairs.add(pair);
    daemon(() -> pair.pump(true));
    pair.pump(false);
  }

  /** The two connections that a client's connection goes over. */
  private final class Pair {
    private final Socket client;
    private final Socket server;
    private volatile boolean abandoned;

    Pair(Socket client, Socket server) {
      this.client = client;
      this.server = server;
    }

    void pump(boolean requests) {
      Socket from = requests ? client : server;
      Socket to = requests ? server : client;
      byte[] buffer = new byte[16_384];
      try {
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream();
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
          delay(requests);
          if (!abandoned) {
            out.write(buffer, 0, read);
          }
        }
        delay(requests);
      } catch (IOException e) {
        // One end is gone; so is the other, unless it is not to know.
      }
      close(from);
      if (!abandoned) {
        close(to);
      }
      if (client.isClosed() && server.isClosed()) {
        pairs.remove(this);
      }
    }

    private void delay(boolean requests) {
      long millis = 0;
      if (latencyMillis > 0) {
        millis = (long) latencyMillis - jitterMillis + random.nextInt(2 * jitterMillis + 1);
      }
      if (loss > 0 && random.nextDouble() < loss) {
        millis += STALL_LEAST_MILLIS + random.nextInt(STALL_MOST_MILLIS - STALL_LEAST_MILLIS);
      }
      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
      for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      while ((requests ? requestsHeld : answersHeld) && !abandoned && !listener.isClosed()) {
        LockSupport.parkNanos(LOOK_NANOS);
      }
    }

    void reset() {
      for (Socket socket : List.of(client, server)) {
        try {
          socket.setSoLinger(true, 0);
        } catch (IOException e) {
          // It is closed already.
        }
        close(socket);
      }
      pairs.remove(this);
    }
  }

  private void daemon(Runnable work) {
    Thread thread = new Thread(work, "link-" + port());
    thread.setDaemon(true);
    thread.start();
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // It is of no use either way.
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    pairs.forEach(Pair::reset);
  }
}

package io.memorygateway.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/** Stands between the gateway and its database, and can fail like a network or a server. */
public final class DatabaseRelay implements AutoCloseable {
  private final ServerSocket listener;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private volatile int target;
  private volatile boolean refusing;
  private volatile boolean silent;
  private volatile CountDownLatch frozen = new CountDownLatch(0);

  private DatabaseRelay(ServerSocket listener, int target) {
    this.listener = listener;
    this.target = target;
  }

  public static DatabaseRelay to(int port) throws IOException {
    DatabaseRelay relay =
        new DatabaseRelay(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), port);
    relay.start(relay::accept);
    return relay;
  }

  public int port() {
    return listener.getLocalPort();
  }

  /** Every connection breaks, and none is made any more. */
  public void cut() {
    refusing = true;
    dropAll();
  }

  /** Every connection breaks, but new ones are made. */
  public void dropAll() {
    List.copyOf(sockets).forEach(DatabaseRelay::close); // not those of callers who are back already
  }

  /** Connections stand, and nothing comes through. */
  public void hang() {
    silent = true;
  }

  /** Connections stand, and what is sent arrives after {@link #thaw}. */
  public void freeze() {
    frozen = new CountDownLatch(1);
  }

  public void thaw() {
    frozen.countDown();
  }

  /** All is well again, with the server on this port. */
  public void restore(int port) {
    target = port;
    dropAll();
    silent = false;
    refusing = false;
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        if (refusing) {
          close(client);
          continue;
        }
        Socket server = new Socket();
        try {
          server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), target), 1000);
        } catch (IOException e) {
          close(client);
          continue;
        }
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        sockets.add(client);
        sockets.add(server);
        if (refusing) {
          // Cut while this one was being made.
          close(client);
          close(server);
        }
        start(() -> pump(client, server));
        start(() -> pump(server, client));
      } catch (IOException e) {
        // The listener is closed.
      }
    }
  }

  private void pump(Socket from, Socket to) {
    byte[] buffer = new byte[16_384];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        frozen.await();
        if (!silent) {
          out.write(buffer, 0, read);
        }
      }
    } catch (IOException | InterruptedException e) {
      // One end is gone, so is the other.
    } finally {
      sockets.remove(from);
      sockets.remove(to);
    }
  }

  private void start(Runnable work) {
    Thread thread = new Thread(work, "relay");
    thread.setDaemon(true);
    thread.start();
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    thaw();
    listener.close();
    dropAll();
  }
}

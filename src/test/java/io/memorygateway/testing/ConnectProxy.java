package io.memorygateway.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ServerSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP proxy on loopback: it opens tunnels (CONNECT), and passes on requests for whole URLs. Or,
 * in front of a port, the end of TLS.
 */
public final class ConnectProxy implements AutoCloseable {
  private final ServerSocket listener;
  private final int target;
  private final List<String> heads = new CopyOnWriteArrayList<>();
  private final Queue<Socket> open = new ConcurrentLinkedQueue<>();
  private volatile @Nullable String refusal;

  private ConnectProxy(ServerSocketFactory sockets, int target) throws IOException {
    this.listener = sockets.createServerSocket(0, 1024, InetAddress.getLoopbackAddress());
    this.target = target;
    daemon(this::accept);
  }

  public static ConnectProxy start() throws IOException {
    return new ConnectProxy(ServerSocketFactory.getDefault(), 0);
  }

  /** Decrypts what it receives and passes it on to a port. */
  public static ConnectProxy tls(ServerSocketFactory sockets, int target) throws IOException {
    return new ConnectProxy(sockets, target);
  }

  public int port() {
    return listener.getLocalPort();
  }

  /** Refuses with this status line from now on; null: no more. */
  public void refuse(@Nullable String status) {
    refusal = status;
  }

  /** Heads of requests for the proxy itself, and forgets them. */
  public List<String> takeHeads() {
    List<String> all = List.copyOf(heads);
    heads.clear();
    return all;
  }

  /** Closes all connections: the next call makes a new one. */
  public void closeConnections() throws IOException {
    for (Socket socket = open.poll(); socket != null; socket = open.poll()) {
      socket.close();
    }
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listener.accept();
        open.add(client);
        daemon(() -> serve(client));
      }
    } catch (IOException e) {
      // It was closed.
    }
  }

  private void serve(Socket client) {
    try (client) {
      InputStream in = client.getInputStream();
      if (target > 0) {
        relay(client, new Socket(InetAddress.getLoopbackAddress(), target), new byte[0]);
        return;
      }
      String head = head(in);
      heads.add(head);
      if (refusal != null) {
        client
            .getOutputStream()
            .write(
                bytes(
                    "HTTP/1.1 " + refusal + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"));
        // The client closes: closed here, before it has sent all, it might never see the answer.
        in.transferTo(OutputStream.nullOutputStream());
        return;
      }
      String[] line = head.substring(0, head.indexOf("\r\n")).split(" ", 3);
      boolean tunnel = line[0].equals("CONNECT");
      URI uri = URI.create(tunnel ? "http://" + line[1] : line[1]);
      Socket server = new Socket(uri.getHost(), uri.getPort());
      if (tunnel) {
        client.getOutputStream().write(bytes("HTTP/1.1 200 OK\r\n\r\n"));
        relay(client, server, new byte[0]);
      } else {
        relay(client, server, bytes(head.replace(line[1], uri.getRawPath())));
      }
    } catch (IOException e) {
      // One of the two left.
    }
  }

  private void relay(Socket client, Socket server, byte[] first) throws IOException {
    open.add(server);
    try (server) {
      server.getOutputStream().write(first);
      daemon(() -> copy(server, client));
      copy(client, server);
    }
  }

  private static void copy(Socket from, Socket to) {
    try (from;
        to) {
      OutputStream out = to.getOutputStream();
      from.getInputStream().transferTo(out);
    } catch (IOException e) {
      // One of the two left.
    }
  }

  /** Reads byte by byte up to the blank line: what follows is the tunnel's. */
  private static String head(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int b = in.read();
      if (b < 0) {
        throw new IOException("the client left");
      }
      head.append((char) b);
    }
    return head.toString();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static void daemon(Runnable run) {
    Thread thread = new Thread(run, "connect-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    closeConnections();
  }
}

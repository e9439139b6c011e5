package io.memorygateway.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;

/** A loopback port that neither accepts nor refuses: its backlog is full, connecting times out. */
public final class BlackHole implements AutoCloseable {
  private final ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  private final List<Socket> waiting = new ArrayList<>();

  public BlackHole() throws IOException {
    // One that is late on a busy machine does not say that there is no room.
    for (int inVain = 0; inVain < 3; ) {
      Socket socket = new Socket();
      waiting.add(socket);
      try {
        socket.connect(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), listener.getLocalPort()), 200);
        inVain = 0;
      } catch (SocketTimeoutException e) {
        inVain++;
      }
    }
  }

  public int port() {
    return listener.getLocalPort();
  }

  @Override
  public void close() throws IOException {
    for (Socket socket : waiting) {
      socket.close();
    }
    listener.close();
  }
}

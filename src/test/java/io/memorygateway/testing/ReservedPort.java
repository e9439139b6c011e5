package io.memorygateway.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * A loopback port that the kernel gives to nobody until this is closed, and that a server may
 * listen on which is told its number. Until one does, connecting is refused.
 */
public final class ReservedPort implements AutoCloseable {
  /** Bound, and not listening: who allows the reuse of addresses, as servers do, may listen. */
  private final Socket holder = new Socket();

  public ReservedPort() throws IOException {
    holder.setReuseAddress(true);
    holder.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  public int number() {
    return holder.getLocalPort();
  }

  @Override
  public void close() throws IOException {
    holder.close();
  }
}

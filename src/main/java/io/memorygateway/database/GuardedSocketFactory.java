package io.memorygateway.database;

import com.mysql.cj.conf.PropertyKey;
import com.mysql.cj.conf.PropertySet;
import com.mysql.cj.protocol.StandardSocketFactory;
import java.io.IOException;
import java.net.Socket;

/**
 * Makes sockets for the driver, by its property {@code socketFactory}, that hold to its timeouts in
 * every state: see {@link GuardedSocket}. A server that accepts a connection and then says nothing
 * is given up after the time to connect, not after the time for an answer.
 */
public final class GuardedSocketFactory extends StandardSocketFactory {
  /** Even where it takes less to connect: a busy server's handshake is some work. */
  private static final int LEAST_HANDSHAKE_MILLIS = 2000;

  private int handshakeMillis;

  @Override
  protected Socket createSocket(PropertySet properties) {
    int connectMillis = properties.getIntegerProperty(PropertyKey.connectTimeout).getValue();
    handshakeMillis = connectMillis == 0 ? 0 : Math.max(connectMillis, LEAST_HANDSHAKE_MILLIS);
    return new GuardedSocket();
  }

  @Override
  public void beforeHandshake() throws IOException {
    super.beforeHandshake(); // notes the timeout that is restored after the handshake
    int answerMillis = rawSocket.getSoTimeout();
    if (handshakeMillis > 0 && (answerMillis == 0 || handshakeMillis < answerMillis)) {
      rawSocket.setSoTimeout(handshakeMillis);
    }
  }
}

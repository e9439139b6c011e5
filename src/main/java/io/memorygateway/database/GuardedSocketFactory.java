package io.memorygateway.database;

import com.mysql.cj.conf.PropertyKey;
import com.mysql.cj.conf.PropertySet;
import com.mysql.cj.protocol.StandardSocketFactory;
import java.io.IOException;
import java.net.Socket;

/**
 * Socket factory for the driver, set by its property {@code socketFactory}, whose sockets keep its
 * timeouts in every state: see {@link GuardedSocket}. A server that accepts a connection and then
 * sends nothing is given up after the connect timeout, not after the timeout of an answer.
 */
public final class GuardedSocketFactory extends StandardSocketFactory {
  /** Shortest timeout of the handshake, which takes some work on a busy server. */
  private static final int MIN_HANDSHAKE_MILLIS = 2000;

  private int handshakeMillis;

  @Override
  protected Socket createSocket(PropertySet properties) {
    int connectMillis = properties.getIntegerProperty(PropertyKey.connectTimeout).getValue();
    handshakeMillis = connectMillis == 0 ? 0 : Math.max(connectMillis, MIN_HANDSHAKE_MILLIS);
    return new GuardedSocket();
  }

  @Override
  public void beforeHandshake() throws IOException {
    super.beforeHandshake(); // records the timeout that is restored after the handshake
    int answerMillis = rawSocket.getSoTimeout();
    if (handshakeMillis > 0 && (answerMillis == 0 || handshakeMillis < answerMillis)) {
      rawSocket.setSoTimeout(handshakeMillis);
    }
  }
}

package io.memorygateway.database;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Socket whose timeouts are final: a read that times out closes it, so that an orderly close of TLS
 * on top of it does not wait either; and a write that the peer does not take times out as well,
 * which never happens with Java's own sockets. It also makes the driver send times to MariaDB 10
 * with their milliseconds.
 */
final class GuardedSocket extends Socket {
  /** Bytes that fit into the buffers of a connection whose peer does not read at all. */
  private static final int BUFFERED = 64 << 10;

  /**
   * Begin of the version by which MariaDB 10 greets, before its own. The driver takes the server
   * for a MySQL that knows no parts of seconds.
   */
  private static final byte[] OLD_VERSION = "5.5".getBytes(StandardCharsets.US_ASCII);

  /** Where the version stands: behind a header of four bytes and the number of the protocol. */
  private static final int VERSION_AT = 5;

  private volatile long unanswered;

  /** Bytes of the greeting that were looked at. */
  private int greeted;

  @Override
  public InputStream getInputStream() throws IOException {
    return new TimeoutInput(super.getInputStream());
  }

  @Override
  public OutputStream getOutputStream() throws IOException {
    return new TimeoutOutput(super.getOutputStream());
  }

  /** Makes 5.5 in the server's greeting 5.6. */
  private void readGreeting(byte[] bytes, int offset, int length) {
    int end = VERSION_AT + OLD_VERSION.length;
    for (int i = offset; i < offset + length && greeted < end; i++) {
      if (greeted >= VERSION_AT && bytes[i] != OLD_VERSION[greeted - VERSION_AT]) {
        greeted = end;
      } else if (++greeted == end) {
        bytes[i] = '6';
      }
    }
  }

  private void abort() {
    try {
      close();
    } catch (IOException ignored) {
      // The socket cannot be used either way.
    }
  }

  private final class TimeoutInput extends FilterInputStream {
    TimeoutInput(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      try {
        int read = in.read(bytes, offset, length);
        unanswered = 0;
        readGreeting(bytes, offset, read);
        return read;
      } catch (SocketTimeoutException e) {
        abort();
        throw e;
      }
    }
  }

  private final class TimeoutOutput extends FilterOutputStream {
    TimeoutOutput(OutputStream out) {
      super(out);
    }

    @Override
    public void write(int one) throws IOException {
      write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      long pending = unanswered + length;
      unanswered = pending;
      int millis = getSoTimeout();
      if (pending <= BUFFERED || millis == 0) {
        out.write(bytes, offset, length);
        return;
      }
      CompletableFuture<Void> sent = new CompletableFuture<>();
      var unused =
          sent.orTimeout(millis, TimeUnit.MILLISECONDS)
              .exceptionally(
                  late -> {
                    abort();
                    return null;
                  });
      try {
        out.write(bytes, offset, length);
      } finally {
        sent.complete(null);
      }
    }
  }
}

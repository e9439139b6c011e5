package io.memorygateway.database;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Socket whose timeouts are final: a read that times out closes it, so that an orderly close of TLS
 * on top of it does not wait either; and a write that the peer does not take times out as well,
 * which never happens with Java's own sockets.
 */
final class GuardedSocket extends Socket {
  /** Bytes that fit into the buffers of a connection whose peer does not read at all. */
  private static final int BUFFERED = 64 << 10;

  private volatile long unanswered;

  @Override
  public InputStream getInputStream() throws IOException {
    return new TimeoutInput(super.getInputStream());
  }

  @Override
  public OutputStream getOutputStream() throws IOException {
    return new TimeoutOutput(super.getOutputStream());
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

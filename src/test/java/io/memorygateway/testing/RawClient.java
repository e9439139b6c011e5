package io.memorygateway.testing;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PushbackInputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A client that says exactly what the test says, for what no HTTP client sends. */
public final class RawClient implements AutoCloseable {
  private final Socket socket;
  private final PushbackInputStream in;

  public RawClient(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout((int) TestTimeout.DEFAULT.toMillis());
    in = new PushbackInputStream(socket.getInputStream());
  }

  public RawClient send(String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    return this;
  }

  /** A POST of JSON with a key, on a connection that stays open. */
  public RawClient post(String path, String key, String json) throws IOException {
    byte[] body = json.getBytes(StandardCharsets.UTF_8);
    send(
        "POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
            .formatted(path, key, body.length));
    socket.getOutputStream().write(body);
    return this;
  }

  /** Reads until the text has come. */
  public String readUntil(String text) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    while (!all.toString(StandardCharsets.UTF_8).endsWith(text)) {
      int b = in.read();
      if (b < 0) {
        throw new AssertionError("closed after: " + all.toString(StandardCharsets.UTF_8));
      }
      all.write(b);
    }
    return all.toString(StandardCharsets.UTF_8);
  }

  /** Waits for the next byte, which stays to be read, or for the server to close. */
  public boolean atEnd() throws IOException {
    int b = in.read();
    if (b >= 0) {
      in.unread(b);
    }
    return b < 0;
  }

  /** Reads until the server closes. */
  public String readAll() throws IOException {
    return new String(in.readAllBytes(), StandardCharsets.UTF_8);
  }

  /** One answer with a Content-Length, head and body. */
  public String readAnswer() throws IOException {
    String head = readUntil("\r\n\r\n");
    String lower = head.toLowerCase(java.util.Locale.ROOT);
    int at = lower.indexOf("content-length: ");
    if (at < 0) {
      throw new AssertionError("an answer without a Content-Length: " + head);
    }
    int length = Integer.parseInt(lower.substring(at + 16, lower.indexOf('\r', at)));
    return head + new String(in.readNBytes(length), StandardCharsets.UTF_8);
  }

  /** Closes the sending half: FIN, while answers may still be read. */
  public void shutdownOutput() throws IOException {
    socket.shutdownOutput();
  }

  /** Closes with FIN. */
  @Override
  public void close() throws IOException {
    socket.close();
  }

  /** Closes with RST. */
  public void reset() throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }
}

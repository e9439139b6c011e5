package io.memorygateway.bench;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/** One connection, with as little work for a request as can be: the load shares the machine. */
final class BenchClient implements AutoCloseable {
  private final Socket socket;
  private final InputStream in;
  private final byte[] line = new byte[8192];

  BenchClient(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    in = new BufferedInputStream(socket.getInputStream(), 64 << 10);
  }

  static byte[] get(String key, String path) {
    return ("GET " + path + " HTTP/1.1\r\nHost: b\r\nAuthorization: Bearer " + key + "\r\n\r\n")
        .getBytes(StandardCharsets.ISO_8859_1);
  }

  /** A POST, with further header lines that end each with CR LF. */
  static byte[] post(String key, String path, String headers, String body) {
    return request("POST", key, path, headers, body);
  }

  static byte[] request(String method, String key, String path, String headers, String body) {
    return (method
            + " "
            + path
            + " HTTP/1.1\r\nHost: b\r\nAuthorization: Bearer "
            + key
            + "\r\nContent-Type: application/json\r\n"
            + headers
            + "Content-Length: "
            + body.length()
            + "\r\n\r\n"
            + body)
        .getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Sends a request and reads the answer, which has to be a good one with a length. */
  void call(byte[] request) throws IOException {
    socket.getOutputStream().write(request);
    String status = readLine();
    long length = -1;
    for (String header = readLine(); !header.isEmpty(); header = readLine()) {
      if (header.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
        length = Long.parseLong(header.substring(15).trim());
      }
    }
    in.skipNBytes(Math.max(length, 0));
    if (!status.startsWith("HTTP/1.1 20") || length < 0) {
      throw new IOException(status);
    }
  }

  static void sleepUntil(long nanoTime) {
    for (long left = nanoTime - System.nanoTime(); left > 0; left = nanoTime - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  private String readLine() throws IOException {
    int length = 0;
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new IOException("closed");
      }
      line[length++] = (byte) b;
    }
    return new String(line, 0, Math.max(length - 1, 0), StandardCharsets.ISO_8859_1);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}

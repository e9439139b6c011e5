package io.memorygateway.testing;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PushbackInputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** One accepted connection of a {@link FakeUpstream}: request after request, until either ends. */
final class FakeConnection {
  /** The first byte of a handshake's record. */
  private static final int TLS_HANDSHAKE = 22;

  private final FakeUpstream upstream;
  private final Socket socket;
  private final int number;

  FakeConnection(FakeUpstream upstream, Socket socket, int number) {
    this.upstream = upstream;
    this.socket = socket;
    this.number = number;
  }

  void serve() {
    try {
      PushbackInputStream in =
          new PushbackInputStream(new BufferedInputStream(socket.getInputStream()));
      if (isTls(in)) {
        refuse(in);
        return;
      }
      for (RecordedRequest request = read(in); request != null; request = read(in)) {
        if (!answer(new Exchange(request, socket), in)) {
          return;
        }
      }
    } catch (IOException e) {
      // The client closed or reset an idle connection, or sent half a request: nothing to answer.
    }
  }

  /** Whether the client begins with a handshake. */
  private static boolean isTls(PushbackInputStream in) throws IOException {
    int first = in.read();
    if (first >= 0) {
      in.unread(first);
    }
    return first == TLS_HANDSHAKE;
  }

  /** Answers as a server of plain HTTP does, and reads on: a close with bytes unread is a reset. */
  private void refuse(InputStream in) throws IOException {
    byte[] answer = "HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    socket.getOutputStream().write(answer);
    socket.shutdownOutput();
    in.transferTo(OutputStream.nullOutputStream());
  }

  /** True if the connection may carry another request. */
  private boolean answer(Exchange exchange, PushbackInputStream in) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    Thread writer =
        new Thread(
            () -> {
              try {
                upstream.next(exchange.request()).write(exchange);
              } catch (IOException e) {
                leave(exchange);
              } catch (RuntimeException | Error e) {
                upstream.fault(e);
                leave(exchange);
              } finally {
                done.complete(null);
              }
            },
            Thread.currentThread().getName() + "-answer");
    writer.setDaemon(true);
    writer.start();
    try {
      // Blocks until the next request comes or the client closes, whichever the answer is doing.
      int next = in.read();
      if (next >= 0) {
        in.unread(next);
        done.join();
        return !socket.isClosed();
      }
    } catch (IOException e) {
      // Reset by the client, or closed by the answer itself.
    }
    // An answer that still waits or writes fails now, and that is what tells that the client left
    // too early: one that was just complete does not.
    writer.interrupt();
    done.join();
    return false;
  }

  /** A write failed: the client is gone, unless the answer itself or the test closed the socket. */
  private void leave(Exchange exchange) {
    if (!exchange.closing() && !socket.isClosed()) {
      exchange.clientLeft().complete(null);
    }
    try {
      socket.close();
    } catch (IOException e) {
      // Closed already.
    }
  }

  private RecordedRequest read(InputStream in) throws IOException {
    String line = line(in);
    if (line == null) {
      return null;
    }
    String[] parts = line.split(" ", 3);
    if (parts.length < 3) {
      throw new IOException("not a request line: " + line);
    }
    Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (String field = line(in); field != null && !field.isEmpty(); field = line(in)) {
      int colon = field.indexOf(':');
      headers
          .computeIfAbsent(field.substring(0, colon), name -> new ArrayList<>())
          .add(field.substring(colon + 1).strip());
    }
    byte[] body;
    if (headers.containsKey("Transfer-Encoding")) {
      body = chunks(in);
    } else {
      List<String> length = headers.getOrDefault("Content-Length", List.of("0"));
      body = exactly(in, Integer.parseInt(length.get(0)));
    }
    return new RecordedRequest(
        number, parts[0], parts[1], headers, body, new CompletableFuture<>());
  }

  private static byte[] chunks(InputStream in) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    while (true) {
      String head = line(in);
      if (head == null) {
        throw new EOFException();
      }
      int size = Integer.parseInt(head.split(";", 2)[0].strip(), 16);
      body.write(exactly(in, size));
      if (size == 0) {
        String trailer = line(in);
        while (trailer != null && !trailer.isEmpty()) {
          trailer = line(in);
        }
        return body.toByteArray();
      }
      line(in);
    }
  }

  private static byte[] exactly(InputStream in, int length) throws IOException {
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new EOFException();
    }
    return bytes;
  }

  /** A line without its end; null at the end of the stream. */
  private static String line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream(128);
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        if (line.size() == 0) {
          return null;
        }
        throw new EOFException();
      }
      if (b != '\r') {
        line.write(b);
      }
    }
    return line.toString(StandardCharsets.ISO_8859_1);
  }
}

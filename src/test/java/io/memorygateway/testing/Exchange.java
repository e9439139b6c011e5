package io.memorygateway.testing;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One request and the wire its answer goes to. Every method that writes or waits ends with an
 * IOException once the client has left.
 */
public final class Exchange {
  private final RecordedRequest request;
  private final Socket socket;
  private final OutputStream out;
  private final AtomicLong written = new AtomicLong();
  private volatile boolean closing;

  Exchange(RecordedRequest request, Socket socket) throws IOException {
    this.request = request;
    this.socket = socket;
    this.out = socket.getOutputStream();
  }

  public RecordedRequest request() {
    return request;
  }

  /** Puts bytes on the wire, whole, before it returns: blocks while the client does not read. */
  public Exchange send(byte[] bytes) throws IOException {
    out.write(bytes);
    written.addAndGet(bytes.length);
    return this;
  }

  public Exchange send(String text) throws IOException {
    return send(text.getBytes(StandardCharsets.UTF_8));
  }

  /** One chunk of a chunked body. */
  public Exchange chunk(String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    byte[] size = (Integer.toHexString(bytes.length) + "\r\n").getBytes(StandardCharsets.US_ASCII);
    byte[] all = new byte[size.length + bytes.length + 2];
    System.arraycopy(size, 0, all, 0, size.length);
    System.arraycopy(bytes, 0, all, size.length, bytes.length);
    all[all.length - 2] = '\r';
    all[all.length - 1] = '\n';
    return send(all);
  }

  public Exchange lastChunk() throws IOException {
    return send("0\r\n\r\n");
  }

  /** Bytes that the kernel has taken so far. */
  public long written() {
    return written.get();
  }

  /** Waits until the test releases a permit. */
  public Exchange await(Semaphore gate) throws IOException {
    try {
      gate.acquire();
      return this;
    } catch (InterruptedException e) {
      throw new IOException("the client left", e);
    }
  }

  /** Says nothing until the client leaves. */
  public void awaitClientLeft() throws IOException {
    await(new Semaphore(0));
  }

  /** Closes with RST: the client's next read or write fails with "connection reset". */
  public void reset() throws IOException {
    closing = true;
    socket.setSoLinger(true, 0);
    socket.close();
  }

  /** Closes in order, with FIN. */
  public void close() throws IOException {
    closing = true;
    socket.close();
  }

  boolean closing() {
    return closing;
  }

  CompletableFuture<Void> clientLeft() {
    return request.clientLeft();
  }
}

package io.memorygateway.tracing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A collector on loopback that decodes what it receives over OTLP/HTTP. */
final class TraceReceiver implements BeforeEachCallback, AfterAllCallback {
  /** What was received at once. */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  record Export(String path, String key, byte[] body) {}

  private final HttpServer server;
  private final List<Export> exports = new CopyOnWriteArrayList<>();
  private volatile CountDownLatch held = new CountDownLatch(0);

  TraceReceiver() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.setExecutor(
          Executors.newCachedThreadPool(
              work -> {
                Thread thread = new Thread(work, "trace-receiver");
                thread.setDaemon(true);
                return thread;
              }));
      server.createContext("/", this::receive);
      server.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void receive(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readAllBytes();
      held.await();
      exports.add(
          new Export(
              exchange.getRequestURI().getPath(),
              String.valueOf(exchange.getRequestHeaders().getFirst("x-collector-key")),
              body));
      exchange.getResponseHeaders().add("Content-Type", "application/x-protobuf");
      exchange.sendResponseHeaders(200, -1);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  List<Export> exports() {
    return List.copyOf(exports);
  }

  List<ReceivedSpan> spans() {
    List<ReceivedSpan> spans = new ArrayList<>();
    exports.forEach(export -> spans.addAll(ReceivedSpan.of(export.body)));
    return spans;
  }

  /** Answers nothing until the next test. */
  void hang() {
    held = new CountDownLatch(1);
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    held.countDown();
    held = new CountDownLatch(0);
    exports.clear();
  }

  @Override
  public void afterAll(ExtensionContext context) {
    held.countDown();
    server.stop(0);
  }
}

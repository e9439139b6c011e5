package io.memorygateway.testing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Semaphore;

/**
 * What a {@link FakeUpstream} does with one request. A lambda over the {@link Exchange} may do
 * anything; the factories are what tests need most. After {@link #write} returns the connection is
 * kept for the next request, unless the answer closed it.
 */
@FunctionalInterface
public interface Answer {
  void write(Exchange exchange) throws IOException;

  static HttpAnswer json(String body) {
    return json(200, body);
  }

  static HttpAnswer json(int status, String body) {
    return HttpAnswer.of(status, "application/json", body);
  }

  /** An error in the shape that OpenAI and others use: {@code {"error":{message,type,code}}}. */
  static HttpAnswer error(int status, String type, String message) {
    return json(
        status,
        "{\"error\":{\"message\":\"%s\",\"type\":\"%s\",\"param\":null,\"code\":null}}"
            .formatted(message, type));
  }

  /** A page of HTML, as a proxy or a captive portal in between sends it. */
  static HttpAnswer html(int status) {
    return HttpAnswer.of(
        status, "text/html", "<html><head><title>Hello</title></head><body>portal</body></html>");
  }

  /**
   * A complete event stream, chunked; each event is one write.
   *
   * @param events whole events, their blank line included
   */
  static Answer sse(List<String> events) {
    return sse(events, new Semaphore(Integer.MAX_VALUE));
  }

  /** An event stream that waits before each event, the first too, for a permit of the test. */
  static Answer sse(List<String> events, Semaphore gate) {
    return exchange -> {
      sseHead(exchange);
      for (String event : events) {
        exchange.await(gate).chunk(event);
      }
      exchange.lastChunk();
    };
  }

  /** Begins an event stream, sends these events (or parts of one), and then does something else. */
  static Answer sseThen(List<String> events, Answer then) {
    return exchange -> {
      sseHead(exchange);
      for (String event : events) {
        exchange.chunk(event);
      }
      then.write(exchange);
    };
  }

  /** Takes the request and never sends a byte. */
  static Answer hang() {
    return Exchange::awaitClientLeft;
  }

  /** RST instead of an answer. */
  static Answer reset() {
    return Exchange::reset;
  }

  /** FIN instead of an answer. */
  static Answer close() {
    return Exchange::close;
  }

  /** Bytes as they stand, then something else: half a status line, garbage, a body cut short. */
  static Answer rawThen(String bytes, Answer then) {
    return exchange -> then.write(exchange.send(bytes));
  }

  /** Not HTTP at all. */
  static Answer garbage() {
    return rawThen("\u0016\u0003\u0001 SSH-2.0-nonsense\r\n\r\n", close());
  }

  /** RST in the middle of the status line. */
  static Answer resetInStatusLine() {
    return rawThen("HTTP/1.1 20", reset());
  }

  /** RST after the headers of a JSON answer, before its body. */
  static Answer resetAfterHeaders() {
    return rawThen(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n",
        reset());
  }

  /** RST in the middle of a JSON body of known length. */
  static Answer resetInBody() {
    return rawThen(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"id\":",
        reset());
  }

  /** A chunked JSON body that ends, in order, in the middle of a chunk. */
  static Answer closeInChunk() {
    return rawThen(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "40\r\n{\"id\":",
        close());
  }

  /** A good JSON body that ends with the connection, as HTTP/1.0 servers do it. */
  static Answer closeDelimited(String body) {
    return rawThen(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n" + body,
        close());
  }

  /** The same, once the test releases a permit. */
  default Answer after(Semaphore gate) {
    return exchange -> write(exchange.await(gate));
  }

  /** The same, and then, without notice, FIN: the client finds its kept connection dead. */
  default Answer thenClose() {
    return exchange -> {
      write(exchange);
      exchange.close();
    };
  }

  private static void sseHead(Exchange exchange) throws IOException {
    exchange.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n");
    exchange.send("Transfer-Encoding: chunked\r\n\r\n");
  }

  /** A plain answer with a length. */
  record HttpAnswer(int status, List<String> headers, String body) implements Answer {

    static HttpAnswer of(int status, String contentType, String body) {
      return new HttpAnswer(status, List.of("Content-Type: " + contentType), body);
    }

    /** One more header; the same name again is a second line. */
    public HttpAnswer header(String name, String value) {
      List<String> all = new java.util.ArrayList<>(headers);
      all.add(name + ": " + value);
      return new HttpAnswer(status, List.copyOf(all), body);
    }

    @Override
    public void write(Exchange exchange) throws IOException {
      StringBuilder head = new StringBuilder("HTTP/1.1 " + status + " Status\r\n");
      headers.forEach(line -> head.append(line).append("\r\n"));
      int length = body.getBytes(StandardCharsets.UTF_8).length;
      head.append("Content-Length: ").append(length).append("\r\n\r\n");
      exchange.send(head + body);
    }
  }
}

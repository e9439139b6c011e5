package io.memorygateway.proxy.upstream;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.memorygateway.proxy.upstream.UpstreamFailure.Kind;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.Request;
import org.junit.jupiter.api.Test;

class UpstreamExchangeTest {
  private static final long LONG_MILLIS = Duration.ofMinutes(10).toMillis();

  @Test
  void whoGivesUpDoesNotWaitForAConnectionThatSaysNothing() throws Exception {
    CompletableFuture<Void> waiting = new CompletableFuture<>();
    UpstreamExchange exchange =
        UpstreamExchange.send(silent(), false, 100, more -> true, () -> waiting.complete(null));
    CompletableFuture<UpstreamFailure> failure =
        CompletableFuture.supplyAsync(
            () -> catchThrowableOfType(UpstreamFailure.class, () -> exchange.head(LONG_MILLIS)));
    waiting.join();
    exchange.cancel(Kind.STOPPED);
    assertThat(failure.orTimeout(1, TimeUnit.MINUTES).join().kind()).isEqualTo(Kind.STOPPED);
  }

  @Test
  void heapForAnAnswerIsReservedWhenItsHeadSaysHowLongItIs() throws Exception {
    HttpClient client = new HttpClient();
    client.start();
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      List<Integer> asked = new CopyOnWriteArrayList<>();
      UpstreamExchange exchange =
          UpstreamExchange.send(
              client.newRequest("http://127.0.0.1:" + server.getLocalPort()),
              false,
              5000,
              more -> !asked.add(more),
              () -> {});
      try (Socket socket = server.accept()) {
        // Not before the request: the client takes nothing from an upstream that was asked nothing.
        assertThat(socket.getInputStream().read()).isEqualTo('G');
        String half = "HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\n{";
        socket.getOutputStream().write(half.getBytes(US_ASCII));

        UpstreamFailure failure = catchThrowableOfType(UpstreamFailure.class, () -> read(exchange));

        assertThat(failure.kind()).isEqualTo(Kind.NO_ROOM);
        assertThat(asked).containsExactly(4000);
      }
    } finally {
      client.stop();
    }
  }

  private static byte[] read(UpstreamExchange exchange)
      throws UpstreamFailure, InterruptedException {
    exchange.head(LONG_MILLIS);
    return exchange.readAll(LONG_MILLIS, LONG_MILLIS);
  }

  /** Of a connection that neither answers nor tells that it was closed. */
  private static Request silent() {
    return (Request)
        Proxy.newProxyInstance(
            Request.class.getClassLoader(),
            new Class<?>[] {Request.class},
            (proxy, method, args) ->
                method.getName().equals("abort") ? CompletableFuture.completedFuture(false) : null);
  }
}

package io.memorygateway.proxy.upstream;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.junit.jupiter.api.Test;

class UpstreamNamesTest {
  /** A name server that does not answer would else hold up the answers of all providers. */
  @Test
  void noThreadThatProvidersShareAsksForAddresses() throws Exception {
    List<String> work = new CopyOnWriteArrayList<>();
    ExecutorService shared = Executors.newCachedThreadPool();
    ScheduledExecutorScheduler scheduler = new ScheduledExecutorScheduler();
    scheduler.start();
    Duration minute = Duration.ofMinutes(1);
    Upstream upstream =
        new Upstream(
            new Upstream.Way(null, null),
            new Upstream.Limits(minute, minute, minute, 8),
            minute,
            task -> {
              work.add(task.getClass().getName());
              shared.execute(task);
            },
            scheduler,
            new StreamScheduler(1, System::nanoTime));
    upstream.start();
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      UpstreamExchange exchange =
          upstream.get(
              URI.create("http://localhost:" + server.getLocalPort()), HttpFields.EMPTY, 100);
      try (Socket socket = server.accept()) {
        socket.getInputStream().read();
        socket.getOutputStream().write("HTTP/1.1 204 No Content\r\n\r\n".getBytes(US_ASCII));
        assertThat(exchange.head(minute.toMillis()).getStatus()).isEqualTo(204);
      }
      assertThat(work).isNotEmpty().noneMatch(task -> task.contains("SocketAddressResolver"));
    } finally {
      upstream.stop();
      scheduler.stop();
      shared.shutdown();
    }
  }
}

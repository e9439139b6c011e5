package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.memorygateway.proxy.UpstreamFailure.Kind;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.client.Request;
import org.junit.jupiter.api.Test;

class UpstreamExchangeTest {
  private static final long LONG_MILLIS = Duration.ofMinutes(10).toMillis();

  @Test
  void whoGivesUpDoesNotWaitForAConnectionThatSaysNothing() throws Exception {
    CompletableFuture<Void> waiting = new CompletableFuture<>();
    UpstreamExchange exchange =
        UpstreamExchange.send(silent(), 100, more -> true, () -> waiting.complete(null));
    CompletableFuture<UpstreamFailure> failure =
        CompletableFuture.supplyAsync(
            () -> catchThrowableOfType(UpstreamFailure.class, () -> exchange.head(LONG_MILLIS)));
    waiting.join();
    exchange.cancel(Kind.STOPPED);
    assertThat(failure.orTimeout(1, TimeUnit.MINUTES).join().kind()).isEqualTo(Kind.STOPPED);
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

package io.memorygateway.faults;

import io.memorygateway.testing.Answer;
import io.memorygateway.testing.CannedReplies;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RecordedRequest;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;

/**
 * A provider on loopback whose model selects what it does wrong; any other model is answered well.
 * It serves Chat Completions, Messages and Responses below any prefix, and may stand behind any
 * gateway.
 */
final class FaultyProvider {
  private FaultyProvider() {}

  /**
   * Serves until it is stopped, and prints its address.
   *
   * @param arguments the port (0: any free one) and the milliseconds between two tokens of a slow
   *     answer
   */
  public static void main(String[] arguments) throws InterruptedException {
    int port = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 0;
    long slowMillis = arguments.length > 1 ? Long.parseLong(arguments[1]) : 1000;
    FakeUpstream provider = FakeUpstream.start(port).answer(script(slowMillis));
    System.out.println(provider.url());
    System.out.flush();
    new CountDownLatch(1).await();
  }

  /** What it answers. */
  static Function<RecordedRequest, Answer> script(long slowMillis) {
    return request ->
        request.body().length == 0
            ? Answer.json(404, "{}")
            : ProviderFault.ofModel(request.json().path("model").asText())
                .map(fault -> fault.answer(request, slowMillis))
                .orElseGet(() -> CannedReplies.answer(request));
  }
}

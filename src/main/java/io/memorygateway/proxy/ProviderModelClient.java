package io.memorygateway.proxy;

import io.memorygateway.dialect.Dialect;
import io.memorygateway.dialect.MalformedAnswerException;
import io.memorygateway.dialect.Usage;
import io.memorygateway.http.ApiException;
import io.memorygateway.observation.ModelClient;
import io.memorygateway.observation.ModelFailureException;
import io.memorygateway.observation.ModelFailureException.Reason;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.client.Response;
import org.jspecify.annotations.Nullable;

/**
 * A client of the providers' models for the gateway itself, with the configured keys, on whichever
 * endpoint the provider serves.
 */
final class ProviderModelClient implements ModelClient {
  private static final List<Endpoint> ENDPOINTS =
      List.of(Endpoint.CHAT, Endpoint.MESSAGES, Endpoint.RESPONSES);
  private static final Set<Integer> RETRYABLE_STATUSES = Set.of(408, 409, 425, 429);
  private static final int MAX_ANSWER_BYTES = 8 << 20;

  private final Router router;

  ProviderModelClient(Router router) {
    this.router = router;
  }

  /** Whether a provider serves the model, as things are configured. */
  boolean serves(String model) {
    return endpoint(model) != null;
  }

  @Override
  public Completion complete(Request request) throws ModelFailureException, InterruptedException {
    Endpoint endpoint = endpoint(request.model());
    if (endpoint == null) {
      throw new ModelFailureException(Reason.REFUSED, "no provider serves it");
    }
    Target target = router.target(endpoint, request.model(), null);
    Dialect dialect = endpoint.dialect();
    byte[] question =
        dialect.question(
            target.model(),
            clean(request.system()),
            clean(request.text()),
            request.maxOutputTokens());
    long end = System.nanoTime() + request.timeLimit().toNanos();
    UpstreamExchange exchange =
        target
            .provider()
            .upstream()
            .post(
                target.provider().uri(endpoint, null),
                ForwardedHeaders.ofGateway(dialect, target.provider().keyHeader(null)),
                question,
                MAX_ANSWER_BYTES,
                more -> true,
                () -> {});
    try {
      Response head = exchange.head(left(end));
      if (UpstreamExchange.isEventStream(head)) {
        exchange.cancel();
        throw new ModelFailureException(Reason.UNAVAILABLE, "the answer is a stream");
      }
      long left = left(end);
      byte[] answer = exchange.readAll(left, left);
      checkStatus(head.getStatus());
      io.memorygateway.dialect.Completion said = dialect.completion(answer);
      Usage usage = said.usage();
      return new Completion(
          said.text(), said.truncated(), usage.inputTokens(), usage.outputTokens());
    } catch (UpstreamFailure failure) {
      exchange.cancel();
      Reason reason =
          failure.kind() == UpstreamFailure.Kind.TIMEOUT ? Reason.TIMEOUT : Reason.UNAVAILABLE;
      throw new ModelFailureException(reason, failure.kind().name());
    } catch (MalformedAnswerException e) {
      throw new ModelFailureException(Reason.UNAVAILABLE, "the answer is not JSON");
    } catch (InterruptedException e) {
      exchange.cancel();
      throw e;
    }
  }

  private @Nullable Endpoint endpoint(String model) {
    for (Endpoint endpoint : ENDPOINTS) {
      try {
        var unused = router.target(endpoint, model, null);
        return endpoint;
      } catch (ApiException e) {
        // the next one
      }
    }
    return null;
  }

  /** The text without halves of surrogate pairs, which UTF-8 cannot hold. */
  private static String clean(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
  }

  private static void checkStatus(int status) throws ModelFailureException {
    if (status < 200 || status > 299) {
      Reason reason =
          status >= 500 || RETRYABLE_STATUSES.contains(status)
              ? Reason.UNAVAILABLE
              : Reason.REFUSED;
      throw new ModelFailureException(reason, "status " + status);
    }
  }

  private static long left(long end) {
    return Math.max(0, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime()));
  }
}

package io.memorygateway.proxy.own;

import io.memorygateway.figures.Figure;
import io.memorygateway.figures.Figures;
import io.memorygateway.format.Format;
import io.memorygateway.format.answer.MalformedAnswerException;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.observation.text.ModelClient;
import io.memorygateway.observation.text.ModelFailureException;
import io.memorygateway.observation.text.ModelFailureException.Reason;
import io.memorygateway.proxy.call.TracedAnswer;
import io.memorygateway.proxy.route.Endpoint;
import io.memorygateway.proxy.route.Router;
import io.memorygateway.proxy.route.Target;
import io.memorygateway.proxy.upstream.UpstreamFailure;
import io.memorygateway.tracing.CallSpan;
import io.memorygateway.tracing.Tracing;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Client of the providers' models for the gateway itself, with the configured keys, on any endpoint
 * that the provider serves.
 */
public record ProviderModelClient(Router router, Tracing tracing) implements ModelClient {
  private static final Set<Integer> RETRYABLE_STATUSES = Set.of(408, 409, 425, 429);
  private static final int MAX_ANSWER_BYTES = 8 << 20;

  public boolean serves(String model) {
    return endpoint(model) != null;
  }

  @Override
  public Completion complete(Request request) throws ModelFailureException, InterruptedException {
    Endpoint endpoint = endpoint(request.model());
    if (endpoint == null) {
      throw new ModelFailureException(Reason.REFUSED, "no provider serves it");
    }
    Target target = router.target(endpoint, request.model(), null);
    Format format = endpoint.format();
    byte[] question =
        format.question(
            target.model(),
            clean(request.system()),
            clean(request.text()),
            request.shown(),
            request.maxOutputTokens());
    long endNanos = System.nanoTime() + request.timeLimit().toNanos();
    CallSpan span = tracing.own(GatewayCall.traced(target, endpoint), "observer");
    span.input(question);
    CallSpan.End end = CallSpan.End.failed("cancelled");
    try {
      Completion completion = complete(target, endpoint, question, endNanos, span);
      end = CallSpan.End.answered(completion.inputTokens(), completion.outputTokens());
      return completion;
    } catch (ModelFailureException e) {
      end = CallSpan.End.failed(e.reason().name().toLowerCase(Locale.ROOT));
      throw e;
    } finally {
      span.end(end);
    }
  }

  private static Completion complete(
      Target target, Endpoint endpoint, byte[] question, long endNanos, CallSpan span)
      throws ModelFailureException, InterruptedException {
    try {
      GatewayCall.Answer answer =
          GatewayCall.send(target, endpoint, question, MAX_ANSWER_BYTES, endNanos, span);
      if (answer.isStream()) {
        throw new ModelFailureException(Reason.UNAVAILABLE, "the answer is a stream");
      }
      checkStatus(answer.status());
      TracedAnswer.complete(span, answer.body());
      io.memorygateway.format.answer.Completion completion =
          endpoint.format().completion(answer.body());
      Figures usage = completion.usage();
      return new Completion(
          completion.text(),
          completion.truncated(),
          usage.get(Figure.INPUT_TOKENS),
          usage.get(Figure.OUTPUT_TOKENS));
    } catch (UpstreamFailure failure) {
      Reason reason =
          failure.kind() == UpstreamFailure.Kind.TIMEOUT ? Reason.TIMEOUT : Reason.UNAVAILABLE;
      throw new ModelFailureException(reason, failure.kind().name());
    } catch (MalformedAnswerException e) {
      throw new ModelFailureException(Reason.UNAVAILABLE, "the answer is not JSON");
    }
  }

  private @Nullable Endpoint endpoint(String model) {
    for (Endpoint endpoint : Endpoint.CONVERSATIONS) {
      try {
        var unused = router.target(endpoint, model, null);
        return endpoint;
      } catch (ApiException e) {
        // Not served under this name; the next endpoint may.
      }
    }
    return null;
  }

  /** The text without unpaired surrogates, which UTF-8 cannot encode. */
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
}

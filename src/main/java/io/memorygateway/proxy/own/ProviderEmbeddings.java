package io.memorygateway.proxy.own;

import io.memorygateway.embedding.EmbeddingAnswer;
import io.memorygateway.embedding.EmbeddingClient;
import io.memorygateway.embedding.EmbeddingFailureException;
import io.memorygateway.embedding.EmbeddingFailureException.Reason;
import io.memorygateway.proxy.route.Endpoint;
import io.memorygateway.proxy.route.ProviderConfiguration;
import io.memorygateway.proxy.route.RouteTable;
import io.memorygateway.proxy.route.Router;
import io.memorygateway.proxy.route.Target;
import io.memorygateway.proxy.upstream.UpstreamFailure;
import io.memorygateway.tracing.CallSpan;
import io.memorygateway.tracing.Tracing;
import java.util.Map;
import java.util.Set;

/** Client of the providers' embedding models for the gateway itself, with the configured keys. */
public record ProviderEmbeddings(Router router, Tracing tracing) implements EmbeddingClient {
  private static final int MAX_ANSWER_BYTES = 32 << 20;
  private static final int MAX_NAME_LENGTH = 255;

  /** Statuses that refuse the texts. */
  private static final Set<Integer> REFUSALS = Set.of(400, 413, 422);

  /**
   * Checks that the configuration has a provider that serves the model.
   *
   * @throws IllegalArgumentException with a one-line message for the operator
   */
  public static void check(String model, Map<String, ProviderConfiguration> providers) {
    String name = RouteTable.providerOf(model);
    ProviderConfiguration provider = providers.get(name);
    if (provider == null
        || name.length() + 1 >= model.length()
        || model.length() > MAX_NAME_LENGTH) {
      throw new IllegalArgumentException(
          "search.embeddingModel: must be provider/model, with one of the providers %s"
              .formatted(String.join(", ", providers.keySet())));
    }
    if (!provider.endpoints().contains(Endpoint.EMBEDDINGS)) {
      throw new IllegalArgumentException(
          "search.embeddingModel: the provider '%s' does not serve embeddings".formatted(name));
    }
    if (provider.apiKey() == null && provider.needsKey()) {
      throw new IllegalArgumentException(
          "search.embeddingModel: the provider '%s' has no key".formatted(name));
    }
  }

  @Override
  public Embeddings embed(Request request) throws EmbeddingFailureException, InterruptedException {
    long endNanos = System.nanoTime() + request.timeLimit().toNanos();
    Target target = router.target(Endpoint.EMBEDDINGS, request.model(), null);
    byte[] question =
        EmbeddingAnswer.question(target.model(), request.inputType(), request.texts());
    CallSpan span = tracing.own(GatewayCall.traced(target, Endpoint.EMBEDDINGS), "search");
    span.input(question);
    CallSpan.End end = CallSpan.End.failed("cancelled");
    try {
      Embeddings answer = embed(target, question, request.texts().size(), endNanos, span);
      end = CallSpan.End.answered(answer.inputTokens(), -1);
      return answer;
    } catch (EmbeddingFailureException e) {
      end = CallSpan.End.failed(e.reason().label());
      throw e;
    } finally {
      span.end(end);
    }
  }

  /** Why an answer of this status has no vectors. */
  static Reason reason(int status) {
    if (REFUSALS.contains(status)) {
      return Reason.REFUSED;
    }
    return status >= 500 ? Reason.ERROR : Reason.UNAVAILABLE;
  }

  /** Why there is no answer. */
  static Reason reason(UpstreamFailure.Kind kind) {
    return kind == UpstreamFailure.Kind.TIMEOUT ? Reason.TIMEOUT : Reason.UNAVAILABLE;
  }

  private static Embeddings embed(
      Target target, byte[] question, int texts, long endNanos, CallSpan span)
      throws EmbeddingFailureException, InterruptedException {
    try {
      GatewayCall.Answer answer =
          GatewayCall.send(target, Endpoint.EMBEDDINGS, question, MAX_ANSWER_BYTES, endNanos, span);
      if (!answer.isSuccess()) {
        throw new EmbeddingFailureException(reason(answer.status()), "status " + answer.status());
      }
      return EmbeddingAnswer.read(answer.body(), texts);
    } catch (UpstreamFailure failure) {
      throw new EmbeddingFailureException(reason(failure.kind()), failure.kind().name());
    }
  }
}

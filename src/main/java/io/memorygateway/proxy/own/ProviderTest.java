package io.memorygateway.proxy.own;

import io.memorygateway.format.Format;
import io.memorygateway.format.answer.MalformedAnswerException;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.http.errors.PrintableText;
import io.memorygateway.json.JsonObject;
import io.memorygateway.proxy.route.Endpoint;
import io.memorygateway.proxy.route.Provider;
import io.memorygateway.proxy.route.RouteTable;
import io.memorygateway.proxy.upstream.UpstreamExchange;
import io.memorygateway.proxy.upstream.UpstreamFailure;
import io.memorygateway.tracing.CallSpan;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.eclipse.jetty.client.Response;
import org.jspecify.annotations.Nullable;

/**
 * A small test call to a provider with the gateway's own key. It does not count as a caller's call:
 * it is not in the request log and does not affect circuits.
 */
final class ProviderTest {
  /** Endpoints that can be tested, in order of preference. */
  private static final List<Endpoint> ENDPOINTS =
      Stream.concat(
              Endpoint.CONVERSATIONS.stream(), Stream.of(Endpoint.EMBEDDINGS, Endpoint.COMPLETIONS))
          .toList();

  private static final Duration TIME_LIMIT = Duration.ofSeconds(10);
  private static final int MAX_ANSWER_BYTES = 1 << 20;
  private static final int MAX_SHOWN_CHARACTERS = 500;

  /** Limit of the output; reasoning models need this much before they produce text. */
  private static final int OUTPUT_TOKENS = 64;

  private static final String SYSTEM = "Answer with one word.";
  private static final String TEXT = "Say: pong";

  private ProviderTest() {}

  /**
   * Makes a call; returns at its end, within ten seconds.
   *
   * @param model with or without the provider's prefix
   * @param endpoint null: any that the provider serves
   * @throws ApiException 400 if the provider does not serve the endpoint
   */
  static TestCall call(Provider provider, String model, @Nullable Endpoint endpoint) {
    Endpoint asked = endpoint(provider, endpoint);
    String prefix = provider.name() + "/";
    String name = model.startsWith(prefix) ? model : prefix + model;
    String upstreamModel = RouteTable.upstreamModel(provider.configuration(), name);
    byte[] body = body(asked, upstreamModel);
    long start = System.nanoTime();
    UpstreamExchange exchange =
        GatewayCall.begin(provider, asked, body, MAX_ANSWER_BYTES, CallSpan.NONE);
    Integer status = null;
    Long firstByte = null;
    String answer = null;
    String error = null;
    try {
      Response head = exchange.head(TIME_LIMIT.toMillis());
      status = head.getStatus();
      firstByte = millisSince(start);
      if (exchange.isStream()) {
        exchange.cancel();
        error = "the answer is a stream";
      } else {
        long left = Math.max(1, TIME_LIMIT.toMillis() - firstByte);
        byte[] answerBody = exchange.readAll(left, left);
        answer = status < 300 ? completionText(asked, answerBody) : text(answerBody);
      }
    } catch (UpstreamFailure failure) {
      exchange.cancel();
      error = GatewayCall.words(failure);
    } catch (MalformedAnswerException e) {
      error = "the answer is not JSON";
    } catch (InterruptedException e) {
      exchange.cancel();
      Thread.currentThread().interrupt();
      error = "this node is stopping";
    }
    boolean ok = error == null && status != null && status < 300;
    return new TestCall(
        provider.name(),
        PrintableText.of(upstreamModel, MAX_SHOWN_CHARACTERS),
        asked.configName(),
        ok,
        status,
        millisSince(start),
        firstByte,
        shown(answer, provider),
        shown(error, provider));
  }

  private static Endpoint endpoint(Provider provider, @Nullable Endpoint asked) {
    return ENDPOINTS.stream()
        .filter(endpoint -> provider.serves(endpoint) && (asked == null || asked == endpoint))
        .findFirst()
        .orElseThrow(
            () ->
                ApiException.invalidRequest(
                    "This provider cannot be tested so; it serves "
                        + RouteTable.paths(provider.configuration().endpoints())
                        + "."));
  }

  private static byte[] body(Endpoint endpoint, String model) {
    return switch (endpoint) {
      case EMBEDDINGS -> new JsonObject().string("model", model).string("input", TEXT).toBytes();
      case COMPLETIONS ->
          new JsonObject()
              .string("model", model)
              .string("prompt", TEXT)
              .number("max_tokens", OUTPUT_TOKENS)
              .toBytes();
      default -> endpoint.format().question(model, SYSTEM, TEXT, List.of(), OUTPUT_TOKENS);
    };
  }

  private static String completionText(Endpoint endpoint, byte[] answer)
      throws MalformedAnswerException {
    Format format = endpoint.format();
    return switch (endpoint) {
      case EMBEDDINGS, COMPLETIONS -> text(answer);
      default -> format.completion(answer).text();
    };
  }

  private static String text(byte[] bytes) {
    // An incomplete character at the end becomes a replacement character, which is cut off too.
    return new String(
        bytes, 0, Math.min(bytes.length, 4 * MAX_SHOWN_CHARACTERS + 64), StandardCharsets.UTF_8);
  }

  private static @Nullable String shown(@Nullable String text, Provider provider) {
    if (text == null) {
      return null;
    }
    String masked = provider.secret().mask(text);
    return masked.length() <= MAX_SHOWN_CHARACTERS
        ? masked
        : masked.substring(0, MAX_SHOWN_CHARACTERS) + "…";
  }

  private static long millisSince(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
  }
}

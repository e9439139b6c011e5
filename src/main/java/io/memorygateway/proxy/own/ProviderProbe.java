package io.memorygateway.proxy.own;

import io.memorygateway.format.Format;
import io.memorygateway.format.answer.AnswerStream;
import io.memorygateway.json.Edit;
import io.memorygateway.proxy.call.ProviderModels;
import io.memorygateway.proxy.route.Endpoint;
import io.memorygateway.proxy.route.Provider;
import io.memorygateway.proxy.upstream.UpstreamExchange;
import io.memorygateway.proxy.upstream.UpstreamFailure;
import io.memorygateway.sse.SseSplitter;
import io.memorygateway.tracing.CallSpan;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.util.BufferUtil;

/**
 * What providers say of themselves: whether they list models and, if it is wanted, which endpoints
 * answer a call of one token, whether as a stream, and whether with its usage.
 */
public final class ProviderProbe {
  private static final Duration TIME_LIMIT = Duration.ofSeconds(20);
  private static final int MAX_ANSWER_BYTES = 1 << 20;

  private ProviderProbe() {}

  /**
   * Asks a provider.
   *
   * @param tokens whether calls that cost a token are made
   * @return lines for the operator
   */
  public static List<String> ask(Provider provider, boolean tokens) throws InterruptedException {
    String begin = "provider " + provider.name() + ": ";
    if (!provider.isUsable(null)) {
      return List.of(begin + "not asked, because the gateway has no key for it");
    }
    List<String> lines = new ArrayList<>();
    List<String> models = provider.configuration().listedModels();
    try {
      List<String> listed =
          List.copyOf(ProviderModels.read(ProviderModels.list(provider)).keySet());
      lines.add(begin + "lists " + (listed.size() == 1 ? "1 model" : listed.size() + " models"));
      models = models.isEmpty() ? listed : models;
    } catch (UpstreamFailure failure) {
      lines.add(begin + "its list of models: " + GatewayCall.words(failure));
    } catch (IOException e) {
      lines.add(begin + "its list of models: " + e.getMessage());
    }
    if (tokens && models.isEmpty()) {
      lines.add(begin + "no model is known that could be called; models names one");
    } else if (tokens) {
      for (Endpoint endpoint : EnumSet.copyOf(Endpoint.CONVERSATIONS)) {
        lines.add(begin + endpoint.configName() + " " + call(provider, endpoint, models.get(0)));
      }
    }
    return lines;
  }

  private static String call(Provider provider, Endpoint endpoint, String model)
      throws InterruptedException {
    UpstreamExchange exchange =
        GatewayCall.begin(
            provider, endpoint, question(endpoint, model), MAX_ANSWER_BYTES, CallSpan.NONE);
    String found;
    boolean answers = false;
    try {
      int status = exchange.head(TIME_LIMIT.toMillis()).getStatus();
      answers = status < 300;
      found =
          !answers
              ? "does not answer: status " + status
              : exchange.isStream()
                  ? "answers, as a stream" + usage(exchange, endpoint)
                  : "answers, but not as a stream";
    } catch (UpstreamFailure failure) {
      found = "does not answer: " + GatewayCall.words(failure);
    } finally {
      exchange.cancel();
    }
    boolean named = provider.serves(endpoint);
    String advice =
        answers && !named
            ? "; its endpoints could name it"
            : !answers && named ? "; its endpoints name it" : "";
    return found + advice;
  }

  private static byte[] question(Endpoint endpoint, String model) {
    Format format = endpoint.format();
    byte[] body = format.question(model, "Answer with one word.", "Say: pong", List.of(), 1);
    return Edit.apply(body, List.of(Edit.insert(1, format.smallStream())));
  }

  /** What a stream says of its usage. */
  private static String usage(UpstreamExchange exchange, Endpoint endpoint)
      throws UpstreamFailure, InterruptedException {
    AnswerStream stream = endpoint.format().openStream();
    SseSplitter splitter = new SseSplitter(MAX_ANSWER_BYTES);
    boolean last = false;
    int read = 0;
    while (!last && !stream.ended() && read < MAX_ANSWER_BYTES) {
      Content.Chunk chunk = exchange.read(TIME_LIMIT.toMillis());
      try {
        byte[] bytes = BufferUtil.toArray(chunk.getByteBuffer());
        read += bytes.length;
        splitter.feed(bytes, 0, bytes.length, stream::accept);
        last = chunk.isLast();
      } catch (IOException e) {
        throw new IllegalStateException("the sink writes nothing", e);
      } finally {
        chunk.release();
      }
    }
    String end =
        stream.failed() ? " that reports an error" : stream.complete() ? "" : " without its end";
    return end + (stream.usage().known().isEmpty() ? ", without its usage" : ", with its usage");
  }
}

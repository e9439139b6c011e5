package io.memorygateway.tracing;

import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/** Factory of spans; does nothing, at no cost, where tracing is off. */
public final class Tracing {
  private static final Tracing OFF = new Tracing(null, false);

  private final @Nullable Tracer tracer;
  private final boolean captureContents;

  Tracing(@Nullable Tracer tracer, boolean captureContents) {
    this.tracer = tracer;
    this.captureContents = captureContents;
  }

  /** Creates a factory whose spans record nothing. */
  public static Tracing off() {
    return OFF;
  }

  public boolean isOn() {
    return tracer != null;
  }

  /**
   * A call of a model.
   *
   * @param operation its name in the conventions
   * @param provider name in config.yml
   * @param server address that the call is sent to
   */
  public record Call(String operation, String provider, String model, URI server) {}

  /**
   * Begins the span of an attempt of a proxied call, as a child of that of its request.
   *
   * @param threadId from the client; null if none
   * @param attempt from 1
   */
  public CallSpan attempt(
      HttpServletRequest request, Call call, @Nullable String threadId, int attempt) {
    if (tracer == null) {
      return CallSpan.NONE;
    }
    SpanBuilder builder =
        builder(tracer, call).setAttribute(GenAiAttributes.ATTEMPT, (long) attempt);
    if (threadId != null) {
      builder.setAttribute(GenAiAttributes.CONVERSATION, threadId);
    }
    Object parent = request.getAttribute(RequestSpans.CONTEXT);
    return new CallSpan(
        builder.setParent(parent instanceof Context known ? known : Context.root()).startSpan(),
        captureContents);
  }

  /**
   * Begins the span of a call by the gateway itself.
   *
   * @param purpose observer or search
   */
  public CallSpan own(Call call, String purpose) {
    return tracer == null
        ? CallSpan.NONE
        : new CallSpan(
            builder(tracer, call)
                .setAttribute(GenAiAttributes.PURPOSE, purpose)
                .setParent(Context.root())
                .startSpan(),
            captureContents);
  }

  private static SpanBuilder builder(Tracer tracer, Call call) {
    SpanBuilder builder =
        tracer
            .spanBuilder(call.operation + " " + call.model)
            .setSpanKind(SpanKind.CLIENT)
            .setAttribute(GenAiAttributes.OPERATION, call.operation)
            .setAttribute(GenAiAttributes.PROVIDER, GenAiAttributes.provider(call.provider))
            .setAttribute(GenAiAttributes.REQUEST_MODEL, call.model)
            .setAttribute(GenAiAttributes.SERVER_ADDRESS, String.valueOf(call.server.getHost()));
    int port = call.server.getPort();
    return port < 0 ? builder : builder.setAttribute(GenAiAttributes.SERVER_PORT, (long) port);
  }
}

package io.memorygateway.proxy.call;

import io.memorygateway.concurrent.LiveWork;
import io.memorygateway.format.call.Conversation;
import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.call.RequestBody;
import io.memorygateway.format.translation.Called;
import io.memorygateway.http.admission.RequestReservation;
import io.memorygateway.http.api.ResponseHeader;
import io.memorygateway.http.arrival.ClientWatch;
import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.http.errors.JsonResponse;
import io.memorygateway.json.JsonObject;
import io.memorygateway.json.ValueCount;
import io.memorygateway.observation.text.TokenCounter;
import io.memorygateway.proxy.count.InputTokens;
import io.memorygateway.proxy.route.Endpoint;
import io.memorygateway.proxy.route.ModelScope;
import io.memorygateway.proxy.route.Route;
import io.memorygateway.proxy.route.Router;
import io.memorygateway.proxy.route.Target;
import io.memorygateway.proxy.route.TargetLease;
import io.memorygateway.proxy.route.TargetSelection;
import io.memorygateway.turn.Replay;
import io.memorygateway.turn.Turn;
import io.memorygateway.turn.Turns;
import jakarta.ws.rs.core.Response;
import java.time.Duration;
import java.util.Map;
import java.util.function.IntUnaryOperator;

/**
 * Proxy of LLM calls: passes a call to its provider, and the answer back (contract §6, §10).
 *
 * @param random returns a number from 0 to the given bound, exclusive; thread-safe
 */
public record LlmProxy(
    Router router,
    Turns turns,
    CallBudgets budgets,
    CallMeasurements measurements,
    LiveWork live,
    Refusals refusals,
    IntUnaryOperator random) {
  /** Header by which a caller limits the call to its first target. */
  private static final String FALLBACK = "X-Gateway-Fallback";

  /** Longest wait of a call for heap before it is refused. */
  private static final Duration HEAP_TIMEOUT = Duration.ofSeconds(10);

  /**
   * Makes a call and waits for the head of a streamed answer, or for the whole of any other.
   *
   * @throws ApiException for every failure before the first byte of an answer
   */
  Response call(ProxyCall received) {
    long start = System.nanoTime();
    ModelScope scope = ModelScope.of(received.request(), router);
    scope.check(received.endpoint(), received.body());
    if (router.isCountedHere(received.endpoint(), received.body(), received.callersKey())) {
      return inputTokens(received);
    }
    boolean fallback = !"off".equalsIgnoreCase(received.request().getHeader(FALLBACK));
    Router.RoutedCall routed =
        router.route(
            received.endpoint(),
            received.body(),
            received.caller().projectId(),
            received.callersKey(),
            fallback);
    checkKept(received, routed.route());
    ProxyCall call = received.routed(heldHere(received, routed));
    TargetSelection selection =
        new TargetSelection(
            routed.route(),
            call.caller().keyId(),
            call.caller().projectId(),
            call.session(),
            random);
    try (Handover first = new Handover(selection.first())) {
      Target target = first.lease.target();
      OutgoingRequest request = OutgoingRequest.of(call, target.provider());
      Turn turn =
          turns.open(
              call.caller(),
              call.memory(),
              call.format(),
              call.body(),
              target.upstreamModel(call.endpoint(), measurements.clock().instant()),
              ClientWatch.of(call.request()),
              call.reservation());
      Replay replay = turn.replay();
      if (replay != null) {
        Response.ResponseBuilder again = CallAnswers.replayed(call, turn, replay);
        budgets.show(call, routed.route(), again::header);
        return again.build();
      }
      CallProgress progress = new CallProgress(start);
      try {
        byte[] body = turn.upstreamBody();
        if (call.isRemembered()) {
          scope.check(call.endpoint(), call.body(), body);
        }
        CallBudgets.Held held = budgets.hold(call, routed.route(), body);
        if (held != null) {
          progress.holds(held.hold());
          body = held.body();
        }
        CallAttempts attempts =
            new CallAttempts(
                call,
                routed.route(),
                selection,
                turn,
                body,
                measurements,
                live,
                progress,
                refusals);
        return attempts.run(first.taken(), request);
      } catch (RuntimeException e) {
        progress.giveBack();
        turn.close();
        throw e;
      }
    }
  }

  /** The answer to a call that asks for its count. */
  private static Response inputTokens(ProxyCall call) {
    byte[] body = call.body().bytes();
    if (!call.reservation().awaitRequest(ValueCount.heapOf(body), HEAP_TIMEOUT)) {
      throw RequestReservation.refused();
    }
    JsonObject answer = new JsonObject();
    if (call.endpoint() == Endpoint.INPUT_TOKENS) {
      answer.string("object", "response.input_tokens");
    }
    try {
      long tokens =
          new InputTokens(new TokenCounter()).of(call.format(), Conversation.tree(call.body()));
      return JsonResponse.of(200, answer.number("input_tokens", tokens).toBytes())
          .header(ResponseHeader.COST.headerName(), "0")
          .build();
    } catch (MalformedBodyException e) {
      throw ApiException.invalidRequest(String.valueOf(e.getMessage()));
    }
  }

  /**
   * The call without the names under which a provider would hold its conversation, where the
   * gateway holds it and a target does not know them.
   *
   * @throws ApiException 400 if nobody holds it
   */
  private static Router.RoutedCall heldHere(ProxyCall call, Router.RoutedCall routed) {
    Map<String, String> held = call.body().kept().held();
    if (!call.format().isKeptByProviders() || held.isEmpty()) {
      return routed;
    }
    boolean isMadeHere = held.values().stream().anyMatch(Called::isMadeHere);
    if (!call.isRemembered()) {
      if (isMadeHere) {
        throw ApiException.invalidRequest(
            "previous_response_id names an answer that nobody keeps: send the whole conversation,"
                + " or x-thread-id with each call.");
      }
      return routed;
    }
    boolean isKnown = routed.route().providers().allMatch(each -> each.serves(call.endpoint()));
    return isKnown && !isMadeHere ? routed : routed.withBody(routed.body().withoutHeld());
  }

  /**
   * Refuses what the provider is asked to keep where the gateway keeps it, or nobody does: who
   * ignores a thread of Messages loses the conversation, for the call has its end alone.
   */
  private static void checkKept(ProxyCall call, Route route) {
    boolean memory = call.memory().threadId() != null;
    RequestBody.Kept kept = call.body().kept();
    if (call.endpoint().hasMemory()
        && call.format().namesThreads()
        && kept.thread()
        && (memory || !route.keepsMessageThreads())) {
      throw new ApiException(
          ApiError.invalidRequest(
                  "Message threads are not kept here: send the whole conversation, without thread.")
              .withCode("thread_unsupported_request"));
    }
    if (call.format().isKeptByProviders() && kept.background() && memory) {
      throw ApiException.invalidRequest(
          "A response in the background cannot be a turn of a thread: leave out background, or"
              + " x-thread-id.");
    }
  }

  /** Releases the lease of the first target, unless the attempts have taken it over. */
  private static final class Handover implements AutoCloseable {
    private final TargetLease lease;
    private boolean taken;

    Handover(TargetLease lease) {
      this.lease = lease;
    }

    TargetLease taken() {
      taken = true;
      return lease;
    }

    @Override
    public void close() {
      if (!taken) {
        lease.close();
      }
    }
  }
}

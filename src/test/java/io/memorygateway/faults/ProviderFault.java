package io.memorygateway.faults;

import io.memorygateway.testing.Answer;
import io.memorygateway.testing.CannedReplies;
import io.memorygateway.testing.Exchange;
import io.memorygateway.testing.RecordedRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What a provider may do wrong, and what a gateway with a second, healthy target makes of it: the
 * rows of the fault table, with the expected value of each of its cells.
 */
enum ProviderFault {
  /** Nobody listens: to be configured as a provider at a closed port. */
  REFUSED(next(502), next(502)),
  RESET_BEFORE_HEAD(next(502), next(502)),
  HEAD_THEN_NOTHING(next(504), next(504)),
  STATUS_401(next(401), next(401)),
  STATUS_403(next(403), next(403)),
  STATUS_408(next(408), next(408)),
  STATUS_429(next(429), next(429)),
  STATUS_429_RETRY_AFTER(next(429), next(429)),
  STATUS_500(next(500), next(500)),
  STATUS_503(next(503), next(503)),
  STATUS_529(next(529), next(529)),
  HTML_200(next(502), next(502)),
  BROKEN_JSON_200(next(502), next(502)),
  ERROR_FIRST(next(502), next(502)),
  ERROR_AFTER_START(null, next(502)),
  SILENT_AFTER_START(null, next(504)),
  CUT_BEFORE_CONTENT(next(502), next(502)),
  CUT_AFTER_40_TOKENS(next(502), new Expected(End.ERROR_EVENT, 200)),
  STALL_AFTER_20_TOKENS(next(504), new Expected(End.ERROR_EVENT, 200)),
  BROKEN_LINE(null, new Expected(End.FIRST, 200)),
  SLOW_TOKENS(new Expected(End.FIRST, 200), new Expected(End.FIRST, 200)),
  /** Its comments go out with the head, so the header names it alone. */
  ENDLESS_COMMENTS(null, next(200)),
  CONTEXT_LENGTH_400(next(400), next(400)),
  CONTENT_POLICY_400(new Expected(End.STATUS, 400), new Expected(End.STATUS, 400));

  /** How a call ends for its caller. */
  enum End {
    /** The healthy target answers all of it. */
    NEXT,
    /** The faulty target's answer is passed on whole. */
    FIRST,
    /** What the target said is passed on, and then an error event. */
    ERROR_EVENT,
    /** The target's error. */
    STATUS
  }

  /**
   * The expected value of a cell.
   *
   * @param status of the faulty target in {@code X-Gateway-Attempts}
   */
  record Expected(End end, int status) {}

  private static final Pattern SAYS_TOKEN =
      Pattern.compile("\"(?:content|text|delta)\":\"( ?token\\d+)\"");
  private static final int TOKENS = 60;
  private static final int SLOW = 5;

  @SuppressWarnings("ImmutableEnumChecker") // A record of an enum and a number.
  private final Expected whole;

  @SuppressWarnings("ImmutableEnumChecker")
  private final Expected streamed;

  ProviderFault(Expected whole, Expected streamed) {
    this.whole = whole;
    this.streamed = streamed;
  }

  private static Expected next(int status) {
    return new Expected(End.NEXT, status);
  }

  /** The expected value; null where the fault is one of streams only. */
  Expected expected(boolean stream) {
    return stream ? streamed : whole;
  }

  /** The model that has this fault. */
  String model() {
    return "fault-" + name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static Optional<ProviderFault> ofModel(String model) {
    return Arrays.stream(values()).filter(fault -> fault.model().equals(model)).findFirst();
  }

  /** What the faulty target says before it fails, or all that it says. */
  String said() {
    int words =
        switch (this) {
          case CUT_AFTER_40_TOKENS -> 40;
          case STALL_AFTER_20_TOKENS -> 20;
          case SLOW_TOKENS -> SLOW;
          default -> TOKENS;
        };
    List<String> tokens = new ArrayList<>();
    for (int i = 1; i <= words; i++) {
      tokens.add("token" + i);
    }
    return String.join(" ", tokens);
  }

  /**
   * The answer to a request.
   *
   * @param slowMillis between two tokens of a slow answer
   */
  Answer answer(RecordedRequest request, long slowMillis) {
    boolean stream = request.json().path("stream").asBoolean();
    CannedReplies.Reply all = CannedReplies.reply(request.path(), request.json(), said());
    List<String> start = all.events().stream().takeWhile(e -> !e.contains("token1")).toList();
    return switch (this) {
      case REFUSED, RESET_BEFORE_HEAD -> Answer.reset();
      case HEAD_THEN_NOTHING ->
          stream
              ? Answer.sseThen(List.of(), Answer.hang())
              : Answer.rawThen(
                  "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n",
                  Answer.hang());
      case STATUS_401 -> Answer.error(401, "authentication_error", "bad key");
      case STATUS_403 -> Answer.error(403, "permission_error", "not allowed");
      case STATUS_408 -> Answer.error(408, "timeout", "too slow");
      case STATUS_429 -> Answer.error(429, "rate_limit_error", "slow down");
      case STATUS_429_RETRY_AFTER ->
          Answer.error(429, "rate_limit_error", "slow down").header("Retry-After", "30");
      case STATUS_500 -> Answer.error(500, "server_error", "no");
      case STATUS_503 -> Answer.error(503, "server_error", "no");
      case STATUS_529 -> Answer.error(529, "overloaded_error", "overloaded");
      case HTML_200 -> Answer.html(200);
      case BROKEN_JSON_200 -> Answer.json("{\"id\":\"x\",");
      case ERROR_FIRST ->
          stream
              ? Answer.sse(List.of(error(request)))
              : Answer.json("{\"error\":{\"message\":\"overloaded\"}}");
      case ERROR_AFTER_START -> Answer.sseThen(start, exchange -> exchange.chunk(error(request)));
      case SILENT_AFTER_START -> Answer.sseThen(start, Answer.hang());
      case CUT_BEFORE_CONTENT ->
          stream ? Answer.sseThen(start, Answer.reset()) : Answer.resetAfterHeaders();
      case CUT_AFTER_40_TOKENS ->
          stream ? Answer.sseThen(spoken(all.events()), Answer.close()) : Answer.resetInBody();
      case STALL_AFTER_20_TOKENS ->
          stream
              ? Answer.sseThen(spoken(all.events()), Answer.hang())
              : Answer.rawThen(
                  "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{",
                  Answer.hang());
      case BROKEN_LINE -> Answer.sse(withBrokenLine(all.events()));
      case SLOW_TOKENS ->
          stream
              ? exchange -> slowly(all.events(), slowMillis, exchange)
              : exchange -> {
                pause(slowMillis / 2);
                Answer.json(all.json()).write(exchange);
              };
      case ENDLESS_COMMENTS -> Answer.sseThen(List.of(), ProviderFault::comment);
      case CONTEXT_LENGTH_400 ->
          Answer.json(
              400,
              "{\"error\":{\"message\":\"maximum context length is 8"
                  + " tokens\",\"type\":\"invalid_request_error\","
                  + "\"code\":\"context_length_exceeded\"}}");
      case CONTENT_POLICY_400 -> Answer.error(400, "invalid_request_error", "content policy");
    };
  }

  /** All events up to the last token. */
  static List<String> spoken(List<String> events) {
    int last = 0;
    for (int i = 0; i < events.size(); i++) {
      last = SAYS_TOKEN.matcher(events.get(i)).find() ? i : last;
    }
    return events.subList(0, last + 1);
  }

  /** What the tokens of a stream say. */
  static String tokens(String stream) {
    return SAYS_TOKEN
        .matcher(stream)
        .results()
        .map(token -> token.group(1))
        .collect(Collectors.joining());
  }

  /** The events with a line of broken JSON after the tenth. */
  static List<String> withBrokenLine(List<String> events) {
    List<String> all = new ArrayList<>(events);
    all.add(10, "data: {\"choices\":[{\"delta\":{\"con\n\n");
    return all;
  }

  private static String error(RecordedRequest request) {
    return request.path().endsWith("/chat/completions")
        ? "data: {\"error\":{\"message\":\"overloaded\"}}\n\n"
        : "event: error\n"
            + "data:"
            + " {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"overloaded\"}}\n\n";
  }

  private static void slowly(List<String> events, long millis, Exchange exchange)
      throws IOException {
    Answer.sseThen(
            List.of(),
            open -> {
              for (String event : events) {
                if (event.contains("token")) {
                  pause(millis);
                }
                open.chunk(event);
              }
              open.lastChunk();
            })
        .write(exchange);
  }

  private static void comment(Exchange exchange) throws IOException {
    while (true) {
      exchange.chunk((": waiting" + " ".repeat(1000) + "\n\n").repeat(10));
    }
  }

  private static void pause(long millis) throws IOException {
    try {
      boolean unused = new Semaphore(0).tryAcquire(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw new IOException("the client left", e);
    }
  }
}

package io.memorygateway.turn;

import io.memorygateway.format.call.CallTexts;
import io.memorygateway.format.call.RequestBody;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.memory.rows.Identifier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Decides which thread a call belongs to (contract §7): the one that it names, or that of its
 * client's session; and of calls that clients make beside the conversation, a thread of their own
 * or none.
 */
public record Sessions(MemoryConfiguration configuration) {
  private static final String AUTO = "auto";
  private static final String MESSAGES = "/v1/messages?";
  private static final String PROMPT_CACHE_KEY = "prompt_cache_key";

  /**
   * The memory of a call, decided.
   *
   * @param named as its headers say
   * @param headers the value of a header, if the call has it
   * @throws ApiException 400 if a session is asked for and the call has none, or one that is no id
   */
  public MemoryRequest decide(
      MemoryRequest named, Function<String, @Nullable String> headers, RequestBody body) {
    boolean auto = AUTO.equals(named.threadId());
    boolean ofSession = auto || (named.threadId() == null && configuration.sessionThreads());
    if (named.resourceId() == null || (named.threadId() == null && !ofSession)) {
      return named;
    }
    Call call = new Call(headers, body);
    String thread = ofSession ? session(call) : named.threadId();
    if (thread == null && auto) {
      throw ApiException.invalidRequest(
          "x-thread-id: auto needs a session, and the call names none; clients name it in one"
              + " of "
              + String.join(", ", configuration.sessions())
              + ".");
    }
    if (thread == null) {
      return named;
    }
    SideCall agent = mark(call, true);
    SideCall use = mark(call, false);
    String own = agent == null ? thread : threadOf(agent, thread, call);
    if (own == null || (use != null && use.thread().equals(SideCall.NONE))) {
      return named.aside(null, false, null);
    }
    if (use != null) {
      return named.aside(own, false, use.thread().equals(SideCall.READ) ? null : use.user());
    }
    if (call.texts().asksToCompact(named.target().startsWith(MESSAGES))) {
      return named.aside(own, false, "");
    }
    return agent == null ? named.of(own) : named.aside(own, true, null);
  }

  /** The first mark that fits a call, of those that name a thread of their own or of the others. */
  private @Nullable SideCall mark(Call call, boolean namesThread) {
    return configuration.sideCalls().values().stream()
        .filter(mark -> mark.namesThread() == namesThread && call.is(mark))
        .findFirst()
        .orElse(null);
  }

  /** The thread of a sub-agent; null if it names none. */
  private static @Nullable String threadOf(SideCall agent, String thread, Call call) {
    String own = call.header(agent.thread());
    if (own == null) {
      return null;
    }
    if (thread.equals(threadOf(agent.thread(), own))) {
      return thread;
    }
    String named = Identifier.check("x-thread-id", thread);
    return Identifier.check(agent.thread() + ", with the thread before it,", named + ":" + own);
  }

  /** The thread of the session that a call belongs to; null if it names none. */
  private @Nullable String session(Call call) {
    for (String name : configuration.sessions()) {
      String value =
          name.equals(PROMPT_CACHE_KEY) ? call.texts().promptCacheKey() : call.header(name);
      if (value != null && !value.isBlank()) { // also a prompt_cache_key
        return Identifier.check(name + ", with this name before it,", threadOf(name, value));
      }
    }
    return null;
  }

  private static String threadOf(String name, String value) {
    return name + ":" + value;
  }

  /** A call, whose texts are read when the first mark asks for them. */
  private static final class Call {
    private final Function<String, @Nullable String> headers;
    private final RequestBody body;
    private @Nullable CallTexts texts;

    Call(Function<String, @Nullable String> headers, RequestBody body) {
      this.headers = headers;
      this.body = body;
    }

    /** The value of a header; null for none and for a blank one, which names nothing. */
    @Nullable String header(String name) {
      String value = headers.apply(name);
      return value == null || value.isBlank() ? null : value;
    }

    CallTexts texts() {
      CallTexts read = texts == null ? new CallTexts(body) : texts;
      texts = read;
      return read;
    }

    boolean is(SideCall mark) {
      return (mark.header() == null || header(mark.header()) != null)
          && (mark.system() == null || texts().systemBegins(mark.system()))
          && (mark.user() == null || texts().userBegins(mark.user()));
    }
  }
}

package io.memorygateway.turn;

import io.memorygateway.format.call.CallTexts;
import io.memorygateway.format.call.RequestBody;
import io.memorygateway.http.errors.ApiError;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.memory.rows.Identifier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Decides which thread a call belongs to (contract §7): the one that it names, or that of its
 * client's session; and of calls that clients make beside the conversation, a thread of their own
 * or none.
 */
public final class Sessions {
  private static final String AUTO = "auto";
  private static final String PROMPT_CACHE_KEY = "prompt_cache_key";

  private final MemoryConfiguration configuration;

  public Sessions(MemoryConfiguration configuration) {
    this.configuration = configuration;
  }

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
      throw new ApiException(
          ApiError.invalidRequest(
              "x-thread-id: auto needs a session, and the call names none; clients name it in one"
                  + " of "
                  + String.join(", ", configuration.sessions())
                  + "."));
    }
    if (thread == null) {
      return named;
    }
    for (SideCall mark : configuration.sideCalls().values()) {
      if (call.is(mark)) {
        return aside(named, mark, thread, call);
      }
    }
    return call.texts().asksToCompact() ? named.aside(thread, false, "") : named.of(thread);
  }

  private static MemoryRequest aside(MemoryRequest named, SideCall mark, String thread, Call call) {
    if (mark.thread().equals(SideCall.READ) || mark.thread().equals(SideCall.SUMMARY)) {
      return named.aside(thread, false, mark.thread().equals(SideCall.READ) ? null : mark.user());
    }
    String own = mark.thread().equals(SideCall.NONE) ? null : call.header(mark.thread());
    if (own == null) {
      return named.aside(null, false, null);
    }
    boolean isOwn = thread.equals(threadOf(mark.thread(), own));
    return named.aside(isOwn ? thread : thread + ":" + own, true, null);
  }

  /** The thread of the session that a call belongs to; null if it names none. */
  private @Nullable String session(Call call) {
    for (String name : configuration.sessions()) {
      String value =
          name.equals(PROMPT_CACHE_KEY) ? call.texts().promptCacheKey() : call.header(name);
      if (value != null && !value.isBlank()) {
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

    @Nullable String header(String name) {
      return headers.apply(name);
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

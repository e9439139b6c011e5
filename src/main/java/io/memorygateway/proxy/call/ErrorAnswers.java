package io.memorygateway.proxy.call;

import io.memorygateway.format.answer.RefusalWords;
import io.memorygateway.format.answer.UpstreamError;
import io.memorygateway.format.translation.Fault;
import io.memorygateway.format.translation.Sampling;
import io.memorygateway.format.translation.Translation;
import io.memorygateway.proxy.call.AttemptFailure.Reason;
import java.time.Instant;
import org.eclipse.jetty.http.HttpFields;
import org.jspecify.annotations.Nullable;

/**
 * Reader of a target's errors: what they mean for the call, and how its caller is told them.
 *
 * @param rolesMayChange whether the gateway may write the messages in other roles
 */
record ErrorAnswers(
    @Nullable Translation translation, OutgoingRequest request, boolean rolesMayChange) {
  private static final int BAD_REQUEST = 400;

  /** By which servers made with FastAPI refuse members that they do not know. */
  private static final int UNPROCESSABLE = 422;

  /** By which SDKs know that to try again is of no use; servers of other formats do not say it. */
  private static final String SHOULD_RETRY = "x-should-retry";

  /** The failure of an attempt that was answered by an error. */
  AttemptFailure failure(
      int status, HttpFields headers, byte[] received, boolean hasAlternative, Instant now) {
    RefusalWords words = new RefusalWords(received);
    ErrorAnswer answer = of(status, headers, received, words);
    return AttemptFailure.of(
        answer, reason(status, words, hasAlternative), RetryAfter.of(answer.headers(), now));
  }

  /** Why an attempt failed that was answered by an error, as far as the call is the cause. */
  private Reason reason(int status, RefusalWords words, boolean hasAlternative) {
    if (hasAlternative && isTooLong(status, words)) {
      return Reason.CONTEXT_LENGTH;
    }
    if (rolesMayChange && words.isOfRoles()) {
      return Reason.ROLES;
    }
    boolean malformed = status == BAD_REQUEST || status == UNPROCESSABLE;
    if (malformed && translation != null && words.isOfEffort()) {
      return Reason.EFFORT;
    }
    if (malformed && translation != null && words.isOfMembers(Sampling.MEMBERS)) {
      return Reason.SAMPLING;
    }
    if (malformed && translation == null && words.isBoundThought()) {
      return Reason.BOUND_THOUGHT;
    }
    if (malformed && words.isOfMissingReasoning()) {
      return Reason.MISSING_REASONING;
    }
    // OpenAI's API says 404 of an item that it does not have.
    if ((malformed || status == 404) && words.isForeignReasoning()) {
      return Reason.FOREIGN_REASONING;
    }
    return malformed && words.isOfOutputLimit() ? Reason.OUTPUT_LIMIT : Reason.REFUSED;
  }

  /** Whether an error says that the call is too long; of servers of other formats in any status. */
  private boolean isTooLong(int status, RefusalWords words) {
    boolean ofCall =
        translation == null
            ? status == BAD_REQUEST || status == 413
            : status != 401 && status != 403 && status != 429;
    return ofCall && words.isContextLength();
  }

  /** An error as it was received, as the caller is told it. */
  ErrorAnswer of(int status, HttpFields headers, byte[] received) {
    return of(status, headers, received, new RefusalWords(received));
  }

  private ErrorAnswer of(int status, HttpFields received, byte[] body, RefusalWords words) {
    byte[] envelope = UpstreamError.rewrite(status, body, request.secrets());
    HttpFields headers = RetryAfter.told(status, received, envelope);
    return translation == null
        ? new ErrorAnswer(status, envelope, headers, request.secret())
        : of(
            translation,
            Fault.of(status, envelope, isTooLong(status, words), translation::inputTokens),
            headers);
  }

  /** The same of one that was translated. */
  ErrorAnswer of(Translation by, Fault fault, HttpFields received) {
    int told = by.status(fault);
    HttpFields.Mutable headers = HttpFields.build(received);
    if (told == 401 || told == 403) {
      headers.put(SHOULD_RETRY, "false");
    }
    return new ErrorAnswer(told, request.secret().mask(by.error(fault)), headers, request.secret());
  }
}

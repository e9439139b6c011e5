package io.memorygateway.format.translation;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.memorygateway.json.JsonValue;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * An error of a target.
 *
 * @param status of HTTP; in a stream that which the error would have had, else 502
 * @param type as the target said it; empty if it did not
 * @param message for the caller
 * @param code null if the target gives none
 * @param tooLong whether the prompt is longer than the model's context, in whatever words it was
 *     said; not if only the output is too long that is asked for
 * @param isBroken whether the response was invalid: no answer, and no error to show
 * @param counts the numbers in its message
 */
public record Fault(
    int status,
    String type,
    String message,
    @Nullable String code,
    boolean tooLong,
    boolean isBroken,
    TokenCounts counts) {
  /** Codes of OpenAI's errors. */
  public static final String TOO_LONG = "context_length_exceeded";

  public static final String QUOTA = "insufficient_quota";
  public static final String RATE_LIMIT = "rate_limit_exceeded";

  /** What OpenAI says of a prompt that is too long. */
  private static final List<String> OPEN_AI_WORDS =
      List.of("maximum context length", "exceeds the context window");

  /** Of a stream for which this node has no room. */
  public static final Fault FULL =
      new Fault(
          503, "service_unavailable", "This node holds as many answers as it can.", null, false);

  public Fault {
    if (tooLong && counts.areOfOutput()) {
      // To shorten the prompt, as clients do upon this, would not help.
      status = 400;
      code = TOO_LONG.equals(code) ? null : code;
      tooLong = false;
    }
  }

  /** An error that can be shown. */
  public Fault(int status, String type, String message, @Nullable String code, boolean tooLong) {
    this(status, type, message, code, tooLong, false, TokenCounts.in(message));
  }

  /**
   * The error of an answer.
   *
   * @param envelope {@code {"error":{"message","type","code"}}}
   * @param input counts the tokens of the prompt, where the target tells but a part of them
   */
  public static Fault of(int status, byte[] envelope, boolean tooLong, LongSupplier input) {
    JsonValue root = JsonValue.of(new String(envelope, UTF_8));
    JsonValue error = root.get("error");
    JsonValue known = error == null ? root : error;
    String message = known.text("message");
    TokenCounts counts = TokenCounts.in(message);
    if (tooLong && counts.areOfABeginning()) {
      counts = counts.withInput(input.getAsLong());
    }
    return new Fault(
        status, known.text("type"), message, known.string("code"), tooLong, false, counts);
  }

  /** The error code in OpenAI's formats; null if there is none. */
  public @Nullable String openAiCode() {
    if (tooLong) {
      return TOO_LONG;
    }
    return code != null ? code : status == 402 ? QUOTA : status == 429 ? RATE_LIMIT : null;
  }

  /**
   * The message in OpenAI's formats: of a prompt that is too long in OpenAI's words, by which some
   * clients tell it, with the counts where the message tells which is which.
   */
  public String openAiMessage() {
    String known = message.toLowerCase(Locale.ROOT);
    if (!tooLong || OPEN_AI_WORDS.stream().anyMatch(known::contains)) {
      return message;
    }
    return counts.exceedWindow()
        ? "This model's maximum context length is %d tokens. However, your messages resulted in %d tokens."
            .formatted(counts.window(), counts.most())
        : "Your input exceeds the context window of this model: " + message;
  }

  /** A stream that cannot be read to its end. */
  public static Fault broken(String message) {
    return new Fault(502, "upstream_error", message, null, false, true, TokenCounts.in(""));
  }
}

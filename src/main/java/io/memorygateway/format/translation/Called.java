package io.memorygateway.format.translation;

import io.memorygateway.json.JsonValue;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What the answer to a call has to know of it.
 *
 * @param root the call's body, in its own format
 * @param model that the target is asked for
 * @param alias by which the caller asked for the model; null if it named the model itself. Answers
 *     name it in the place of the model
 * @param maker of the model that answers
 * @param input counts the tokens of the call's input, for a target that does not say them in time
 * @param count counts the tokens of a text of the answer
 */
public record Called(
    JsonValue root,
    Names names,
    String model,
    @Nullable String alias,
    String maker,
    LongSupplier input,
    ToLongFunction<String> count) {
  /** What tells an id of an answer that the gateway has made from those of providers. */
  private static final String MARK = "_mgw";

  /** Random characters behind the id of a target, and the mark. */
  private static final int ADDED = 9;

  /**
   * The longest one that fits, with all these, a prefix and an index, in the 64 of an item's id.
   */
  private static final int MAX_ID = 41;

  /**
   * An id of an answer, which comes once. Many servers give theirs again, and clients join what has
   * one id: behind that of the target, if it fits, stands what makes it another one.
   *
   * @param prefix of such ids in the caller's format
   */
  public static String answerId(String prefix, String target) {
    String own = target.startsWith(prefix) ? target.substring(prefix.length()) : target;
    boolean fits =
        !own.isEmpty()
            && own.length() <= MAX_ID
            && own.chars()
                .allMatch(c -> c < 128 && (Character.isLetterOrDigit(c) || c == '_' || c == '-'));
    return prefix + (fits ? own : CallIds.random()) + MARK + CallIds.random().substring(0, ADDED);
  }

  /** Whether the gateway has made an id of an answer, which no provider knows then. */
  public static boolean isMadeHere(String answerId) {
    return answerId.contains(MARK);
  }

  /** The model that an answer names: where the target names none, the one it was asked for. */
  public String model(String answered) {
    return alias != null ? alias : answered.isEmpty() ? model : answered;
  }
}

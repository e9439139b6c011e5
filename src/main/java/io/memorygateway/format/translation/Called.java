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

  /** The model that an answer names: where the target names none, the one it was asked for. */
  public String model(String answered) {
    return alias != null ? alias : answered.isEmpty() ? model : answered;
  }
}

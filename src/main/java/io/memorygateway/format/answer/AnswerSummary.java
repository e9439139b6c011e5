package io.memorygateway.format.answer;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The id, the model and the finish reasons of an answer, as far as they are known.
 *
 * @param id that the upstream gave it
 * @param model that answered, by the upstream's own name
 * @param finishReasons why it ended, of each choice; of Responses, the reason why it is incomplete,
 *     or else its status
 */
public record AnswerSummary(
    @Nullable String id, @Nullable String model, List<String> finishReasons) {
  public AnswerSummary {
    finishReasons = List.copyOf(finishReasons);
  }
}

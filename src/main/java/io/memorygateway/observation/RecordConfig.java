package io.memorygateway.observation;

import io.memorygateway.json.JsonOut;
import org.jspecify.annotations.Nullable;

/**
 * What a record says of how it was made: {@code {"messageTokens","observationTokens","observer":
 * "model"|"extractive","model"?,"promptVersion"?}}. {@code extractive} together with a model: the
 * model failed, and the extractive observer took its place for the latest addition.
 */
final class RecordConfig {
  private final @Nullable String model;

  RecordConfig(@Nullable String model) {
    this.model = model;
  }

  String json(ObservationConfig config, boolean byModel, PromptTemplate prompt) {
    JsonOut out =
        new JsonOut(160)
            .ascii("{\"messageTokens\":")
            .number(config.messageTokens())
            .ascii(",\"observationTokens\":")
            .number(config.observationTokens())
            .ascii(",\"observer\":")
            .string(byModel ? "model" : "extractive");
    if (model != null) {
      out.ascii(",\"model\":").string(model);
    }
    if (byModel) {
      out.ascii(",\"promptVersion\":").string(prompt.version());
    }
    return out.ascii("}").toString();
  }
}

package io.memorygateway.observation;

import io.memorygateway.json.JsonWriter;
import org.jspecify.annotations.Nullable;

/**
 * Settings a record was made with: {@code {"messageTokens","observationTokens","observer":
 * "model"|"extractive","model"?,"promptVersion"?}}. {@code extractive} together with a model: the
 * model failed, and the extractive observer made the latest addition.
 */
final class RecordConfig {
  private final @Nullable String model;

  RecordConfig(@Nullable String model) {
    this.model = model;
  }

  String json(ObservationConfig config, boolean byModel, String promptVersion) {
    JsonWriter out =
        new JsonWriter(160)
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
      out.ascii(",\"promptVersion\":").string(promptVersion);
    }
    return out.ascii("}").toString();
  }
}

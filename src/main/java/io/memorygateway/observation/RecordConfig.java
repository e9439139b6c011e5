package io.memorygateway.observation;

import io.memorygateway.json.JsonWriter;
import io.memorygateway.observation.text.ModelObserver;
import org.jspecify.annotations.Nullable;

/**
 * Settings a record was made with: {@code {"messageTokens","observationTokens","observer":
 * "model"|"extractive","model"?,"promptVersion"?}}. {@code extractive} together with a model: the
 * model failed, and the extractive observer made the latest addition.
 */
record RecordConfig(@Nullable String model) {
  String json(ContextConfig config, boolean byModel, String promptVersion) {
    return json(
        new JsonWriter(160)
            .ascii("{\"messageTokens\":")
            .number(config.messageTokens())
            .ascii(",\"observationTokens\":")
            .number(config.observationTokens()),
        byModel,
        promptVersion);
  }

  /** The settings of a resource's record: its bound in place of the thresholds. */
  String ofResource(int resourceTokens, boolean byModel) {
    JsonWriter out = new JsonWriter(160).ascii("{\"resourceTokens\":").number(resourceTokens);
    return json(out, byModel, ModelObserver.RESOURCE_PROMPT);
  }

  private String json(JsonWriter out, boolean byModel, String promptVersion) {
    out.ascii(",\"observer\":").string(byModel ? "model" : "extractive");
    if (model != null) {
      out.ascii(",\"model\":").string(model);
    }
    if (byModel) {
      out.ascii(",\"promptVersion\":").string(promptVersion);
    }
    return out.ascii("}").toString();
  }
}

package io.memorygateway.proxy.count;

import io.memorygateway.format.Format;
import io.memorygateway.format.call.BroughtTools;
import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.Utterance;
import io.memorygateway.format.translation.Dropped;
import io.memorygateway.format.translation.Translator;
import io.memorygateway.json.JsonValue;
import io.memorygateway.observation.text.TokenCounter;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Counts the tokens of a call's input where no provider does (contract §14): texts, tools as their
 * JSON, and images by their size.
 */
public record InputTokens(TokenCounter counter) {
  /**
   * Counts the input of a call.
   *
   * @param root the body
   * @throws MalformedBodyException if it is no call of the format
   */
  public long of(Format format, JsonValue root) throws MalformedBodyException {
    List<JsonValue> brought = BroughtTools.in(root);
    Translator translator = format.translator();
    long tokens =
        ofTools(translator, root.get("tools"), counter) + added(translator, brought, counter);
    for (JsonValue tool : brought) {
      tokens += counter.count(tool.raw());
    }
    for (Utterance message : translator.read(root, new Dropped()).messages()) {
      tokens += of(message.parts(), format.hasImageDetail());
    }
    return tokens;
  }

  /** Tools as their JSON, and what translation adds to them, which providers count likewise. */
  static long ofTools(Translator format, @Nullable JsonValue tools, TokenCounter counter) {
    if (tools == null || tools.isNull()) {
      return 0;
    }
    return counter.count(tools.raw()) + added(format, tools.items(), counter);
  }

  /** What translation adds to tools. */
  static long added(Translator format, List<JsonValue> tools, TokenCounter counter) {
    long tokens = 0;
    for (Map.Entry<String, Long> text : format.addedTo(tools).entrySet()) {
      tokens += counter.count(text.getKey()) * text.getValue();
    }
    return tokens;
  }

  private long of(List<Part> parts, boolean inTiles) {
    long tokens = 0;
    for (Part part : parts) {
      tokens += of(part, inTiles);
    }
    return tokens;
  }

  private long of(Part part, boolean inTiles) {
    if (part instanceof Part.Text text) {
      return counter.count(text.text());
    }
    if (part instanceof Part.ToolCall call) {
      return (long) counter.count(call.name()) + counter.count(call.arguments());
    }
    if (part instanceof Part.ToolResult result) {
      return of(result.content(), inTiles);
    }
    if (part instanceof Part.Image image) {
      return ImageTokens.of(image.media(), image.detail(), inTiles, false);
    }
    if (part instanceof Part.File file) {
      String text = file.media().text();
      return text == null ? FileTokens.of(file.media(), counter) : counter.count(text);
    }
    if (part instanceof Part.Other other) {
      return counter.count(other.text());
    }
    return counter.count(part.source().raw());
  }
}

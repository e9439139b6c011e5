package io.memorygateway.format.call;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import io.memorygateway.json.Edit;
import io.memorygateway.json.Json;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.json.Utf8;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads a request's body in one pass over its tokens. */
final class RequestBodyReader {
  /** Models that one call may name in a list; more would only make it fail later. */
  static final int MAX_MODELS = 10;

  /** Longest name of a model in characters. */
  static final int MAX_MODEL_LENGTH = 255;

  /** Members with options of gateways, in which they may name models, at any depth. */
  private static final Set<String> OPTIONS =
      Set.of("plugins", "provider_options", "provideroptions", "extra_body", "gateway");

  /** Members of a fallback that change neither its model nor what it may cost. */
  private static final Set<String> HARMLESS = Set.of("max_tokens", "thinking", "output_config");

  private final byte[] bytes;
  private final @Nullable String modelOfPath;
  private final boolean needsModel;
  private @Nullable String model;
  private int modelStart;
  private int modelEnd;
  private boolean streamSeen;
  private boolean stream;
  private boolean streamOptionsSeen;
  private @Nullable Edit usageEdit;
  private boolean modelsSeen;
  private @Nullable List<String> models;
  private int modelsStart;
  private int modelsEnd;
  private @Nullable String promptCacheKey;
  private final Map<String, String> held = new HashMap<>();
  private boolean background;
  private boolean thread;
  private @Nullable List<String> fallbacks;
  private final ToolModels tools = new ToolModels();
  private boolean foreignModels;

  /**
   * @param modelOfPath takes the place of {@code model}; null for none
   * @param needsModel whether a body without a model is refused
   */
  RequestBodyReader(byte[] bytes, @Nullable String modelOfPath, boolean needsModel) {
    this.bytes = bytes;
    this.modelOfPath = modelOfPath;
    this.needsModel = needsModel;
  }

  RequestBody read() throws MalformedBodyException {
    if (!Utf8.isValid(bytes)) {
      throw new MalformedBodyException("The body is not valid UTF-8.");
    }
    int begin;
    try (JsonParser parser = Json.open(bytes, 0, bytes.length)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new MalformedBodyException("The body must be a JSON object.");
      }
      begin = Json.start(parser) + 1;
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        readMember(parser);
      }
      if (parser.nextToken() != null) {
        throw new MalformedBodyException("The body must be a single JSON object.");
      }
    } catch (StreamConstraintsException e) {
      throw new MalformedBodyException("The body is nested too deeply.");
    } catch (IOException e) {
      throw new MalformedBodyException("The body is not valid JSON.");
    }
    if (modelOfPath != null) {
      return new RequestBodyReader(withModelOfPath(modelOfPath, begin), null, true).read();
    }
    boolean named = model != null;
    String first = named || models == null ? model : models.get(0);
    if (first == null) {
      if (!needsModel) {
        return new RequestBody(bytes, "", 0, 0, stream, null, null, kept());
      }
      throw new MalformedBodyException("model is required.");
    }
    if (!named) {
      modelStart = modelsStart;
      modelEnd = modelsEnd;
    }
    if (!streamOptionsSeen) {
      usageEdit = Edit.insert(modelEnd, ",\"stream_options\":{\"include_usage\":true}");
    }
    return new RequestBody(
        bytes,
        first,
        modelStart,
        modelEnd,
        stream,
        usageEdit,
        models == null
            ? null
            : new RequestBody.ModelList(
                models, named ? removal() : new Edit(modelsStart, modelsEnd, ""), !named),
        kept());
  }

  private RequestBody.Kept kept() {
    List<String> all =
        Stream.concat(Stream.ofNullable(fallbacks).flatMap(List::stream), tools.advisors().stream())
            .distinct()
            .toList();
    return new RequestBody.Kept(
        promptCacheKey,
        held,
        Map.of(),
        background,
        thread,
        all,
        tools.painters(),
        foreignModels || tools.foreign());
  }

  private byte[] withModelOfPath(String name, int begin) {
    String quoted = JsonWriter.quote(name);
    int next = begin;
    while (isBlank(bytes[next])) {
      next++;
    }
    Edit edit =
        model == null
            ? Edit.insert(begin, "\"model\":" + quoted + (bytes[next] == '}' ? "" : ","))
            : new Edit(modelStart, modelEnd, quoted);
    return Edit.apply(bytes, List.of(edit));
  }

  /** Removes {@code models} with the comma before it or, for the first member, behind it. */
  private Edit removal() {
    int before = modelsStart - 1;
    while (isBlank(bytes[before])) {
      before--;
    }
    if (bytes[before] == ',') {
      return new Edit(before, modelsEnd, "");
    }
    int after = modelsEnd;
    while (isBlank(bytes[after])) {
      after++;
    }
    return new Edit(modelsStart, bytes[after] == ',' ? after + 1 : modelsEnd, "");
  }

  private static boolean isBlank(byte b) {
    return b == ' ' || b == '\t' || b == '\n' || b == '\r';
  }

  private void readMember(JsonParser parser) throws IOException, MalformedBodyException {
    String name = parser.currentName();
    int start = name.equals("models") ? Json.start(parser) : 0;
    JsonToken value = parser.nextToken();
    switch (name) {
      case "model" -> readModel(parser, value);
      case "models" -> readModels(parser, value, start);
      case "fallbacks" -> readFallbacks(parser, value);
      case "tools" -> tools.readTools(parser);
      case "input" -> tools.readItems(parser);
      case "messages" -> tools.readMessages(parser);
      case "stream" -> {
        refuseSecond(streamSeen, name);
        streamSeen = true;
        stream = readBoolean(value, name);
      }
      case "stream_options" -> {
        refuseSecond(streamOptionsSeen, name);
        streamOptionsSeen = true;
        readStreamOptions(parser, value);
      }
      case "background" -> {
        // Lenient servers take a text or a number for true, too.
        background |= value != JsonToken.VALUE_FALSE && value != JsonToken.VALUE_NULL;
        parser.skipChildren();
      }
      case "thread" -> {
        thread = value == JsonToken.START_OBJECT;
        parser.skipChildren();
      }
      case "previous_response_id", "conversation" -> {
        if (value != JsonToken.VALUE_NULL) {
          held.put(name, value == JsonToken.VALUE_STRING ? parser.getText() : "");
        }
        parser.skipChildren();
      }
      case "prompt_cache_key" -> {
        promptCacheKey = value == JsonToken.VALUE_STRING ? parser.getText() : null;
        parser.skipChildren();
      }
      default -> {
        // Some servers read names of members whatever their case.
        boolean hasOptions = OPTIONS.contains(name.toLowerCase(Locale.ROOT));
        foreignModels |=
            (ToolModels.namesModels(name) && ToolModels.isSaid(parser))
                || (hasOptions && ToolModels.hasModels(parser, value));
        parser.skipChildren();
      }
    }
  }

  private void readModel(JsonParser parser, JsonToken value)
      throws IOException, MalformedBodyException {
    refuseSecond(model != null, "model");
    if (value != JsonToken.VALUE_STRING) {
      throw new MalformedBodyException("model must be a string.");
    }
    modelStart = Json.start(parser);
    modelEnd = Json.end(parser, bytes);
    model = parser.getText();
    if (model.isBlank()) {
      throw new MalformedBodyException("model must not be blank.");
    }
    checkLength(model, "model");
  }

  private static void checkLength(String model, String member) throws MalformedBodyException {
    if (model.length() > MAX_MODEL_LENGTH) {
      throw new MalformedBodyException(
          "%s must have at most %d characters.".formatted(member, MAX_MODEL_LENGTH));
    }
  }

  /** Reads {@code models}; a value that is no list of names is left to the upstream. */
  private void readModels(JsonParser parser, JsonToken value, int start)
      throws IOException, MalformedBodyException {
    boolean again = modelsSeen;
    modelsSeen = true;
    models = null;
    foreignModels |= again;
    if (value != JsonToken.START_ARRAY) {
      foreignModels |= ToolModels.isSaid(parser);
      return;
    }
    List<String> names = new ArrayList<>();
    boolean good = !again;
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      if (parser.currentToken() == JsonToken.VALUE_STRING) {
        String name = parser.getText();
        checkLength(name, "A name in models");
        if (names.size() == MAX_MODELS) {
          throw new MalformedBodyException("models names more than " + MAX_MODELS + " models.");
        }
        good &= !name.isBlank();
        names.add(name);
      } else {
        good = false;
        parser.skipChildren();
      }
    }
    foreignModels |= !good;
    if (good && !names.isEmpty()) {
      models = names;
      modelsStart = start;
      modelsEnd = Json.end(parser, bytes);
    }
  }

  /** Reads {@code fallbacks} of Messages, which are left to the upstream whatever they are. */
  private void readFallbacks(JsonParser parser, JsonToken value) throws IOException {
    boolean good = fallbacks == null;
    List<String> names = new ArrayList<>();
    if (value == JsonToken.START_ARRAY) {
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        String name = readFallback(parser);
        good &= name != null && names.size() < MAX_MODELS;
        if (good) {
          names.add(name);
        }
      }
    } else {
      good &= !ToolModels.isSaid(parser);
    }
    foreignModels |= !good;
    fallbacks = names;
  }

  /** The model of a fallback; null if there is none, or it says what only the upstream can read. */
  private static @Nullable String readFallback(JsonParser parser) throws IOException {
    String name = parser.currentToken() == JsonToken.VALUE_STRING ? parser.getText() : null;
    boolean good = true;
    if (parser.currentToken() == JsonToken.START_OBJECT) {
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String member = parser.currentName();
        JsonToken value = parser.nextToken();
        if (member.equals("model") && name == null && value == JsonToken.VALUE_STRING) {
          name = parser.getText();
        } else if (member.equals("speed")) {
          good &= value == JsonToken.VALUE_NULL || parser.getText().equals("standard");
        } else {
          good &= HARMLESS.contains(member);
        }
        parser.skipChildren();
      }
    } else {
      parser.skipChildren();
    }
    boolean named = name != null && !name.isBlank() && name.length() <= MAX_MODEL_LENGTH;
    return good && named ? name : null;
  }

  private void readStreamOptions(JsonParser parser, JsonToken value)
      throws IOException, MalformedBodyException {
    int start = Json.start(parser);
    if (value == JsonToken.VALUE_NULL) {
      usageEdit = new Edit(start, start + 4, "{\"include_usage\":true}");
      return;
    }
    if (value != JsonToken.START_OBJECT) {
      throw new MalformedBodyException("stream_options must be an object.");
    }
    boolean empty = true;
    boolean usageSeen = false;
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      empty = false;
      String name = parser.currentName();
      JsonToken option = parser.nextToken();
      if (name.equals("include_usage")) {
        refuseSecond(usageSeen, "stream_options.include_usage");
        usageSeen = true;
        if (!readBoolean(option, "stream_options.include_usage")) {
          int at = Json.start(parser);
          usageEdit = new Edit(at, at + parser.getTextLength(), "true");
        }
      } else {
        parser.skipChildren();
      }
    }
    if (!usageSeen) {
      usageEdit = Edit.insert(start + 1, "\"include_usage\":true" + (empty ? "" : ","));
    }
  }

  /** A boolean member; null counts as false. */
  private static boolean readBoolean(JsonToken value, String name) throws MalformedBodyException {
    return switch (value) {
      case VALUE_TRUE -> true;
      case VALUE_FALSE, VALUE_NULL -> false;
      default -> throw new MalformedBodyException(name + " must be a boolean.");
    };
  }

  private static void refuseSecond(boolean seen, String name) throws MalformedBodyException {
    if (seen) {
      throw new MalformedBodyException(name + " is given twice.");
    }
  }
}

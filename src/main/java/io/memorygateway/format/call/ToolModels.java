package io.memorygateway.format.call;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.memorygateway.json.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The models that the tools of a call name, and what names models in its other members. */
final class ToolModels {
  /** Members that name models, or tools that have some, and what such names end with. */
  private static final Set<String> MODELS =
      Set.of("model", "models", "fallbacks", "tools", "preset", "advisor");

  private static final List<String> ENDINGS = List.of("fallbacks", "fallback_models");

  /** Types of tools that need no model. */
  private static final Set<String> TOOLS = Set.of("function", "custom");

  /** The type of a tool whose model is no model of answers. */
  private static final String PAINTER = "image_generation";

  private final List<String> advisors = new ArrayList<>();
  private final List<String> painters = new ArrayList<>();
  private boolean foreign;

  /** Models that tools ask. */
  List<String> advisors() {
    return advisors;
  }

  /** Models that make images for tools. */
  List<String> painters() {
    return painters;
  }

  /** Whether a tool may name models in a way that is left to the provider to read. */
  boolean foreign() {
    return foreign;
  }

  void readTools(JsonParser parser) throws IOException {
    Json.readObjects(parser, this::readTool);
  }

  /** Reads {@code messages}, of which blocks of Messages may define tools. */
  void readMessages(JsonParser parser) throws IOException {
    Json.readObjects(
        parser,
        message ->
            Json.readMembers(
                message,
                name -> {
                  if (name.equals("content")) {
                    Json.readObjects(parser, this::readBlock);
                  }
                }));
  }

  private void readBlock(JsonParser parser) throws IOException {
    Json.readMembers(
        parser,
        name -> {
          if (name.equals("tool")) {
            Json.readMembers(parser, member -> readDefinition(member, parser));
          } else if (name.equals("tool_changes")) {
            Json.readObjects(parser, this::readBlock);
          }
        });
  }

  private void readDefinition(String member, JsonParser parser) throws IOException {
    if (member.equals("definition") && parser.currentToken() == JsonToken.START_OBJECT) {
      readTool(parser);
    }
  }

  /** Reads {@code input} of Responses, whose items may bring tools. */
  void readItems(JsonParser parser) throws IOException {
    Json.readObjects(parser, this::readItem);
  }

  private void readItem(JsonParser parser) throws IOException {
    Json.readMembers(
        parser,
        name -> {
          if (name.equals("tools")) {
            readTools(parser);
          }
        });
  }

  /** Reads a tool: one of the provider that asks a model names it. */
  private void readTool(JsonParser parser) throws IOException {
    boolean asksModel = false;
    boolean isAdvisor = false;
    boolean isPainter = false;
    boolean isForeign = false;
    List<String> names = new ArrayList<>();
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String member = parser.currentName();
      JsonToken value = parser.nextToken();
      if (member.equals("type") && value == JsonToken.VALUE_STRING) {
        boolean paints = parser.getText().equals(PAINTER);
        isPainter |= paints;
        asksModel |= !paints && !TOOLS.contains(parser.getText());
        isAdvisor |= CallMembers.isAdvisor(parser.getText());
      } else if (member.equals("model") && value == JsonToken.VALUE_STRING) {
        names.add(parser.getText());
      } else if (member.equals("parameters") && value == JsonToken.START_OBJECT) {
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
          String name = parser.currentName();
          JsonToken parameter = parser.nextToken();
          if (name.equals("model") && parameter == JsonToken.VALUE_STRING) {
            names.add(parser.getText());
          } else {
            isForeign |= hasModelName(name) ? isSaid(parser) : hasModels(parser, parameter);
            parser.skipChildren();
          }
        }
      } else if (member.equals("tools")) {
        readTools(parser);
      } else {
        isForeign |= hasModelName(member) && isSaid(parser);
        parser.skipChildren();
      }
    }
    if (asksModel || isPainter) {
      boolean good =
          names.stream()
                  .noneMatch(
                      name -> name.isBlank() || name.length() > RequestBodyReader.MAX_MODEL_LENGTH)
              && names.size() <= 1
              && advisors.size() + painters.size() + names.size() <= RequestBodyReader.MAX_MODELS;
      foreign |= isForeign || !good || (isAdvisor && names.isEmpty());
      (asksModel ? advisors : painters).addAll(good ? names : List.of());
    }
  }

  private static boolean hasModelName(String member) {
    return namesModels(member) || member.toLowerCase(Locale.ROOT).contains("model");
  }

  /** Whether a member of this name may name a model, in whatever case its server reads it. */
  static boolean namesModels(String member) {
    String name = member.toLowerCase(Locale.ROOT);
    return MODELS.contains(name) || ENDINGS.stream().anyMatch(name::endsWith);
  }

  /** Whether any object in the value at the current token may name models; reads to its end. */
  static boolean hasModels(JsonParser parser, JsonToken value) throws IOException {
    boolean found = false;
    int depth = value.isStructStart() ? 1 : 0;
    while (depth > 0) {
      JsonToken token = parser.nextToken();
      if (token == JsonToken.FIELD_NAME && namesModels(parser.currentName())) {
        parser.nextToken();
        found |= isSaid(parser);
      } else {
        depth += levels(token);
      }
    }
    return found;
  }

  /** Whether the value at the current token is more than null or empty; reads to its end. */
  static boolean isSaid(JsonParser parser) throws IOException {
    JsonToken value = parser.currentToken();
    boolean said = !value.isStructStart() && value != JsonToken.VALUE_NULL;
    int depth = value.isStructStart() ? 1 : 0;
    while (depth > 0) {
      depth += levels(parser.nextToken());
      said |= depth > 0;
    }
    return said;
  }

  private static int levels(JsonToken token) {
    return token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
  }
}

package io.memorygateway.format.answer;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.memorygateway.figures.Figures;
import io.memorygateway.format.answer.WholeAnswer.Content;
import io.memorygateway.json.Json;
import io.memorygateway.json.NonFinite;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A reader of a format's {@code usage} object. */
@FunctionalInterface
public interface UsageFormat {
  /** The members that hold the content of a whole answer, by format. */
  List<String> CONTENTS = List.of("choices", "content", "output", "output_text", "data");

  /** Members beside {@code error} that say of an answer without content that it is an error. */
  List<String> ERRORS = List.of("errors", "detail");

  /** The member of an answer that counts tokens and has no content. */
  String COUNT = "input_tokens";

  /** Members that name the service tier: of answers, and of Anthropic's usage. */
  List<String> TIERS = List.of("service_tier", "speed");

  /** The member, of Anthropic's usage and calls, that names the region of the models. */
  String REGION = "inference_geo";

  /** Tokens that no call comes to. */
  double MOST = 1e9;

  /** The member that names the model which answers, in all formats. */
  String MODEL = "model";

  /**
   * Reads the value at the current token, to its end; a value that is no object reports nothing.
   */
  Figures read(JsonParser parser) throws IOException;

  /**
   * Reads the top level of a whole answer: its usage, and which other members hold something. It is
   * read as tolerantly as events are.
   *
   * @throws MalformedAnswerException if the answer is not exactly one JSON object
   */
  default WholeAnswer readAnswer(byte[] json) throws MalformedAnswerException {
    try {
      return readJson(json);
    } catch (MalformedAnswerException e) {
      byte[] readable = NonFinite.readable(json);
      if (readable == json) {
        throw e;
      }
      return readJson(readable);
    }
  }

  private WholeAnswer readJson(byte[] json) throws MalformedAnswerException {
    Figures usage = Figures.NONE;
    String tier = null;
    String model = null;
    boolean isError = false;
    boolean failed = false;
    boolean hasContent = false;
    boolean hasMember = false;
    try (JsonParser parser = Json.open(json, 0, json.length)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new MalformedAnswerException();
      }
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = parser.currentName();
        boolean isNull = parser.nextToken() == JsonToken.VALUE_NULL;
        if (name.equals("usage")) {
          usage = read(parser);
        } else if (name.equals(TIERS.get(0))) {
          tier = text(parser);
        } else if (name.equals(MODEL)) {
          model = text(parser);
        } else if (name.equals("status")) {
          failed = WholeAnswer.isFailed(text(parser));
        } else if (CONTENTS.contains(name)) {
          hasMember |= !isNull;
          hasContent |= skip(parser) && !isNull;
        } else {
          boolean object = parser.currentToken() == JsonToken.START_OBJECT;
          isError |= name.equals("error") && (UpstreamError.isReported(parser) || object);
          isError |= ERRORS.contains(name) && UpstreamError.isReported(parser);
          isError |= name.equals("object") && "error".equals(text(parser));
          hasMember |= name.equals(COUNT) && !isNull;
          parser.skipChildren();
        }
      }
      if (parser.nextToken() != null) {
        throw new MalformedAnswerException();
      }
    } catch (IOException e) {
      throw new MalformedAnswerException();
    }
    usage = usage.withServiceTier(tier).withModel(model);
    if (failed || (isError && !hasContent)) {
      return new WholeAnswer(usage, hasContent ? Content.PART : Content.ERROR);
    }
    return new WholeAnswer(usage, hasMember ? Content.ANSWER : Content.NEITHER);
  }

  /**
   * The current token as a count of tokens; {@link Figures#UNKNOWN} if it is invalid, or one that
   * no call comes to and that sums could not hold for long.
   */
  static long count(JsonParser parser) throws IOException {
    double count = parser.currentToken().isNumeric() ? parser.getDoubleValue() : Figures.UNKNOWN;
    return count >= 0 && count < MOST && count == Math.rint(count) ? (long) count : Figures.UNKNOWN;
  }

  /** Whether models cost more in a region, by the name that Anthropic has for it. */
  static boolean isDearRegion(@Nullable String name) {
    return "us".equals(name);
  }

  /** The value at the current token, read to its end; null if it is no string. */
  static @Nullable String text(JsonParser parser) throws IOException {
    String text = parser.currentToken() == JsonToken.VALUE_STRING ? parser.getText() : null;
    parser.skipChildren();
    return text;
  }

  /** Skips the value at the current token; false if it is an empty array or text. */
  private static boolean skip(JsonParser parser) throws IOException {
    if (parser.currentToken() != JsonToken.START_ARRAY) {
      parser.skipChildren();
      return parser.currentToken() != JsonToken.VALUE_STRING || parser.getTextLength() > 0;
    }
    boolean hasItems = false;
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      parser.skipChildren();
      hasItems = true;
    }
    return hasItems;
  }
}

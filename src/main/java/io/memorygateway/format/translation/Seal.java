package io.memorygateway.format.translation;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.Shape;
import io.memorygateway.json.JsonObject;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.MalformedJsonException;
import io.memorygateway.json.ParseOptions;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reasoning in its maker's own form, as another format carries it in the place of a signature or of
 * encrypted content: what comes back to its maker is sent in that form again.
 *
 * @param maker of the model that reasoned
 * @param format of the maker
 * @param raw JSON: of Chat an object of the members of a message that are reasoning ({@code
 *     reasoning_content}, {@code reasoning}, {@code reasoning_details}), or that have what is
 *     ({@code content}) or a signature ({@code extra_content}, {@code tool_calls}); of Messages one
 *     block, of Responses one item
 */
public record Seal(String maker, Shape format, String raw) {
  /** The format of a seal in {@code reasoning_details}, and what each one begins with. */
  public static final String FORMAT = "memory-gateway-v1";

  private static final String BEGIN = FORMAT + ".";
  private static final byte[] BEGIN_BYTES = BEGIN.getBytes(UTF_8);

  /** Bytes of reasoning for each of its JSON values: what has more values is none. */
  private static final int BYTES_PER_VALUE = 8;

  private static final int LEAST_VALUES = 64;

  /** The text that a format carries: ASCII letters, digits, {@code . - _}. */
  public String text() {
    String json =
        new JsonObject(raw.length() + 64)
            .string("maker", maker)
            .string("format", format.name().toLowerCase(Locale.ROOT))
            .raw("raw", raw)
            .toString();
    return BEGIN + Base64.getUrlEncoder().withoutPadding().encodeToString(json.getBytes(UTF_8));
  }

  /** Whether a text is one of the gateway's seals, readable or not. */
  public static boolean isSeal(String text) {
    return text.startsWith(BEGIN);
  }

  /** Whether a body may hold seals; far cheaper than parsing it. */
  public static boolean mayHold(byte[] body) {
    int length = BEGIN_BYTES.length;
    for (int at = 0; at <= body.length - length; at++) {
      if (body[at] == BEGIN_BYTES[0]
          && Arrays.equals(body, at, at + length, BEGIN_BYTES, 0, length)) {
        return true;
      }
    }
    return false;
  }

  /** The seal of a text; null if it is none, or was altered. */
  public static @Nullable Seal of(String text) {
    if (!isSeal(text)) {
      return null;
    }
    try {
      byte[] bytes = Base64.getUrlDecoder().decode(text.substring(BEGIN.length()));
      int values = LEAST_VALUES + bytes.length / BYTES_PER_VALUE;
      JsonValue json = JsonValue.parse(bytes, ParseOptions.LENIENT.withMaxValues(values));
      JsonValue raw = json.get("raw");
      Shape format = Shape.valueOf(json.text("format").toUpperCase(Locale.ROOT));
      return raw == null || !raw.isObject()
          ? null
          : new Seal(json.text("maker"), format, raw.raw());
    } catch (IllegalArgumentException | MalformedJsonException e) {
      return null;
    }
  }

  /** The seal that a part of reasoning carries, in the form of any format; null if it has none. */
  public static @Nullable Seal in(Part.Reasoning part) {
    List<Seal> seals = allIn(part);
    return seals.isEmpty() ? null : seals.get(0);
  }

  /** The seals of a part: one of Chat has those of all pieces of reasoning of its message. */
  public static List<Seal> allIn(Part.Reasoning part) {
    JsonValue source = part.source();
    return Stream.concat(
            Stream.of("signature", "data", "encrypted_content").map(source::text),
            source.at("reasoning_details").items().stream().map(detail -> detail.text("data")))
        .map(Seal::of)
        .filter(Objects::nonNull)
        .toList();
  }

  /** The reasoning as a part of its maker's format. */
  public Part.Reasoning part() {
    return new Part.Reasoning(JsonValue.of(raw), format);
  }
}

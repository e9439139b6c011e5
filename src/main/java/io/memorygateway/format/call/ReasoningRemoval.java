package io.memorygateway.format.call;

import io.memorygateway.format.content.Part;
import io.memorygateway.json.Edit;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.ParseOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Removes reasoning from a request, for a model of another maker: others refuse signed thoughts,
 * encrypted reasoning and signatures of tool calls; or puts a blank one where a server demands
 * some. All other bytes are unchanged.
 */
public final class ReasoningRemoval {
  private static final Set<String> CHAT_MEMBERS =
      Set.of("reasoning", "reasoning_content", "reasoning_details", "extra_content", "thinking");
  private static final Set<String> BLOCKS = Set.of("thinking", "redacted_thinking");

  /** Content of a message that had only reasoning: no message may be empty. */
  private static final String NO_TEXT = "{\"type\":\"text\",\"text\":\"(no text)\"}";

  /** As clients write it for servers that make no signatures. */
  private static final String NO_THOUGHT =
      "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}";

  private static final String IN_CONTAINER = "code_interpreter_call";

  private static final String DROP_BOUND =
      "\"block_binding\":{\"prefix_mismatch_behavior\":\"drop_block\"}";

  private ReasoningRemoval() {}

  /** Whether the body contains any of the words that the formats have for what is removed. */
  public static boolean mayHold(byte[] body) {
    String text = new String(body, StandardCharsets.ISO_8859_1);
    return text.contains("reasoning")
        || text.contains("thinking")
        || text.contains("extra_content")
        || text.contains(IN_CONTAINER);
  }

  public static byte[] ofChat(byte[] body) {
    return ofChat(body, CHAT_MEMBERS, false);
  }

  /**
   * Removes members of the model's messages and of its calls, and parts of its contents.
   *
   * @param names of the members, and types of the parts
   * @param streamOptions whether {@code stream_options} is removed, too
   */
  public static byte[] ofChat(byte[] body, Set<String> names, boolean streamOptions) {
    List<Edit> edits = new ArrayList<>();
    JsonValue root = parse(body);
    if (root != null && streamOptions) {
      removeMembers(root, Set.of("stream_options"), edits);
    }
    for (JsonValue message : ofModel(root)) {
      removeMembers(message, names, edits);
      keep(message.get("content"), part -> !names.contains(part.text("type")), NO_TEXT, edits);
      message.at("tool_calls").items().forEach(call -> removeMembers(call, names, edits));
    }
    return applied(body, edits);
  }

  /** Gives those of the model's messages a blank one that have no {@code reasoning_content}. */
  public static byte[] filledOfChat(byte[] body) {
    List<Edit> edits = new ArrayList<>();
    for (JsonValue message : ofModel(parse(body))) {
      if (message.text("reasoning_content").isEmpty()) {
        edits.add(Edit.insert(message.start() + 1, "\"reasoning_content\":\" \","));
        removeMembers(message, Set.of("reasoning_content"), edits);
      }
    }
    return applied(body, edits);
  }

  /** Gives those of the model's messages a blank one that have no thought. */
  public static byte[] filledOfMessages(byte[] body) {
    List<Edit> edits = new ArrayList<>();
    for (JsonValue message : ofModel(parse(body))) {
      JsonValue content = message.at("content");
      if (content.isString()) {
        String text = "[" + NO_THOUGHT + "," + Part.textPart("text", content.raw()) + "]";
        edits.add(new Edit(content.start(), content.end(), text));
      } else if (!content.items().isEmpty()
          && content.items().stream().noneMatch(block -> BLOCKS.contains(block.text("type")))) {
        edits.add(Edit.insert(content.start() + 1, NO_THOUGHT + ","));
      }
    }
    return applied(body, edits);
  }

  /** Whether any of what {@link #ofChat(byte[])} removes is more than null or empty. */
  public static boolean isSaidInChat(byte[] body) {
    return ofModel(parse(body)).stream()
        .flatMap(
            message ->
                Stream.concat(
                    Stream.of(message),
                    Stream.of("content", "tool_calls")
                        .map(message::get)
                        .filter(Objects::nonNull)
                        .flatMap(list -> list.items().stream())))
        .anyMatch(ReasoningRemoval::saysReasoning);
  }

  private static boolean saysReasoning(JsonValue object) {
    return CHAT_MEMBERS.contains(object.text("type"))
        || object.fields().stream()
            .filter(field -> CHAT_MEMBERS.contains(field.name()))
            .map(JsonValue.Field::value)
            .anyMatch(
                value ->
                    !(value.text().isEmpty()
                        && value.items().isEmpty()
                        && value.fields().isEmpty()));
  }

  /** Removes members of the body itself; what is in them is not parsed. */
  public static byte[] ofMembers(byte[] body, Set<String> names) {
    List<Edit> edits = new ArrayList<>();
    JsonValue root = parse(body, ParseOptions.LENIENT.withLevels(1));
    if (root != null) {
      removeMembers(root, names, edits);
    }
    return applied(body, edits);
  }

  /** Removes those thoughts of the model that a provider does not take. */
  public static byte[] ofMessages(byte[] body, Predicate<JsonValue> refused) {
    List<Edit> edits = new ArrayList<>();
    for (JsonValue message : ofModel(parse(body))) {
      keep(
          message.get("content"),
          block -> !(BLOCKS.contains(block.text("type")) && refused.test(block)),
          NO_TEXT,
          edits);
    }
    return applied(body, edits);
  }

  /**
   * Removes those thoughts of the model that were put into a body of Messages.
   *
   * @param received the body before; where it has no message of the model, nothing is removed
   */
  public static byte[] ofAdded(byte[] body, byte[] received) {
    // What was received is read and forgotten before the other one is read.
    Set<String> seals = seals(received);
    return seals.isEmpty() ? body : ofMessages(body, block -> !seals.contains(seal(block)));
  }

  /** Those of all that the model says, with the empty one; none if it says nothing. */
  private static Set<String> seals(byte[] body) {
    return ofModel(parse(body)).stream()
        .flatMap(answer -> Stream.concat(Stream.of(answer), answer.at("content").items().stream()))
        .map(ReasoningRemoval::seal)
        .collect(Collectors.toUnmodifiableSet());
  }

  private static String seal(JsonValue block) {
    return block.text("signature") + block.text("data");
  }

  /**
   * Has Anthropic's API leave out thoughts that are bound to another conversation: those before
   * which anything has changed since they were made.
   *
   * @param body of Messages
   * @return the body itself if the model is not to think, or the caller says what becomes of them
   */
  public static byte[] ofBound(byte[] body) {
    JsonValue root = parse(body, ParseOptions.LENIENT.withLevels(2));
    if (root == null) {
      return body;
    }
    JsonValue thinking = root.member("thinking");
    if (thinking == null) {
      // Models that bind their thoughts think unasked.
      String adaptive = "\"thinking\":{\"type\":\"adaptive\"," + DROP_BOUND + "},";
      return Edit.apply(body, List.of(Edit.insert(root.start() + 1, adaptive)));
    }
    return !thinking.isObject()
            || thinking.text("type").equals("disabled")
            || thinking.get("block_binding") != null
        ? body
        : Edit.apply(body, List.of(Edit.insert(thinking.end() - 1, "," + DROP_BOUND)));
  }

  /**
   * Removes reasoning items, and what was done in containers.
   *
   * @param rest what remains of another item without the reasoning that led to it; empty if nothing
   */
  public static byte[] ofResponses(byte[] body, Function<JsonValue, String> rest) {
    return ofResponses(body, ReasoningRemoval::isOfMaker, rest);
  }

  /** Whether only its maker knows an item, and not for ever: containers of code end in an hour. */
  private static boolean isOfMaker(JsonValue item) {
    return Set.of("reasoning", IN_CONTAINER).contains(item.text("type"));
  }

  /** The same of those items that are refused. */
  public static byte[] ofResponses(
      byte[] body, Predicate<JsonValue> refused, Function<JsonValue, String> rest) {
    JsonValue root = parse(body);
    JsonValue input = root == null ? null : root.get("input");
    List<Edit> edits = new ArrayList<>();
    if (input != null && input.isArray() && input.items().stream().anyMatch(refused)) {
      String kept =
          input.items().stream()
              .filter(refused.negate())
              .map(rest)
              .filter(item -> !item.isEmpty())
              .collect(Collectors.joining(",", "[", "]"));
      edits.add(new Edit(input.start(), input.end(), kept));
    }
    return Edit.apply(body, edits);
  }

  /**
   * Removes the reasoning that the gateway has sealed for its maker, from a body of any format.
   *
   * @param isSeal whether a signature, or encrypted content, is a seal
   */
  public static byte[] ofSeals(byte[] body, Predicate<String> isSeal) {
    List<Edit> edits = new ArrayList<>();
    JsonValue root = parse(body);
    for (JsonValue message : ofModel(root)) {
      if (message.at("reasoning_details").items().stream()
          .anyMatch(each -> isSealed(each, isSeal))) {
        removeMembers(message, CHAT_MEMBERS, edits);
      }
      keep(message.get("content"), block -> !isSealed(block, isSeal), NO_TEXT, edits);
    }
    if (root != null) {
      keep(root.get("input"), item -> !isSealed(item, isSeal), "", edits);
    }
    return applied(body, edits);
  }

  private static boolean isSealed(JsonValue part, Predicate<String> isSeal) {
    return part.isObject()
        && (isSeal.test(part.text("signature"))
            || isSeal.test(part.text("data"))
            || isSeal.test(part.text("encrypted_content")));
  }

  private static List<JsonValue> ofModel(@Nullable JsonValue root) {
    return root == null
        ? List.of()
        : root.at("messages").items().stream()
            .filter(message -> message.text("role").equals("assistant"))
            .toList();
  }

  private static byte[] applied(byte[] body, List<Edit> edits) {
    edits.sort((one, other) -> Integer.compare(one.start(), other.start()));
    return Edit.apply(body, edits);
  }

  private static @Nullable JsonValue parse(byte[] body) {
    return parse(body, ParseOptions.LENIENT);
  }

  private static @Nullable JsonValue parse(byte[] body, ParseOptions options) {
    try {
      return JsonValue.parse(body, options);
    } catch (IOException e) {
      return null; // then it holds no reasoning that the gateway added
    }
  }

  /** Removes the members, each with the comma after it or, for the last ones, before it. */
  private static void removeMembers(JsonValue object, Set<String> names, List<Edit> edits) {
    List<JsonValue.Field> fields = object.fields();
    int kept = -1;
    for (int i = 0; i < fields.size(); i++) {
      if (!names.contains(fields.get(i).name())) {
        kept = i;
      }
    }
    for (int i = 0; i < kept; i++) {
      if (names.contains(fields.get(i).name())) {
        edits.add(new Edit(fields.get(i).nameStart(), fields.get(i + 1).nameStart(), ""));
      }
    }
    if (kept < fields.size() - 1) {
      int from = kept < 0 ? fields.get(0).nameStart() : fields.get(kept).value().end();
      edits.add(new Edit(from, fields.get(fields.size() - 1).value().end(), ""));
    }
  }

  private static void keep(
      @Nullable JsonValue array, Predicate<JsonValue> wanted, String otherwise, List<Edit> edits) {
    if (array == null || !array.isArray()) {
      return;
    }
    List<String> kept = array.items().stream().filter(wanted).map(JsonValue::raw).toList();
    if (kept.size() < array.items().size()) {
      String text = kept.isEmpty() ? otherwise : String.join(",", kept);
      edits.add(new Edit(array.start(), array.end(), "[" + text + "]"));
    }
  }
}

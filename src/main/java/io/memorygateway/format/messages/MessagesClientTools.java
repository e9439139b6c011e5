package io.memorygateway.format.messages;

import static java.util.Objects.requireNonNull;

import io.memorygateway.format.translation.Tool;
import io.memorygateway.format.translation.Translator;
import io.memorygateway.json.JsonObject;
import io.memorygateway.json.JsonValue;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The tools that the caller runs and Anthropic's models know by their type alone, as functions with
 * the members of their calls: other models call them by the same name with the same input.
 */
final class MessagesClientTools {
  /** Members of their own, which the functions say or the caller alone needs. */
  static final Set<String> MEMBERS =
      Set.of(
          "display_width_px",
          "display_height_px",
          "display_number",
          "enable_zoom",
          "max_characters");

  private static final String FILES =
      "'path':#,'view_range':[],'file_text':#,'old_str':#,'new_str':#,'insert_line':0,'insert_text':#";

  private static final Map<String, String> TEXTS =
      Stream.of("bash", "text_editor", "memory", "computer")
          .collect(Collectors.toUnmodifiableMap(type -> type, MessagesClientTools::text));

  private MessagesClientTools() {}

  /** The longest text that the function of this type adds to the tool. */
  private static String text(String type) {
    JsonValue tool = JsonValue.of("{\"name\":\"str_replace_editor\"}");
    Tool.Function function = requireNonNull(of(type, tool, null));
    return new JsonObject()
        .string("function", "")
        .string("description", function.description())
        .raw("parameters", requireNonNull(function.schema()).raw())
        .toString();
  }

  /** See {@link Translator#addedTo}. */
  static Map<String, Long> addedTo(List<JsonValue> tools) {
    return tools.stream()
        .flatMap(
            tool -> Stream.ofNullable(TEXTS.get(MessagesCallReader.undated(tool.text("type")))))
        .collect(Collectors.groupingBy(text -> text, Collectors.counting()));
  }

  /**
   * A client-run tool as a function; null for any other tool.
   *
   * @param type without the date of its version
   */
  static Tool.@Nullable Function of(String type, JsonValue tool, @Nullable Boolean strict) {
    String name = tool.text("name");
    return switch (type) {
      case "bash" ->
          function(
              tool,
              strict,
              "Runs a command in a shell on the user's machine that stays open between calls, and"
                  + " returns what it prints. restart opens a new one.",
              "",
              "'command':#,'restart':{'type':'boolean'}");
      case "text_editor" -> {
        // Its first versions, which are called otherwise, can do one thing more.
        boolean undoes = name.equals("str_replace_editor");
        yield function(
            tool,
            strict,
            "Views and changes text files. view shows a file, or lines of it (view_range: the first"
                + " and the last, -1 for the end), or lists a directory; create writes file_text;"
                + " str_replace replaces old_str, which must stand in the file exactly once, by"
                + " new_str; insert puts a text behind the line insert_line, 0 for the beginning:"
                + " give it as insert_text and again as new_str."
                + (undoes ? " undo_edit takes the last change back." : ""),
            "'command','path'",
            "'command':{'type':'string','enum':['view','create','str_replace','insert'%s]},%s"
                .formatted(undoes ? ",'undo_edit'" : "", FILES));
      }
      case "memory" ->
          function(
              tool,
              strict,
              "Keeps files under /memories from one conversation to the next. Look there before the"
                  + " task, and write down what will be needed later. view shows a file or lists a"
                  + " directory; create writes file_text; str_replace replaces old_str by new_str;"
                  + " insert puts insert_text behind the line insert_line; delete; rename moves"
                  + " old_path to new_path. All but rename need path.",
              "'command'",
              "'command':{'type':'string','enum':['view','create','str_replace','insert','delete','rename']},'old_path':#,'new_path':#,"
                  + FILES);
      case "computer" ->
          function(
              tool,
              strict,
              "Uses the keyboard and the mouse of a screen of %s times %s pixels, and takes pictures of it: take one first, and to see what an action did. coordinate is [x, y] from the top left; text is what to type, or keys such as ctrl+s; duration is in seconds; region is [x0, y0, x1, y1]."
                  .formatted(pixels(tool, "display_width_px"), pixels(tool, "display_height_px")),
              "'action'",
              "'action':{'type':'string','enum':['screenshot','left_click','right_click','middle_click','double_click','triple_click','left_click_drag','left_mouse_down','left_mouse_up','mouse_move','cursor_position','scroll','type','key','hold_key','wait','zoom']},"
                  + "'coordinate':[],'start_coordinate':[],'text':#,'scroll_direction':{'type':'string','enum':['up','down','left','right']},"
                  + "'scroll_amount':0,'duration':{'type':'number'},'region':[]");
      default -> null;
    };
  }

  private static String pixels(JsonValue tool, String member) {
    JsonValue value = tool.get(member);
    return value == null ? "unknown" : value.raw();
  }

  /**
   * @param members of the schema, in short: # for a text, 0 for a whole number, [] for a list of
   *     these
   */
  private static Tool.Function function(
      JsonValue tool,
      @Nullable Boolean strict,
      String description,
      String required,
      String members) {
    String number = "{'type':'integer'}";
    String properties =
        members
            .replace("[]", "{'type':'array','items':" + number + "}")
            .replace(":0", ":" + number)
            .replace("#", "{'type':'string'}");
    String schema =
        new JsonObject()
            .string("type", "object")
            .raw("properties", "{" + properties.replace('\'', '"') + "}")
            .raw("required", "[" + required.replace('\'', '"') + "]")
            .toString();
    return new Tool.Function(
        tool.text("name"), description, JsonValue.of(schema), strict, tool.get("cache_control"));
  }
}

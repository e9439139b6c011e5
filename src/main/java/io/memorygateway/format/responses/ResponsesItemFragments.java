package io.memorygateway.format.responses;

import io.memorygateway.format.answer.Merged;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One output item of a Responses stream, assembled from its events. */
final class ResponsesItemFragments {
  /** Parts in one list of an item; the last one takes the text of those beyond. */
  private static final int MAX_PARTS = 32;

  /**
   * Where the text of events goes.
   *
   * @param list of the item, in which it belongs to a part; empty if it is the item's own
   * @param index member of the event with the number of the part
   * @param member of the part or of the item
   * @param type of the part
   */
  private record Place(String list, String index, String member, String type) {}

  private static final String CONTENT = "content";
  private static final String SUMMARY = "summary";

  private static final Place OUTPUT_TEXT =
      new Place(CONTENT, "content_index", "text", "output_text");

  /** Places by the name of the event, without {@code response.} and what happens. */
  private static final Map<String, Place> PLACES =
      Map.of(
          "output_text", OUTPUT_TEXT,
          "refusal", new Place(CONTENT, "content_index", "refusal", "refusal"),
          "reasoning_text", new Place(CONTENT, "content_index", "text", "reasoning_text"),
          "reasoning_summary_text", new Place(SUMMARY, "summary_index", "text", "summary_text"),
          "function_call_arguments", new Place("", "", "arguments", ""),
          "mcp_call_arguments", new Place("", "", "arguments", ""),
          "custom_tool_call_input", new Place("", "", "input", ""),
          "code_interpreter_call_code", new Place("", "", "code", ""));

  private static final String PREFIX = "response.";
  private static final String DELTA = ".delta";
  private static final String DONE = ".done";

  private final Merged.Room room;
  private final Merged begun;
  private final Merged finished;

  /** The lists that the finished item has: what comes of them behind its end says nothing more. */
  private final Set<String> whole = new HashSet<>();

  /** Texts that belong to the item itself, by member. */
  private final Map<String, Merged> own = new TreeMap<>();

  /** Parts by the list that they are in, and by their number. */
  private final Map<String, TreeMap<Integer, Merged>> parts = new TreeMap<>();

  ResponsesItemFragments(Merged.Room room) {
    this.room = room;
    this.begun = new Merged(room);
    this.finished = new Merged(room);
  }

  void read(String type, JsonValue event) {
    JsonValue member = event.get("item");
    JsonValue item = member != null && member.isObject() ? ResponsesItems.answered(member) : null;
    switch (type) {
      case "response.output_item.added" -> {
        if (item != null) {
          begin(item);
        }
      }
      case "response.output_item.done" -> {
        if (item != null) {
          finish(item);
        }
      }
      case "response.content_part.added" -> addPart(CONTENT, "content_index", event);
      case "response.reasoning_summary_part.added" -> addPart(SUMMARY, "summary_index", event);
      case "response.output_text.annotation.added" -> {
        JsonValue annotation = event.get("annotation");
        if (annotation != null && !whole.contains(CONTENT)) {
          part(OUTPUT_TEXT, event).member("annotations").append(annotation);
        }
      }
      default -> readText(type, event);
    }
  }

  private void begin(JsonValue item) {
    begun.set(item);
    for (String list : new String[] {CONTENT, SUMMARY}) {
      for (JsonValue piece : item.at(list).items()) {
        TreeMap<Integer, Merged> known = parts.computeIfAbsent(list, at -> new TreeMap<>());
        part(list, known.size()).add(piece);
      }
    }
  }

  private void addPart(String list, String index, JsonValue event) {
    JsonValue added = event.get("part");
    if (whole.contains(list)) {
      return;
    }
    Merged part = part(list, numberOf(index, event));
    if (added != null && added.isObject() && part.isEmpty()) {
      part.set(added);
    }
  }

  private void readText(String type, JsonValue event) {
    boolean isDelta = type.endsWith(DELTA);
    if (!type.startsWith(PREFIX) || !(isDelta || type.endsWith(DONE))) {
      return;
    }
    int end = type.length() - (isDelta ? DELTA : DONE).length();
    Place place = PLACES.get(type.substring(PREFIX.length(), Math.max(PREFIX.length(), end)));
    JsonValue text = place == null ? null : event.get(isDelta ? "delta" : place.member());
    if (place == null || text == null || !text.isString() || whole.contains(place.list())) {
      return;
    }
    Merged to =
        place.list().isEmpty()
            ? own.computeIfAbsent(place.member(), at -> new Merged(room))
            : part(place, event).member(place.member());
    if (isDelta) {
      to.add(text);
    } else if (!to.text().equals(text.text())) {
      // Some servers send no fragments before this event.
      to.set(text);
    }
  }

  private Merged part(Place place, JsonValue event) {
    Merged part = part(place.list(), numberOf(place.index(), event));
    if (!part.has("type")) {
      part.member("type").set(JsonValue.of(JsonWriter.quote(place.type())));
    }
    return part;
  }

  private Merged part(String list, int number) {
    return parts
        .computeIfAbsent(list, at -> new TreeMap<>())
        .computeIfAbsent(Math.min(number, MAX_PARTS - 1), at -> new Merged(room));
  }

  private static int numberOf(String index, JsonValue event) {
    return Math.max(0, event.index(index));
  }

  void finish(JsonValue item) {
    finished.set(item);
    String type = ResponsesItems.typeOf(item);
    boolean mayHavePieces = type.equals("message") || type.equals("reasoning");
    for (String list : new String[] {CONTENT, SUMMARY}) {
      if (!mayHavePieces || !ResponsesAnswerReader.parts(item, list).isEmpty()) {
        whole.add(list);
        parts.remove(list);
      }
    }
  }

  private static boolean says(Merged part) {
    return Stream.of("text", "refusal")
        .anyMatch(name -> part.has(name) && !part.member(name).text().isEmpty());
  }

  /** The type; empty if it is not known. */
  String type() {
    Merged item = isDone() ? finished : begun;
    return item.isEmpty()
        ? isThought() ? "reasoning" : parts.isEmpty() ? "" : "message"
        : item.has("type") ? item.member("type").text() : "";
  }

  /** Whether the first of its parts is of reasoning. */
  private boolean isThought() {
    TreeMap<Integer, Merged> said = parts.get(CONTENT);
    return said == null
        ? parts.containsKey(SUMMARY)
        : said.firstEntry().getValue().member("type").text().equals("reasoning_text");
  }

  boolean isBegun() {
    return !begun.isEmpty();
  }

  boolean isDone() {
    return !finished.isEmpty();
  }

  /** The item, as far as it was received; null if that is nothing. */
  @Nullable JsonValue json() {
    Merged item = isDone() ? finished : begun;
    if (item.isEmpty() && !parts.isEmpty()) {
      // Some servers do not announce their items.
      item.hold(
          JsonValue.of(
              isThought()
                  ? "{\"type\":\"reasoning\",\"summary\":[],\"status\":\"\"}"
                  : "{\"type\":\"message\",\"role\":\"assistant\",\"status\":\"\"}"));
    }
    if (item.isEmpty()) {
      return null;
    }
    own.forEach(
        (name, text) -> {
          if (item.member(name).text().isEmpty()) {
            item.member(name).hold(JsonValue.of(text.json()));
          }
        });
    parts.forEach(
        (name, list) -> {
          if (!isDone() || list.values().stream().anyMatch(ResponsesItemFragments::says)) {
            item.member(name).hold(JsonValue.of(json(list.values())));
          }
        });
    if (!isDone() && item.has("status")) {
      item.member("status").hold(JsonValue.of("\"incomplete\""));
    }
    return JsonValue.of(item.json());
  }

  private static String json(Collection<Merged> parts) {
    return parts.stream()
        .filter(part -> !part.isEmpty())
        .map(Merged::json)
        .collect(Collectors.joining(",", "[", "]"));
  }
}

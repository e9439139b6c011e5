package io.memorygateway.format.answer;

import io.memorygateway.format.content.Part;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import io.memorygateway.json.ValueCount;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A JSON value that is put together from the pieces of a stream, as the makers' own SDKs do it:
 * texts are joined, objects merged member by member, and lists entry by entry, told by index and
 * id; of anything else the last piece counts, and a piece of another kind is ignored. What comes in
 * one piece keeps its bytes. The work is proportional to the pieces, and what is held is bounded by
 * the room for it.
 */
public final class Merged {
  private static final String SIGNATURE = "signature";

  /** Texts that come in one piece, and that some servers repeat. */
  private static final Set<String> WHOLE =
      Set.of("id", "type", "role", "format", "object", "status", SIGNATURE, "thought_signature");

  /** A text that comes in pieces, or repeated whole. */
  private static final String NAME = "name";

  /** Characters at which a name in pieces ends. */
  public static final int MAX_NAME_LENGTH = 1024;

  /** Members that go on in the next entry of a list, where entries have neither index nor id. */
  private static final List<String> GROWING = List.of("text", "thinking", "function");

  /** Characters; a longer index tells nothing. */
  private static final int MAX_INDEX_LENGTH = 20;

  /** Levels that are merged; of deeper values the last counts. */
  private static final int LEVELS = 8;

  /** What all values of an answer may hold together. */
  @FunctionalInterface
  public interface Room {
    /** Whether more may be held: so many characters, in so many values. */
    boolean takes(long characters, long values);
  }

  private final Room room;
  private final int levels;
  private String id = "";
  private String type = "";

  // One of these: not taken apart yet, a text, an object, or a list.
  private @Nullable String raw;
  private @Nullable StringBuilder text;
  private @Nullable Map<String, Merged> members;
  private @Nullable List<Merged> entries;

  /** The last entries of a list with an index or id. */
  private Map<String, Merged> keyed = Map.of();

  public Merged(Room room) {
    this(room, LEVELS);
  }

  private Merged(Room room, int levels) {
    this.room = room;
    this.levels = levels;
  }

  /** Whether nothing has come yet, or JSON's null. */
  public boolean isEmpty() {
    return text == null
        && members == null
        && entries == null
        && (raw == null || raw.equals("null"));
  }

  /** Puts a value in place of what came before. */
  public void set(JsonValue value) {
    if (fits(value)) {
      hold(value);
    }
  }

  private boolean fits(JsonValue value) {
    boolean nested = value.isObject() || value.isArray();
    return nested
        ? room.takes(value.length(), ValueCount.of(value.rawBytes()))
        : room.takes(value.length() - (value.isString() ? 2 : 0), 1);
  }

  /** Puts a value in place of what came before, for which there is room already. */
  public void hold(JsonValue value) {
    text = null;
    members = null;
    entries = null;
    keyed = Map.of();
    id = "";
    type = "";
    raw = value.raw();
    identify(value);
  }

  public void add(JsonValue piece) {
    add("", piece);
  }

  /** Adds a piece of an object, of which each member counts by itself. */
  public void addMembers(JsonValue piece) {
    identify(piece);
    piece.members().forEach(this::addMember);
  }

  public void addMember(String name, JsonValue piece) {
    member(name).add(name, piece);
  }

  private void add(String name, JsonValue piece) {
    if (isEmpty()) {
      set(piece);
    } else if (!piece.isNull()) {
      open();
      if (text != null && piece.isString()) {
        addText(text, name, piece);
      } else if (members != null && piece.isObject()) {
        addMembers(piece);
      } else if ((piece.isArray() || piece.isString()) && isListed()) {
        list(piece).forEach(this::addEntry);
      } else if (raw != null || saysNothing()) {
        set(piece);
      }
    }
  }

  private boolean saysNothing() {
    return (text == null || text.isEmpty())
        && (members == null || members.isEmpty())
        && (entries == null || entries.isEmpty());
  }

  private void addText(StringBuilder known, String name, JsonValue piece) {
    String more = piece.text();
    boolean isName = name.equals(NAME);
    boolean grows = isName ? !more.contentEquals(known) : !WHOLE.contains(name);
    if (grows) {
      if ((!isName || known.length() < MAX_NAME_LENGTH) && room.takes(more.length(), 0)) {
        known.append(more);
      }
    } else if (!more.isEmpty()) {
      set(piece);
    }
  }

  /**
   * Whether this is a list, or becomes one: a text that goes on as parts, which is then the first.
   */
  private boolean isListed() {
    if (entries == null && text != null && levels > 0) {
      List<JsonValue> first = list(JsonValue.of(JsonWriter.quote(text.toString())));
      text = null;
      entries = new ArrayList<>();
      first.forEach(this::addEntry);
    }
    return entries != null;
  }

  /** The entries of a piece of a list; a text is a part. */
  private static List<JsonValue> list(JsonValue piece) {
    if (piece.isArray()) {
      return piece.items();
    }
    return piece.text().isEmpty()
        ? List.of()
        : List.of(JsonValue.of(Part.textPart("text", piece.raw())));
  }

  private void addEntry(JsonValue entry) {
    Merged known = known(entry);
    if (known == null) {
      append(entry);
    } else {
      known.add(entry);
    }
  }

  /** The entry that a piece belongs to; null if it is a new one. */
  private @Nullable Merged known(JsonValue piece) {
    if (!piece.isObject()) {
      return null;
    }
    String pieceId = piece.text("id");
    String index = indexOf(piece);
    if (index != null) {
      Merged at = keyed.get(index);
      boolean other = at != null && !at.isOne(piece);
      return !other ? at : pieceId.isEmpty() ? null : keyed.get(key(index, pieceId));
    }
    if (!pieceId.isEmpty()) {
      return keyed.get(key("", pieceId));
    }
    Merged last = entries == null || entries.isEmpty() ? null : entries.get(entries.size() - 1);
    boolean goesOn =
        last != null
            && last.isOne(piece)
            && (GROWING.stream().anyMatch(name -> piece.get(name) != null && last.has(name))
                || (piece.get(SIGNATURE) != null && last.isUnsigned()));
    return goesOn ? last : null;
  }

  /** Whether it has what grows, and no signature, which comes behind that. */
  private boolean isUnsigned() {
    return !has(SIGNATURE) && GROWING.stream().anyMatch(this::has);
  }

  private static String key(String index, String id) {
    return index + " " + id;
  }

  /** Whether a piece may belong to this: it has no other id or type. */
  private boolean isOne(JsonValue piece) {
    String pieceId = piece.text("id");
    String pieceType = piece.text("type");
    return (id.isEmpty() || pieceId.isEmpty() || id.equals(pieceId))
        && (type.isEmpty() || pieceType.isEmpty() || type.equals(pieceType));
  }

  private void identify(JsonValue value) {
    if (value.isObject()) {
      id = value.text("id").isEmpty() ? id : value.text("id");
      type = value.text("type").isEmpty() ? type : value.text("type");
    }
  }

  /** Adds an entry to a list, whatever it has in common with others. */
  public void append(JsonValue entry) {
    open();
    if (fits(entry)) {
      appendHeld(entry);
    }
  }

  private void appendHeld(JsonValue entry) {
    Merged added = new Merged(room, levels - 1);
    added.hold(entry);
    if (entries == null) {
      entries = new ArrayList<>();
    }
    entries.add(added);
    String index = indexOf(entry);
    if (index != null || !added.id.isEmpty()) {
      keyed = keyed.isEmpty() ? new HashMap<>() : keyed;
      keyed.put(key("", added.id), added);
    }
    if (index != null) {
      keyed.put(index, added);
      keyed.put(key(index, added.id), added);
    }
  }

  private static @Nullable String indexOf(JsonValue entry) {
    JsonValue index = entry.isObject() ? entry.get("index") : null;
    return index == null || index.length() > MAX_INDEX_LENGTH ? null : index.raw();
  }

  /** A member of the object, which is empty if nothing has come of it. */
  public Merged member(String name) {
    open();
    if (members == null) {
      members = new LinkedHashMap<>();
    }
    Merged member = members.get(name);
    if (member == null) {
      member = new Merged(room, levels - 1);
      if (room.takes(0, 1 + name.length() / 32)) {
        members.put(name, member);
      }
    }
    return member;
  }

  /** Whether the object has a member with something in it. */
  public boolean has(String name) {
    open();
    Merged member = members == null ? null : members.get(name);
    return member != null && !member.isEmpty();
  }

  /** The text of the value; empty if it is none. */
  public String text() {
    return text != null ? text.toString() : raw == null ? "" : JsonValue.of(raw).text();
  }

  /** Takes the value apart by one level, unless it is too deep. */
  private void open() {
    JsonValue value = raw == null ? null : JsonValue.of(raw);
    if (value == null) {
      return;
    }
    if (value.isString()) {
      raw = null;
      text = new StringBuilder(value.text());
    } else if (value.isObject() && levels > 0) {
      raw = null;
      members = new LinkedHashMap<>();
      for (JsonValue.Field field : value.fields()) {
        Merged member = new Merged(room, levels - 1);
        member.hold(field.value());
        members.put(field.name(), member);
      }
    } else if (value.isArray() && levels > 0) {
      raw = null;
      entries = new ArrayList<>();
      value.items().forEach(this::appendHeld);
    }
  }

  public String json() {
    StringBuilder out = new StringBuilder();
    write(out);
    return out.toString();
  }

  private void write(StringBuilder out) {
    if (members != null) {
      String separator = "{";
      for (Map.Entry<String, Merged> member : members.entrySet()) {
        out.append(separator).append(JsonWriter.quote(member.getKey())).append(':');
        member.getValue().write(out);
        separator = ",";
      }
      out.append(members.isEmpty() ? "{}" : "}");
    } else if (entries != null) {
      String separator = "[";
      for (Merged entry : entries) {
        out.append(separator);
        entry.write(out);
        separator = ",";
      }
      out.append(entries.isEmpty() ? "[]" : "]");
    } else if (text != null) {
      out.append(JsonWriter.quote(text.toString()));
    } else {
      out.append(raw == null ? "null" : raw);
    }
  }
}

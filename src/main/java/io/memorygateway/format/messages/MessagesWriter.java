package io.memorygateway.format.messages;

import io.memorygateway.format.call.MessageWriters;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.content.Utterance;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes messages of any format as Anthropic messages: the user first, alternating roles, results
 * first in their message, nothing empty. A system message follows a user's and is the last one or
 * followed by the model's; its place is decided last, when its neighbours are known. Stored cache
 * marks are left out: an upstream accepts four in all, and the caller and the gateway set those of
 * this call.
 */
final class MessagesWriter {
  /** The user message that is put first if the messages do not begin with the user. */
  static final String OPENING = "(The conversation goes on.)";

  /** Blocks that a mark looks back over for a prefix that was cached before, itself included. */
  private static final int LOOK_BACK = 20;

  /** Types of blocks that every upstream lets carry a mark; one of a blank text never does. */
  private static final Set<String> MARKABLE =
      Set.of("text", "image", "document", "tool_use", "tool_result");

  /**
   * A block of a message.
   *
   * @param thought whether it is the model's reasoning
   * @param text of one that may end a prefill; null if that is no matter
   * @param fresh whether it is of a new message of the caller
   */
  private record Block(
      String json, boolean result, boolean thought, @Nullable String text, boolean fresh) {
    static Block ofText(String json, @Nullable String text, boolean fresh) {
      return new Block(json, false, false, text, fresh);
    }

    boolean isMarkable() {
      JsonValue block = JsonValue.of(json);
      String type = block.text("type");
      return MARKABLE.contains(type)
          && block.get("cache_control") == null
          && !(type.equals("text") && block.text("text").isBlank());
    }

    Block marked(String mark) {
      return new Block(CacheMarks.marked(json, mark), result, thought, text, fresh);
    }
  }

  /** Adjacent messages of one role, joined. */
  private final class Turn {
    private final String role;
    private final List<Block> blocks;

    /** The message, as long as it is the only one and needs no change. */
    private @Nullable Utterance only;

    private boolean fresh;

    /**
     * @param blocks of the message; those of {@code only} may be missing if it is a string
     */
    Turn(String role, List<Block> blocks, @Nullable Utterance only, boolean fresh) {
      this.role = role;
      this.blocks = new ArrayList<>(blocks);
      this.only = only;
      this.fresh = fresh;
    }

    void add(List<Block> more, boolean isFresh) {
      expand();
      blocks.addAll(more);
      only = null;
      fresh = isFresh;
    }

    void add(Turn next) {
      next.expand();
      add(next.blocks, next.fresh);
    }

    /** Whether it is stored and ends with a thought, which no upstream takes of an answer. */
    boolean endsWithThought() {
      return !fresh
          && role.equals("assistant")
          && !blocks.isEmpty()
          && blocks.get(blocks.size() - 1).thought;
    }

    /** Number of blocks; a string is one. */
    int size() {
      return Math.max(1, blocks.size());
    }

    /**
     * Marks the last block before an index that may carry one; -1 if there is none, else its index.
     */
    int mark(String mark, int before, boolean isFresh) {
      expand();
      blocks.sort(Comparator.comparing(block -> !block.result));
      for (int at = Math.min(before, blocks.size()) - 1; at >= 0; at--) {
        if (blocks.get(at).fresh == isFresh && blocks.get(at).isMarkable()) {
          blocks.set(at, blocks.get(at).marked(mark));
          only = null;
          return at;
        }
      }
      return -1;
    }

    private void expand() {
      if (only != null && blocks.isEmpty() && only.verbatim() == null) {
        blocks.addAll(blocks(only.parts()));
      }
    }
  }

  private final MessagesBlocks ofParts;
  private List<Turn> turns = new ArrayList<>();
  private final List<String> system = new ArrayList<>();

  MessagesWriter(List<Utterance> utterances, MessagesBlocks ofParts) {
    this.ofParts = ofParts;
    utterances.forEach(this::add);
    turns = placed(turns);
    if (!turns.isEmpty() && !turns.get(0).role.equals("user")) {
      Utterance opening = StoredMessage.of("user", JsonWriter.quote(OPENING)).utterance();
      turns.add(0, new Turn("user", List.of(), opening, false));
    }
  }

  /**
   * The turns with the system's in places that upstreams accept: behind the users' turns that
   * follow, or else before the model's that it followed.
   */
  private static List<Turn> placed(List<Turn> all) {
    List<Turn> placed = new ArrayList<>();
    Turn system = null;
    for (Turn turn : all) {
      if (turn.role.equals("system") && system != null) {
        system.add(turn);
      } else if (turn.role.equals("system")) {
        system = turn;
      } else {
        if (turn.role.equals("assistant")) {
          place(system, placed);
          system = null;
        }
        append(turn, placed);
      }
    }
    place(system, placed);
    return placed;
  }

  private static void place(@Nullable Turn system, List<Turn> placed) {
    int last = placed.size() - 1;
    if (system != null && last >= 0 && placed.get(last).role.equals("assistant")) {
      Turn answer = placed.remove(last);
      append(system, placed);
      placed.add(answer);
    } else if (system != null) {
      placed.add(system);
    }
  }

  private static void append(Turn turn, List<Turn> placed) {
    Turn last = placed.isEmpty() ? null : placed.get(placed.size() - 1);
    if (last != null && last.role.equals(turn.role)) {
      last.add(turn);
    } else {
      placed.add(turn);
    }
  }

  /** Stored system messages, which this format can only hold in {@code system}. */
  List<String> systemBlocks() {
    return system;
  }

  /**
   * Marks what later calls begin with (contract §8): the last block of the model before what the
   * user says now, and that of the call before, if an upstream would not find it from there.
   *
   * @param most number of marks that may be set
   * @return the number of marks that are
   */
  int markStored(int most, String mark) {
    int at = modelBefore(newest());
    int place = -1;
    while (at >= 0 && most > 0 && place < 0) {
      place = turns.get(at).role.equals("system") ? -1 : mark(at, mark);
      at -= place < 0 ? 1 : 0;
    }
    if (place < 0) {
      return 0;
    }
    int before = modelBefore(at);
    int blocks = place + 2;
    for (int between = at - 1; between > before; between--) {
      blocks += turns.get(between).size();
    }
    boolean far = before >= 0 && blocks > LOOK_BACK && most > 1;
    return far && mark(before, mark) >= 0 ? 2 : 1;
  }

  private int mark(int turn, String mark) {
    return turns.get(turn).mark(mark, turns.get(turn).size(), false);
  }

  /**
   * Marks the last block that the caller says, before what is quoted behind it.
   *
   * @return whether there is one
   */
  boolean markNewest(String mark) {
    int newest = newest();
    return newest >= 0 && turns.get(newest).mark(mark, turns.get(newest).size() - 1, true) >= 0;
  }

  /** Index of the user's last turn; -1 if there is none. */
  private int newest() {
    int at = turns.size() - 1;
    while (at >= 0 && !turns.get(at).role.equals("user")) {
      at--;
    }
    return at;
  }

  /** Index of the last stored turn of the model before another; -1 if there is none. */
  private int modelBefore(int index) {
    int at = index - 1;
    while (at >= 0 && (turns.get(at).fresh || !turns.get(at).role.equals("assistant"))) {
      at--;
    }
    return at;
  }

  void write(JsonWriter out) {
    for (int i = 0; i < turns.size(); i++) {
      write(turns.get(i), i == turns.size() - 1, out);
    }
  }

  private void add(Utterance utterance) {
    JsonValue verbatim = utterance.verbatim();
    if (utterance.ofSystem() && verbatim == null) {
      String text = Part.textOf(utterance.parts());
      if (!text.isBlank()) {
        system.add(Part.textPart("text", JsonWriter.quote(text)));
      }
      return;
    }
    String role = utterance.ofModel() ? "assistant" : utterance.ofSystem() ? "system" : "user";
    Turn last = turns.isEmpty() ? null : turns.get(turns.size() - 1);
    Turn joined = last != null && last.role.equals(role) ? last : null;
    if (joined == null && verbatim == null && utterance.string() != null) {
      turns.add(new Turn(role, List.of(), utterance, false));
      return;
    }
    List<Block> blocks =
        verbatim == null ? blocks(utterance.parts()) : verbatimBlocks(verbatim.get("content"));
    if (blocks.isEmpty() && verbatim == null) {
      return;
    }
    if (joined != null) {
      joined.add(blocks, verbatim != null);
    } else {
      boolean unchanged = verbatim != null || isMadeOf(utterance.content(), blocks);
      turns.add(new Turn(role, blocks, unchanged ? utterance : null, verbatim != null));
    }
  }

  /** Whether the blocks are exactly those of a content. */
  private static boolean isMadeOf(@Nullable JsonValue content, List<Block> blocks) {
    if (content == null) {
      return false;
    }
    List<JsonValue> items = content.items();
    boolean same = content.isString() || items.size() == blocks.size();
    for (int i = 0; same && i < items.size(); i++) {
      boolean inOrder = i == 0 || !blocks.get(i).result || blocks.get(i - 1).result;
      same = inOrder && items.get(i).raw().equals(blocks.get(i).json);
    }
    return same;
  }

  private static void write(Turn turn, boolean last, JsonWriter out) {
    boolean prefill = last && turn.role.equals("assistant") && !turn.fresh;
    Utterance only = turn.only;
    if (only != null && !prefill && !turn.endsWithThought()) {
      if (only.verbatim() != null) {
        out.element().raw(only.verbatim());
      } else if (only.content() != null) {
        MessageWriters.addMessage(out, turn.role, only.content());
      }
      return;
    }
    turn.expand();
    while (turn.endsWithThought()) {
      turn.blocks.remove(turn.blocks.size() - 1);
    }
    List<Block> blocks = new ArrayList<>(turn.blocks);
    blocks.sort(Comparator.comparing(block -> !block.result));
    if (prefill) {
      Block end = blocks.get(blocks.size() - 1);
      if (end.text != null && !end.text.equals(end.text.stripTrailing())) {
        String text = Part.textPart("text", JsonWriter.quote(end.text.stripTrailing()));
        blocks.set(blocks.size() - 1, Block.ofText(text, null, false));
      }
    }
    MessageWriters.addMessage(
        out,
        turn.role,
        blocks.stream().map(Block::json).collect(Collectors.joining(",", "[", "]")));
  }

  /** The blocks of a caller's message, as received. */
  private static List<Block> verbatimBlocks(@Nullable JsonValue content) {
    List<Block> blocks = new ArrayList<>();
    if (content != null && content.isString()) {
      blocks.add(Block.ofText(Part.textPart("text", content.raw()), null, true));
    } else if (content != null) {
      for (JsonValue item : content.items()) {
        String type = item.text("type");
        blocks.add(new Block(item.raw(), type.equals("tool_result"), isThought(type), null, true));
      }
    }
    return blocks;
  }

  private static boolean isThought(String type) {
    return type.endsWith("thinking");
  }

  private List<Block> blocks(List<Part> parts) {
    List<Block> blocks = new ArrayList<>();
    for (Part part : parts) {
      String json = ofParts.block(part);
      if (json != null) {
        String text = part instanceof Part.Text textPart ? textPart.text() : null;
        boolean thought = isThought(part.source().text("type"));
        blocks.add(new Block(json, part instanceof Part.ToolResult, thought, text, false));
      }
    }
    String standIn = blocks.isEmpty() ? MessageWriters.standIn(parts) : null;
    if (standIn != null) {
      String json = Part.textPart("text", JsonWriter.quote(standIn));
      blocks.add(Block.ofText(json, standIn, false));
    }
    return blocks.stream().allMatch(Block::thought) ? List.of() : blocks;
  }
}

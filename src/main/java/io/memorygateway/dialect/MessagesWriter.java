package io.memorygateway.dialect;

import io.memorygateway.json.Json;
import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes messages of any format as Anthropic messages: the user first, alternating roles, results
 * first in their message, nothing empty. Stored cache marks are left out: an upstream accepts four
 * in all, and the caller sets those of this call.
 */
final class MessagesWriter {
  /** The user message that is put first if the messages do not begin with the user. */
  static final String OPENING = "(The conversation goes on.)";

  private record Block(String json, boolean result, @Nullable String text) {}

  /** Adjacent messages of one role, joined. */
  private static final class Turn {
    private final String role;
    private final List<Block> blocks;

    /** The raw message, as long as there is only one. */
    private @Nullable String raw;

    private boolean fresh;

    Turn(String role, List<Block> blocks, @Nullable String raw, boolean fresh) {
      this.role = role;
      this.blocks = new ArrayList<>(blocks);
      this.raw = raw;
      this.fresh = fresh;
    }

    void add(List<Block> more, boolean isFresh) {
      blocks.addAll(more);
      raw = null;
      fresh = isFresh;
    }
  }

  private final List<Turn> turns = new ArrayList<>();
  private final List<String> system = new ArrayList<>();

  MessagesWriter(List<Utterance> utterances) {
    utterances.forEach(this::add);
    if (!turns.isEmpty() && !turns.get(0).role.equals("user")) {
      turns.add(
          0,
          new Turn("user", List.of(), MessageWriters.message("user", Json.quote(OPENING)), false));
    }
  }

  /** Stored system messages, which this format can only hold in {@code system}. */
  List<String> systemBlocks() {
    return system;
  }

  String messages() {
    List<String> messages = new ArrayList<>();
    for (int i = 0; i < turns.size(); i++) {
      messages.add(render(turns.get(i), i == turns.size() - 1));
    }
    return "[" + String.join(",", messages) + "]";
  }

  private void add(Utterance utterance) {
    JsonValue verbatim = utterance.verbatim();
    if (utterance.ofSystem() && verbatim == null) {
      String text = Part.textOf(utterance.parts());
      if (!text.isBlank()) {
        system.add(MessageWriters.textPart("text", Json.quote(text)));
      }
      return;
    }
    List<Block> blocks =
        verbatim == null ? blocks(utterance.parts()) : verbatimBlocks(verbatim.get("content"));
    if (blocks.isEmpty() && verbatim == null) {
      return;
    }
    String role = utterance.ofModel() ? "assistant" : utterance.ofSystem() ? "system" : "user";
    Turn last = turns.isEmpty() ? null : turns.get(turns.size() - 1);
    if (last != null && last.role.equals(role)) {
      last.add(blocks, verbatim != null);
    } else {
      String raw = verbatim != null ? verbatim.raw() : raw(role, utterance.content(), blocks);
      turns.add(new Turn(role, blocks, raw, verbatim != null));
    }
  }

  /** The message verbatim, if its blocks are exactly those of its content; else null. */
  private static @Nullable String raw(
      String role, @Nullable JsonValue content, List<Block> blocks) {
    if (content == null) {
      return null;
    }
    List<JsonValue> items = content.items();
    boolean same = content.isString() || items.size() == blocks.size();
    for (int i = 0; same && i < items.size(); i++) {
      boolean inOrder = i == 0 || !blocks.get(i).result || blocks.get(i - 1).result;
      same = inOrder && items.get(i).raw().equals(blocks.get(i).json);
    }
    return same ? MessageWriters.message(role, content.raw()) : null;
  }

  private static String render(Turn turn, boolean last) {
    boolean prefill = last && turn.role.equals("assistant") && !turn.fresh;
    if (turn.raw != null && !prefill) {
      return turn.raw;
    }
    List<Block> blocks = new ArrayList<>(turn.blocks);
    blocks.sort(Comparator.comparing(block -> !block.result));
    if (prefill) {
      Block end = blocks.get(blocks.size() - 1);
      if (end.text != null && !end.text.equals(end.text.stripTrailing())) {
        String text = MessageWriters.textPart("text", Json.quote(end.text.stripTrailing()));
        blocks.set(blocks.size() - 1, new Block(text, false, null));
      }
    }
    return MessageWriters.message(
        turn.role, blocks.stream().map(Block::json).collect(Collectors.joining(",", "[", "]")));
  }

  /** The blocks of a caller's message, as received. */
  private static List<Block> verbatimBlocks(@Nullable JsonValue content) {
    List<Block> blocks = new ArrayList<>();
    if (content != null && content.isString()) {
      blocks.add(new Block(MessageWriters.textPart("text", content.raw()), false, null));
    } else if (content != null) {
      for (JsonValue item : content.items()) {
        blocks.add(new Block(item.raw(), item.text("type").equals("tool_result"), null));
      }
    }
    return blocks;
  }

  private static List<Block> blocks(List<Part> parts) {
    List<Block> blocks = new ArrayList<>();
    for (Part part : parts) {
      String json = MessagesBlocks.block(part);
      if (json != null) {
        String text = part instanceof Part.Text textPart ? textPart.text() : null;
        blocks.add(new Block(json, part instanceof Part.ToolResult, text));
      }
    }
    String standIn = blocks.isEmpty() ? MessageWriters.standIn(parts) : null;
    if (standIn != null) {
      String json = MessageWriters.textPart("text", Json.quote(standIn));
      blocks.add(new Block(json, false, standIn));
    }
    boolean onlyThoughts = parts.stream().allMatch(part -> part instanceof Part.Reasoning);
    return onlyThoughts ? List.of() : blocks;
  }
}

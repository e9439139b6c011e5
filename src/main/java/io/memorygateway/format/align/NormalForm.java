package io.memorygateway.format.align;

import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.content.Utterance;
import io.memorygateway.json.CanonicalJson;
import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A message in the form in which messages are compared: equal whichever endpoint it was written
 * for. A string equals one text part; null content equals none; white space, escapes and the order
 * of members in JSON do not matter, nor do ids and status of Responses items, cache marks,
 * annotations, reasoning, or the white space of an answer (clients trim and join it). The user's
 * text counts exactly; numbers as they are written; ids of tool calls count. System messages have
 * no content here.
 */
public final class NormalForm {
  /** Members that an upstream adds to its answers and an echo may add or lose. */
  private static final Set<String> MARKS =
      Set.of("id", "status", "cache_control", "annotations", "logprobs", "citations", "created_by");

  private final List<Atom> atoms;
  private final boolean ofModel;
  private final String itemId;
  private final boolean reference;
  private final int thoughts;
  private final Words words;
  private final boolean incomplete;

  /** Negative before it is known. */
  private int beforeTools = -1;

  private NormalForm(
      List<Atom> atoms,
      boolean ofModel,
      String itemId,
      boolean reference,
      int thoughts,
      Words words,
      boolean incomplete) {
    this.atoms = List.copyOf(atoms);
    this.ofModel = ofModel;
    this.itemId = itemId;
    this.reference = reference;
    this.thoughts = thoughts;
    this.words = words;
    this.incomplete = incomplete;
  }

  /** The form of a message that is not marked incomplete. */
  public static NormalForm of(StoredMessage message) {
    return of(message, false);
  }

  /** The form of a message, of the thread's with its mark. */
  public static NormalForm of(StoredMessage message, boolean incomplete) {
    Utterance utterance = message.utterance();
    boolean ofModel = utterance.ofModel();
    List<Atom> atoms = new ArrayList<>();
    Words words = Words.NONE;
    if (!utterance.ofSystem()) {
      if (ofModel || utterance.parts().stream().allMatch(part -> part instanceof Part.Text)) {
        words = Words.of(Part.textOf(utterance.parts()));
      }
      if (ofModel) {
        addAnswer(utterance.parts(), atoms);
      }
      for (Part part : utterance.parts()) {
        addPart(part, ofModel, atoms);
      }
    }
    JsonValue content = utterance.content();
    if (content == null || !content.isObject() || content.string("type") == null) {
      int thoughts = thoughts(utterance.parts(), content);
      return new NormalForm(atoms, ofModel, "", false, thoughts, words, incomplete);
    }
    boolean reference = content.text("type").equals("item_reference");
    return new NormalForm(atoms, ofModel, content.text("id"), reference, 0, words, incomplete);
  }

  /** A message of all that some of one role say, as it is compared with them. */
  static NormalForm of(List<NormalForm> messages) {
    boolean ofModel = messages.get(0).ofModel;
    List<Atom> atoms =
        messages.stream()
            .flatMap(each -> each.atoms.stream())
            .filter(atom -> !ofModel || atom.kind() == Atom.Kind.ANSWER)
            .toList();
    return new NormalForm(atoms, ofModel, "", false, 0, Words.NONE, false);
  }

  /** The atoms of the Responses items of a thread, by the items' ids. */
  static Map<String, List<Atom>> itemsOf(List<NormalForm> stored) {
    Map<String, List<Atom>> items = new HashMap<>();
    for (NormalForm message : stored) {
      if (!message.itemId().isEmpty()) {
        items.put(message.itemId(), message.atoms());
      }
    }
    return items;
  }

  /** How many atoms come before those at its end that are all of tools. */
  int beforeTools() {
    if (beforeTools < 0) {
      int found = atoms.size();
      while (found > 0 && atoms.get(found - 1).isOfTool()) {
        found--;
      }
      beforeTools = found;
    }
    return beforeTools;
  }

  /** The same message with other atoms in the place of some. */
  NormalForm with(Map<Atom, Atom> others) {
    return atoms.stream().noneMatch(others::containsKey)
        ? this
        : new NormalForm(
            atoms.stream().map(atom -> others.getOrDefault(atom, atom)).toList(),
            ofModel,
            itemId,
            reference,
            thoughts,
            words,
            incomplete);
  }

  /** An answer as one of which nothing is compared. */
  NormalForm silent() {
    return new NormalForm(List.of(), ofModel, "", false, 0, Words.NONE, incomplete);
  }

  /** How much of the model's reasoning a message has. */
  private static int thoughts(List<Part> parts, @Nullable JsonValue content) {
    long said = parts.stream().filter(part -> part instanceof Part.Reasoning).count();
    if (content != null && content.isObject()) {
      said +=
          Part.Reasoning.OF_CHAT.stream()
              .filter(name -> !JsonValue.isEmpty(content.get(name)))
              .count();
    }
    return (int) said;
  }

  public List<Atom> atoms() {
    return atoms;
  }

  /** Number of its parts that are compared. */
  public int size() {
    return atoms.size();
  }

  /** Whether the message is the model's: an answer, a call, its reasoning. */
  boolean ofModel() {
    return ofModel;
  }

  /** Whether its turn broke off. */
  boolean isIncomplete() {
    return incomplete;
  }

  /** Whether it is the user's words alone. */
  boolean isOfUser() {
    return !ofModel
        && !atoms.isEmpty()
        && atoms.stream().allMatch(atom -> atom.kind() == Atom.Kind.USER);
  }

  /** Whether it is an answer that is spoken, and nothing else. */
  boolean isSpoken() {
    return !atoms.isEmpty() && atoms.stream().allMatch(Atom::isAudio);
  }

  /** Whether it is the user's, and nothing but text. */
  boolean isText() {
    return !ofModel && !words.equals(Words.NONE);
  }

  /** The words of the user's message that is nothing but text, and of the model's. */
  Words words() {
    return words;
  }

  /** Whether it says in one what several of the user say, which are nothing but text. */
  boolean joins(List<NormalForm> messages) {
    return messages.size() > 1
        && messages.stream().allMatch(NormalForm::isText)
        && messages.stream().map(each -> each.words).reduce(Words.NONE, Words::and).equals(words);
  }

  /** Whether the same message has less of the model's reasoning in another form. */
  boolean hasMoreThoughts(NormalForm other) {
    return thoughts > other.thoughts;
  }

  /** Whether it is the model's and nothing in it is compared: its reasoning. */
  boolean isSilent() {
    return ofModel && atoms.isEmpty() && !reference;
  }

  /** The id of the Responses item, or of the item that a reference stands for; may be empty. */
  String itemId() {
    return itemId;
  }

  /** Whether it only references an item that the upstream stores. */
  boolean reference() {
    return reference;
  }

  /**
   * Adds one atom for all text of an answer: formats differ in how they split it and in where they
   * put calls.
   */
  private static void addAnswer(List<Part> parts, List<Atom> atoms) {
    StringBuilder words = new StringBuilder();
    for (Part part : parts) {
      if (part instanceof Part.Text text) {
        text.text()
            .codePoints()
            .filter(c -> !Character.isWhitespace(c) && !Character.isSpaceChar(c))
            .forEach(words::appendCodePoint);
      }
    }
    if (!words.isEmpty()) {
      atoms.add(Atom.answer(words.toString()));
    }
  }

  private static void addPart(Part part, boolean ofModel, List<Atom> atoms) {
    if (part instanceof Part.ToolCall call) {
      String arguments = CanonicalJson.of(JsonValue.of(call.arguments()));
      atoms.add(Atom.call(call.id(), call.name() + " " + arguments));
    } else if (part instanceof Part.ToolResult result) {
      atoms.add(Atom.result(result.id(), contentOf(result)));
    } else if (part instanceof Part.Other other && isOther(other, ofModel)) {
      atoms.add(other(other, ofModel));
    } else if (!ofModel && !(part instanceof Part.Reasoning)) {
      String utterance = text(part);
      if (!utterance.isBlank()) {
        atoms.add(Atom.user(utterance));
      }
    }
  }

  /** Whether a part of no known kind is the model's, or the result of a tool. */
  private static boolean isOther(Part.Other part, boolean ofModel) {
    JsonValue source = part.source();
    return source.isObject()
        && (ofModel || source.string("call_id") != null || source.string("tool_use_id") != null)
        && !source.text("type").equals("item_reference");
  }

  private static Atom other(Part.Other part, boolean ofModel) {
    JsonValue source = part.source();
    JsonValue audio = source.get("audio");
    if (audio != null && audio.string("id") != null) {
      return Atom.audio(audio.text("id"));
    }
    boolean image = source.text("type").equals("image_generation_call"); // an echo has less of it
    return Atom.other(
        ofModel ? Atom.Kind.CALL : Atom.Kind.RESULT,
        source.text("type"),
        image ? "image" : CanonicalJson.without(MARKS, source),
        source.text("id"),
        source.text("call_id") + source.text("tool_use_id"));
  }

  private static String contentOf(Part.ToolResult result) {
    StringBuilder content = new StringBuilder();
    for (Part part : result.content()) {
      content.append(text(part));
    }
    return content.toString();
  }

  private static String text(Part part) {
    if (part instanceof Part.Text text) {
      return text.text();
    }
    if (part instanceof Part.Image image) {
      return "image " + image.media().key();
    }
    if (part instanceof Part.File file) {
      return "file " + file.media().key();
    }
    return CanonicalJson.without(MARKS, part.source());
  }
}

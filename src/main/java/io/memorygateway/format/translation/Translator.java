package io.memorygateway.format.translation;

import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.call.ToolIds;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.Shape;
import io.memorygateway.json.JsonValue;
import java.util.List;
import java.util.Map;

/** One format's side of translation, to and from no format's words. Stateless and shared. */
public interface Translator {
  /** The format, as parts name it. */
  Shape shape();

  /** The member of a call that has its messages. */
  default String inputMember() {
    return "messages";
  }

  /** Whether an answer is made of the tools of its call, too. */
  default boolean answersWithTools() {
    return true;
  }

  /** What becomes of every member of the format's public requests, in the order of the page. */
  List<Member> members();

  /**
   * What translation adds to tools that models of this format know by their type alone, and to
   * those of one free text.
   *
   * @return texts at their longest, each with the number of tools that get it
   */
  default Map<String, Long> addedTo(List<JsonValue> tools) {
    return Map.of();
  }

  /**
   * Reads a call of this format.
   *
   * @param root the body
   * @param dropped takes the names of what no format can say and what the caller is to be refused
   *     if it sends that itself
   * @throws MalformedBodyException if it cannot be read, or asks for what would be answered
   *     otherwise by another format; the message names the member
   */
  Request read(JsonValue root, Dropped dropped) throws MalformedBodyException;

  /**
   * Writes a call in this format, for a target.
   *
   * @param request with reasoning in this format only, with names and ids of tools that every
   *     target takes, and with results behind their calls
   * @param called the format in which the call came, whose words {@code dropped} has
   * @return UTF-8 JSON
   * @throws MalformedBodyException if this format cannot say what is asked; the message names the
   *     member in the words of {@code called}
   */
  byte[] write(Request request, Terms terms, Translator called, Dropped dropped)
      throws MalformedBodyException;

  /**
   * Whether a target of this format takes what not all have: a file by the id that its provider
   * gave it, or an audio.
   *
   * @param part such a one
   */
  default boolean takes(Part part) {
    return false;
  }

  /**
   * The names that this format has for what may be left out by a writer of another one: of {@code
   * thinking} and the like. Empty if it has none.
   */
  String nameOf(Topic topic);

  /** What a writer may have to leave out or refuse that each format names otherwise. */
  enum Topic {
    EFFORT,
    OUTPUT_FORMAT,
    STOP,
    TEMPERATURE,
    CACHE_MARKS,
    PARALLEL_CALLS,
    TOOL_CHOICE,
    AUDIO,
    FILES,
    USER
  }

  /** The ids of calls that a target of this format takes, but for a model of stricter servers. */
  ToolIds ids();

  /**
   * Reads a whole answer of a target of this format.
   *
   * @param calls gives its calls their ids
   */
  Answer readAnswer(JsonValue answer, String maker, CallIds calls);

  /** Writes a whole answer in this format; UTF-8 JSON. */
  byte[] writeAnswer(Answer answer, Called called);

  /** Opens the same of a streamed answer. */
  AnswerReader openReader(String maker, CallIds calls);

  AnswerWriter openWriter(Called called);

  /** An error as the body of an answer in this format; UTF-8 JSON. */
  byte[] error(Fault fault);

  /** The status of an error in this format; that of the fault but where clients need another. */
  default int status(Fault fault) {
    return fault.tooLong() ? 400 : fault.status();
  }
}

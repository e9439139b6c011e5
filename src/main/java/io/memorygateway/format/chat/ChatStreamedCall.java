package io.memorygateway.format.chat;

import io.memorygateway.format.answer.Merged;
import io.memorygateway.json.JsonWriter;

/** A call of a tool while its pieces come: its name first or late, its arguments in any pieces. */
final class ChatStreamedCall {
  /** The number of its piece of the answer; negative before it has begun. */
  int piece = -1;

  String id = "";
  String name = "";

  /** The id by which the caller knows it, once it has begun. */
  String told = "";

  boolean closed;

  /** Whether it is of a custom tool, whose input is a text. */
  private boolean custom;

  /** Arguments that came before the call could begin. */
  private final StringBuilder held = new StringBuilder();

  // How far the arguments are: an object is whole where its first brace is closed.
  private int depth;
  private boolean none = true;
  private boolean noObject;
  private boolean inString;
  private boolean escaped;

  boolean hasBegun() {
    return piece >= 0;
  }

  /** Whether nothing of its arguments has come. */
  boolean isBare() {
    return none;
  }

  /** Whether the arguments are a whole object; a text may always go on. */
  boolean isWhole() {
    return !none && !noObject && depth == 0 && !custom;
  }

  /** Whether a name is another than that of a call whose arguments are whole, or are a text. */
  boolean isEndedBy(String other) {
    return (isWhole() || (custom && !none)) && !name.isEmpty() && !other.equals(name);
  }

  /** Whether a piece with its id, at an index of its own, is more of it. */
  boolean goesOn(ChatStreamedCalls.Piece more) {
    return more.name().isEmpty() || (more.name().equals(name) && !isWhole());
  }

  void hold(String arguments) {
    held.append(arguments);
  }

  /** What stands before and behind the arguments as JSON. */
  String bracket(boolean before) {
    return !custom ? "" : before ? "{\"input\":\"" : "\"}";
  }

  /** More of the arguments as JSON: the text of a custom tool is the member of an object. */
  String json(String more) {
    String quoted = custom ? JsonWriter.quote(more) : more;
    return custom ? quoted.substring(1, quoted.length() - 1) : quoted;
  }

  /** The arguments that are held, which are not held any more. */
  String taken() {
    String arguments = held.toString();
    held.setLength(0);
    held.trimToSize();
    return arguments;
  }

  /** Takes an id, the first of which counts, and a name, which may come in pieces or repeated. */
  void take(ChatStreamedCalls.Piece piece) {
    id = id.isEmpty() ? piece.id() : id;
    custom |= piece.custom();
    boolean ended = name.length() >= Merged.MAX_NAME_LENGTH;
    name = ended || name.equals(piece.name()) ? name : name + piece.name();
  }

  void follow(String arguments) {
    none &= !custom || arguments.isEmpty();
    for (int i = 0; i < arguments.length() && !noObject && !custom; i++) {
      char c = arguments.charAt(i);
      if (none) {
        noObject = c > ' ' && c != '{';
        none = c <= ' ';
      }
      if (inString) {
        inString = escaped || c != '"';
        escaped = !escaped && c == '\\';
      } else if (c == '"') {
        inString = true;
      } else if (c == '{' || c == '[') {
        depth++;
      } else if (c == '}' || c == ']') {
        depth--;
      }
    }
  }
}

package io.memorygateway.format.chat;

import io.memorygateway.format.answer.Merged;

/** A call of a tool while its pieces come: its name first or late, its arguments in any pieces. */
final class ChatStreamedCall {
  /** The number of its piece of the answer; negative before it has begun. */
  int piece = -1;

  String id = "";
  String name = "";
  boolean closed;

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

  /** Whether the arguments are a whole object. */
  boolean isWhole() {
    return !none && !noObject && depth == 0;
  }

  void hold(String arguments) {
    held.append(arguments);
  }

  /** The arguments that are held, which are not held any more. */
  String taken() {
    String arguments = held.toString();
    held.setLength(0);
    held.trimToSize();
    return arguments;
  }

  /** Takes an id, the first of which counts, and a name, which may come in pieces or repeated. */
  void take(String moreId, String moreName) {
    id = id.isEmpty() ? moreId : id;
    boolean ended = name.length() >= Merged.MAX_NAME_LENGTH;
    name = ended || name.equals(moreName) ? name : name + moreName;
  }

  /** Follows more of the arguments. */
  void follow(String arguments) {
    for (int i = 0; i < arguments.length() && !noObject; i++) {
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

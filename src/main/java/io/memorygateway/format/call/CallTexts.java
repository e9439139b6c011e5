package io.memorygateway.format.call;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.memorygateway.json.Json;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The texts of a call that tell what it is for: the beginnings of its system prompt and of the last
 * words of its user. They are read in one pass over the tokens of a body of any format.
 */
public final class CallTexts {
  /** Characters of a text that are read. */
  public static final int MAX_CHARACTERS = 4096;

  /** Messages that are looked at, from the beginning and from the end, and texts of each side. */
  private static final int MAX_COUNT = 16;

  private final byte[] bytes;
  private final Deque<String> system = new ArrayDeque<>();
  private final Deque<String> user = new ArrayDeque<>();
  private @Nullable String promptCacheKey;
  private boolean hasTrigger;
  private boolean hasCompaction;

  /** Reads a body; it has been checked before. */
  public CallTexts(RequestBody body) {
    this.bytes = body.bytes();
    try (JsonParser parser = Json.open(bytes, 0, bytes.length)) {
      parser.nextToken();
      Json.readMembers(parser, name -> readMember(name, parser));
    } catch (IOException e) {
      throw new AssertionError("parsed before", e);
    }
  }

  /** The member {@code prompt_cache_key}, if it is a string. */
  public @Nullable String promptCacheKey() {
    return promptCacheKey;
  }

  /**
   * Whether it asks the provider to sum up what it holds: by the item with which a call of
   * Responses ends, or the member of one of Messages.
   *
   * @param ofMessages whether it is a call of Messages
   */
  public boolean asksToCompact(boolean ofMessages) {
    return hasTrigger || (ofMessages && hasCompaction);
  }

  public boolean systemBegins(String words) {
    return system.stream().anyMatch(text -> text.startsWith(words));
  }

  /** Whether a text of the last message in which the user says something begins so. */
  public boolean userBegins(String words) {
    return user.stream().anyMatch(text -> text.startsWith(words));
  }

  private void readMember(String name, JsonParser parser) throws IOException {
    boolean isText = parser.currentToken() == JsonToken.VALUE_STRING;
    switch (name) {
      case "system", "instructions" -> readContent(parser, system);
      case "messages", "input" -> {
        if (isText) {
          add(parser.getText(), user);
        } else if (parser.currentToken() == JsonToken.START_ARRAY) {
          readMessages(parser);
        }
      }
      case "compaction" -> {
        hasCompaction = false;
        Json.readMembers(
            parser,
            member ->
                hasCompaction |= member.equals("type") && parser.getText().equals("summarize"));
      }
      case "prompt_cache_key" -> promptCacheKey = isText ? parser.getText() : null;
      default -> {}
    }
  }

  private void readMessages(JsonParser parser) throws IOException {
    List<Integer> first = new ArrayList<>();
    Deque<Integer> last = new ArrayDeque<>();
    Json.readObjects(
        parser,
        message -> {
          int start = Json.start(message);
          message.skipChildren();
          if (first.size() < MAX_COUNT) {
            first.add(start);
          }
          if (last.size() == MAX_COUNT) {
            last.removeLast();
          }
          last.push(start);
        });
    for (int start : first) {
      Said said = message(start);
      if (!said.role.equals("system") && !said.role.equals("developer")) {
        break;
      }
      said.texts.forEach(text -> add(text, system));
    }
    hasTrigger = !last.isEmpty() && message(last.peek()).type.equals("compaction_trigger");
    for (int start : last) {
      Said said = message(start);
      if (said.role.equals("user") && !said.texts.isEmpty()) {
        user.addAll(said.texts);
        return;
      }
    }
  }

  /** A message or item; role and type are empty if it has none. */
  private record Said(String role, String type, Deque<String> texts) {}

  private Said message(int start) throws IOException {
    String role = "";
    String type = "";
    Deque<String> texts = new ArrayDeque<>();
    try (JsonParser parser = Json.open(bytes, start, bytes.length - start)) {
      parser.nextToken();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = parser.currentName();
        JsonToken value = parser.nextToken();
        if (name.equals("role") && value == JsonToken.VALUE_STRING) {
          role = parser.getText();
        } else if (name.equals("type") && value == JsonToken.VALUE_STRING) {
          type = parser.getText();
        } else if (name.equals("content")) {
          readContent(parser, texts);
        } else {
          parser.skipChildren();
        }
      }
    }
    return new Said(role, type, texts);
  }

  private static void readContent(JsonParser parser, Deque<String> texts) throws IOException {
    if (parser.currentToken() == JsonToken.VALUE_STRING) {
      add(parser.getText(), texts);
    } else {
      Json.readObjects(parser, part -> readPart(part, texts));
    }
  }

  private static void readPart(JsonParser parser, Deque<String> texts) throws IOException {
    Json.readMembers(
        parser,
        name -> {
          if (name.equals("text") && parser.currentToken() == JsonToken.VALUE_STRING) {
            add(parser.getText(), texts);
          }
        });
  }

  private static void add(String text, Deque<String> texts) {
    if (texts.size() == MAX_COUNT) {
      texts.removeFirst();
    }
    texts.add(text.substring(0, Math.min(text.length(), MAX_CHARACTERS)).stripLeading());
  }
}

package io.memorygateway.format;

import io.memorygateway.format.align.Aligner;
import io.memorygateway.format.align.Alignment;
import io.memorygateway.format.align.NormalForm;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.json.JsonWriter;
import java.util.ArrayList;
import java.util.List;

/** Short ways to write down what was said, in Chat's form. */
public final class Talk {
  private Talk() {}

  public static StoredMessage user(String text) {
    return StoredMessage.of("user", JsonWriter.quote(text));
  }

  public static StoredMessage answer(String text) {
    return StoredMessage.of("assistant", JsonWriter.quote(text));
  }

  public static StoredMessage call(String id) {
    return StoredMessage.of(
        "assistant",
        """
        {"content":null,"tool_calls":[{"id":"%s","type":"function",\
        "function":{"name":"f","arguments":"{\\"a\\":1.0}"}}]}\
        """
            .formatted(id));
  }

  public static StoredMessage result(String id, String text) {
    return StoredMessage.of(
        "tool", "{\"tool_call_id\":\"%s\",\"content\":\"%s\"}".formatted(id, text));
  }

  static List<StoredMessage> list(StoredMessage... messages) {
    return List.of(messages);
  }

  /** {@code u:hi a:hello c:1 r:1=x}, words without blanks. */
  public static List<StoredMessage> talk(String words) {
    List<StoredMessage> messages = new ArrayList<>();
    for (String word : words.isBlank() ? new String[0] : words.trim().split("\\s+")) {
      String text = word.substring(2);
      messages.add(
          switch (word.charAt(0)) {
            case 'u' -> user(text);
            case 'a' -> answer(text);
            case 'c' -> call(text);
            case 'r' ->
                result(text.substring(0, text.indexOf('=')), text.substring(text.indexOf('=') + 1));
            default -> throw new IllegalArgumentException(word);
          });
    }
    return messages;
  }

  public static List<NormalForm> forms(List<StoredMessage> messages) {
    return messages.stream().map(NormalForm::of).toList();
  }

  /** {@code newFrom/storedTo}. */
  public static String align(String incoming, String stored) {
    return align(incoming, stored, false);
  }

  public static String align(String incoming, String stored, boolean brokenOff) {
    Alignment alignment = align(forms(talk(incoming)), forms(talk(stored)), brokenOff);
    return alignment.newFrom()
        + (alignment.knownParts() == 0 ? "" : "+" + alignment.knownParts())
        + "/"
        + alignment.storedTo();
  }

  /** The alignment of a call with its thread. */
  public static Alignment align(
      List<NormalForm> incoming, List<NormalForm> stored, boolean brokenOff) {
    return new Aligner(incoming, stored, List.of(), brokenOff).align();
  }
}

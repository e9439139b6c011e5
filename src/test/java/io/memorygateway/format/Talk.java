package io.memorygateway.format;

import io.memorygateway.format.align.Aligner;
import io.memorygateway.format.align.Alignment;
import io.memorygateway.format.align.NormalForm;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.json.JsonWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

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

  /** An answer with calls, as Chat has them; without words, if these are empty. */
  private static StoredMessage answer(String[] words) {
    String calls =
        Stream.of(words).skip(1).map(Talk::function).collect(Collectors.joining(",", "[", "]"));
    String text = words[0].isEmpty() ? "null" : JsonWriter.quote(words[0]);
    return StoredMessage.of("assistant", "{\"content\":" + text + ",\"tool_calls\":" + calls + "}");
  }

  private static String function(String id) {
    return "{\"id\":\"%s\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":1.0}\"}}"
        .formatted(id);
  }

  private static String part(String text) {
    return "{\"type\":\"text\",\"text\":" + JsonWriter.quote(text) + "}";
  }

  private static StoredMessage parts(String[] texts) {
    return StoredMessage.of(
        "user", Stream.of(texts).map(Talk::part).collect(Collectors.joining(",", "[", "]")));
  }

  /** A result and the user's words, as Messages has them. */
  private static StoredMessage resultAndWords(String id, String[] texts) {
    return StoredMessage.of(
        "user",
        "[{\"type\":\"tool_result\",\"tool_use_id\":\"%s\",\"content\":\"%s\"},%s]"
            .formatted(id, texts[0], part(texts[1])));
  }

  private static StoredMessage search(String id) {
    return StoredMessage.of(
        "assistant", "{\"type\":\"web_search_call\",\"id\":\"%s\"}".formatted(id));
  }

  /**
   * {@code u:hi a:hello c:1 r:1=x}, words without blanks. Also {@code b:look+1+2}, an answer with
   * calls, {@code x:look+1}, one that broke off, {@code p:a+b}, a user's message of two parts,
   * {@code s:1=x+b}, a result with the user's words behind it, and {@code w:1}, a search of the
   * provider's.
   */
  public static List<StoredMessage> talk(String words) {
    List<StoredMessage> messages = new ArrayList<>();
    for (String word : words.isBlank() ? new String[0] : words.trim().split("\\s+")) {
      String text = word.substring(2);
      messages.add(
          switch (word.charAt(0)) {
            case 'u' -> user(text);
            case 'a' -> answer(text);
            case 'b', 'x' -> answer(text.split("\\+"));
            case 'p' -> parts(text.split("\\+"));
            case 's' ->
                resultAndWords(
                    text.substring(0, text.indexOf('=')),
                    text.substring(text.indexOf('=') + 1).split("\\+"));
            case 'w' -> search(text);
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

  /** The messages of a thread. */
  public static List<NormalForm> stored(String words) {
    List<StoredMessage> messages = talk(words);
    String[] said = words.trim().split("\\s+", -1);
    return IntStream.range(0, messages.size())
        .mapToObj(at -> NormalForm.of(messages.get(at), said[at].startsWith("x:")))
        .toList();
  }

  /** {@code newFrom/storedTo}. */
  public static String align(String incoming, String stored) {
    return line(align(forms(talk(incoming)), stored(stored)));
  }

  private static String line(Alignment alignment) {
    return alignment.newFrom()
        + (alignment.knownParts() == 0 ? "" : "+" + alignment.knownParts())
        + "/"
        + alignment.storedTo();
  }

  /** {@code newFrom/storedTo}, with {@code !} behind it if what follows there is left. */
  public static String branch(String incoming, String stored) {
    Alignment alignment = align(forms(talk(incoming)), stored(stored));
    return line(alignment) + (alignment.branch() == null ? "" : "!");
  }

  /** The alignment of a call with its thread. */
  public static Alignment align(List<NormalForm> incoming, List<NormalForm> stored) {
    return new Aligner(incoming, stored, List.of()).align();
  }
}

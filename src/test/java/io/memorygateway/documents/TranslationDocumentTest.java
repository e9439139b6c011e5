package io.memorygateway.documents;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.format.Format;
import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.call.ProviderTraits;
import io.memorygateway.format.call.UpstreamModel;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.responses.ResponsesFormat;
import io.memorygateway.format.translation.Member;
import io.memorygateway.format.translation.Terms;
import io.memorygateway.format.translation.Translation;
import io.memorygateway.format.translation.Translator;
import io.memorygateway.json.JsonValue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code translation.md} has a row for every member of requests, and what it says is so. */
class TranslationDocumentTest {
  private static final Path PAGE = Path.of("src/docs/translation.md");
  private static final Pattern ROW = Pattern.compile("\\| `([^`]+)` \\| ([^|]+) \\| ([^|]+) \\|");
  private static final Map<String, Format> FORMATS = formats();

  /** Calls to which a member is added. */
  private static final Map<String, String> CALLS =
      Map.of(
          "Chat", "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]",
          "Messages",
              "{\"model\":\"m\",\"max_tokens\":99,"
                  + "\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]",
          "Responses", "{\"model\":\"m\",\"input\":\"Hi\"");

  /** Values that say something, of members that are neither texts nor numbers. */
  private static final Map<String, String> VALUES =
      Map.ofEntries(
          Map.entry("temperature", "0.5"),
          Map.entry("top_p", "0.5"),
          Map.entry("top_k", "5"),
          Map.entry("n", "2"),
          Map.entry("seed", "7"),
          Map.entry("frequency_penalty", "0.5"),
          Map.entry("presence_penalty", "0.5"),
          Map.entry("logprobs", "true"),
          Map.entry("top_logprobs", "3"),
          Map.entry("store", "true"),
          Map.entry("background", "true"),
          Map.entry("logit_bias", "{\"1\":1}"),
          Map.entry("metadata", "{\"a\":\"b\"}"),
          Map.entry("stop", "[\"x\"]"),
          Map.entry("stop_sequences", "[\"x\"]"));

  private static Map<String, Format> formats() {
    Map<String, Format> formats = new LinkedHashMap<>();
    formats.put("Chat", new ChatFormat());
    formats.put("Messages", new MessagesFormat());
    formats.put("Responses", new ResponsesFormat());
    return formats;
  }

  /** A row of the page: what becomes of a member towards each of the other formats. */
  private record Row(String member, List<String> cells) {}

  @ParameterizedTest
  @ValueSource(strings = {"Chat", "Messages", "Responses"})
  void eachMemberHasItsRow(String format) throws IOException {
    assertThat(rows(format).stream().map(Row::member))
        .containsExactlyElementsOf(
            translator(format).members().stream().map(Member::name).toList());
  }

  @ParameterizedTest
  @ValueSource(strings = {"Chat", "Messages", "Responses"})
  void whatARowSaysBecomesOfItsMember(String format) throws Exception {
    List<String> others = FORMATS.keySet().stream().filter(name -> !name.equals(format)).toList();
    for (Row row : rows(format)) {
      for (int i = 0; i < others.size(); i++) {
        check(format, others.get(i), row.member(), row.cells().get(i));
      }
    }
  }

  private static void check(String from, String to, String member, String cell)
      throws MalformedBodyException {
    String as = member + " of " + from + " to " + to;
    String value = VALUES.getOrDefault(member, "\"some\"");
    String call = CALLS.get(from) + ",\"" + member + "\":" + value + "}";
    String fate = cell.split("[^a-z]", 2)[0];
    if (fate.equals("refused")) {
      assertThatThrownBy(() -> translate(from, to, call)).as(as).hasMessageContaining(member);
      return;
    }
    if (fate.equals("mapped")) {
      return; // The tests of the formats have an example of each.
    }
    Translation translation = translate(from, to, call);
    boolean named =
        translation.dropped().names().stream()
            .anyMatch(name -> name.equals(member) || name.startsWith(member + "."));
    assertThat(named).as(as).isEqualTo(fate.equals("named"));
    if (fate.equals("carried")) {
      JsonValue sent = JsonValue.of(new String(translation.body(), UTF_8));
      assertThat(sent.members().values().stream().map(JsonValue::raw)).as(as).contains(value);
    }
  }

  private static Translation translate(String from, String to, String call)
      throws MalformedBodyException {
    return Translation.of(
        translator(from),
        translator(to),
        call.getBytes(UTF_8),
        () -> call.getBytes(UTF_8),
        new Terms(
            new UpstreamModel("m", ProviderTraits.ALL, 0), "maker", 100, "max_tokens", false, "k"),
        null,
        () -> 1,
        String::length);
  }

  private static Translator translator(String format) {
    return FORMATS.get(format).translator();
  }

  private static List<Row> rows(String format) throws IOException {
    String page = Files.readString(PAGE);
    String section = between(page, "\n## " + format + "\n", "\n## ");
    List<Row> rows = new ArrayList<>();
    Matcher row = ROW.matcher(between(section, "### Members of requests", "\n### "));
    while (row.find()) {
      String one = row.group(2).strip();
      String other = row.group(3).strip();
      rows.add(new Row(row.group(1), List.of(one, other.startsWith("as to ") ? one : other)));
    }
    return rows;
  }

  private static String between(String text, String begin, String end) {
    int from = text.indexOf(begin);
    assertThat(from).as(begin).isNotNegative();
    int to = text.indexOf(end, from + begin.length());
    return text.substring(from + begin.length(), to < 0 ? text.length() : to);
  }
}

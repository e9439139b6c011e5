package io.memorygateway.documents;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.Format;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.responses.ResponsesFormat;
import io.memorygateway.format.translation.Member;
import io.memorygateway.format.translation.Translator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code translation.md} has a row for every member of requests, which says what becomes of it. */
class TranslationDocumentTest {
  private static final Path PAGE = Path.of("src/docs/translation.md");
  private static final Pattern ROW = Pattern.compile("\\| `([^`]+)` \\| ([^|]+) \\| ([^|]+) \\|");
  private static final Map<String, Format> FORMATS = formats();

  private static Map<String, Format> formats() {
    Map<String, Format> formats = new LinkedHashMap<>();
    formats.put("Chat", new ChatFormat());
    formats.put("Messages", new MessagesFormat());
    formats.put("Responses", new ResponsesFormat());
    return formats;
  }

  @ParameterizedTest
  @ValueSource(strings = {"Chat", "Messages", "Responses"})
  void eachMemberHasItsRow(String format) throws IOException {
    Translator translator = translator(format);
    List<String> others = FORMATS.keySet().stream().filter(name -> !name.equals(format)).toList();
    List<String> expected = new ArrayList<>();
    for (Member member : translator.members()) {
      expected.add(
          "%s: %s, %s"
              .formatted(
                  member.name(),
                  fate(member, translator(others.get(0))),
                  fate(member, translator(others.get(1)))));
    }

    assertThat(rows(format)).isEqualTo(expected);
  }

  private static Translator translator(String format) {
    return FORMATS.get(format).translator();
  }

  private static String fate(Member member, Translator other) {
    boolean shares =
        member.shared() != null
            && other.members().stream().anyMatch(each -> member.shared().equals(each.shared()));
    return shares ? "carried" : member.otherwise().name().toLowerCase(Locale.ROOT);
  }

  /** The rows of a format's table of requests: its member, and the first word of each cell. */
  private static List<String> rows(String format) throws IOException {
    String page = Files.readString(PAGE);
    String section = between(page, "\n## " + format + "\n", "\n## ");
    List<String> rows = new ArrayList<>();
    Matcher row = ROW.matcher(between(section, "### Members of requests", "\n### "));
    while (row.find()) {
      rows.add("%s: %s, %s".formatted(row.group(1), word(row.group(2)), word(row.group(3))));
    }
    return rows;
  }

  private static String word(String cell) {
    return cell.strip().split("[^a-z]", 2)[0];
  }

  private static String between(String text, String begin, String end) {
    int from = text.indexOf(begin);
    assertThat(from).as(begin).isNotNegative();
    int to = text.indexOf(end, from + begin.length());
    return text.substring(from + begin.length(), to < 0 ? text.length() : to);
  }
}

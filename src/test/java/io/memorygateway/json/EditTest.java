package io.memorygateway.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class EditTest {
  @Test
  void replacesInsertsAndRemovesInOneCopy() {
    List<Edit> edits =
        List.of(
            Edit.insert(0, "<"),
            new Edit(1, 3, "\u20ac"),
            new Edit(4, 6, ""),
            Edit.insert(6, "+"),
            new Edit(8, 8, ">"));
    assertThat(apply("01234567", edits)).isEqualTo("<0\u20ac3+67>");
  }

  @Test
  void insertsWhatAWriterHasWrittenAndNoMore() {
    JsonWriter array = new JsonWriter(1).ascii("[");
    array.element().raw(JsonValue.of("\"\u20ac\""));
    array.element().raw("2");
    array.ascii("]");
    assertThat(apply("{\"a\":0}", List.of(new Edit(5, 6, array))))
        .isEqualTo("{\"a\":[\"\u20ac\",2]}");
  }

  @Test
  void withoutEditsTheBytesAreNotCopied() {
    byte[] bytes = "{}".getBytes(UTF_8);
    assertThat(Edit.apply(bytes, List.of())).isSameAs(bytes);
  }

  @Test
  void equalsEditingFromTheEnd() {
    Random random = new Random(20261123);
    for (int round = 0; round < 2000; round++) {
      String text = "abcdefghijklmnopqrstuvwxyz".substring(random.nextInt(26));
      StringBuilder expected = new StringBuilder(text);
      List<Edit> edits = new ArrayList<>();
      int end = text.length();
      while (random.nextInt(4) > 0) {
        int to = random.nextInt(end + 1);
        int from = random.nextInt(to + 1);
        String replacement = "0123456789".substring(random.nextInt(11));
        edits.add(0, new Edit(from, to, replacement));
        expected.replace(from, to, replacement);
        end = from;
      }
      assertThat(apply(text, edits)).isEqualTo(expected.toString());
    }
  }

  private static String apply(String text, List<Edit> edits) {
    return new String(Edit.apply(text.getBytes(UTF_8), edits), UTF_8);
  }
}

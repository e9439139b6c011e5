package io.memorygateway.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nothing that a caller chose is a formula, whatever separates cells in the reader's country. */
class CsvTextTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "=cmd|\"'=cmd\"",
        "@x|\"'@x\"",
        "+49 5|\"'+49 5\"",
        "x;=1+1|\"x;'=1+1\"",
        "x; \"=1+1|\"x;' \"\"=1+1\"",
        "a,-b|\"a,'-b\"",
        "` =1`|\"' =1\"",
        "＝1|\"'＝1\"",
        "a;b|\"a;b\"",
        "c\"d|\"c\"\"d\"",
        "-5|-5",
        "-1.5e-9|-1.5e-9",
        "2026-11-26T00:00:00Z|2026-11-26T00:00:00Z",
        "gpt-5|gpt-5",
        "{\"a\":-1}|\"{\"\"a\"\":-1}\"",
      })
  void aCell(String value, String cell) {
    assertThat(CsvText.cell(value)).isEqualTo(cell);
  }

  @Test
  void numbersAndNothing() {
    assertThat(CsvText.line(Arrays.asList(-5L, -0.5, null, true, "")))
        .isEqualTo("-5,-0.5,,true,\r\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {",", ";", "\t", "\r", "\n", "\r\n", "; ", ";\"", "\n \" "})
  void noPartOfACellIsAFormulaWhereverItIsCut(String separator) {
    for (String formula : List.of("=1+1", "+1+x", "-1+x", "@SUM(1)")) {
      String cell = CsvText.cell("gpt" + separator + formula);

      assertThat(cell).startsWith("\"").endsWith("\"");
      assertThat(cell.split("[,;\t\r\n]", -1))
          .allSatisfy(part -> assertThat(part.strip()).doesNotMatch("[\" ]*[=+@-].*"));
    }
  }

  @Test
  void tablesOfTasksAndCommandsAreWrittenSo() {
    Table table = new Table(List.of("model", "calls"));
    table.add(List.of("=cmd|calc", "-1"));

    assertThat(table.csv()).isEqualTo("model,calls\r\n\"'=cmd|calc\",-1\r\n");
  }
}

package io.memorygateway.format.align;

import static io.memorygateway.format.Talk.forms;
import static io.memorygateway.format.Talk.talk;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.Calls;
import io.memorygateway.format.Talk;
import io.memorygateway.format.content.StoredMessage;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where in its thread each message of a call stands, for what a caller put between messages. */
class ThreadPositionsTest {
  @ParameterizedTest(name = "[{0}] on [{1}]")
  @CsvSource(
      delimiter = '|',
      value = {
        "u:a a:b u:c a:d u:e     |u:a a:b u:c a:d         |0 1 2 3 3  |the whole history",
        "u:c a:d u:e             |u:a a:b u:c a:d         |2 3 3      |a window",
        "u:x a:y u:a a:b u:c     |u:a a:b                 |-1 -1 0 1 1|more than is compared",
        "u:a a:b u:e a:f u:g     |u:a a:b u:c u:e a:f     |0 1 3 4 4  |a dropped question",
        "u:sum a:f u:g           |u:a a:b u:e a:f         |-1 3 3     |a summary instead",
        "u:a a:B u:c a:d u:e     |u:a a:b u:c a:d         |0 1 2 3 3  |an echo in other words",
        "u:a c:1 r:1=cut a:b u:c |u:a c:1 r:1=long a:b    |0 1 2 3 3  |a result cut short",
        "u:a a:b u:e a:f u:g     |u:a a:b u:c a:d u:e a:f |0 1 4 5 5  |a dropped turn",
        "u:a a:ok u:e a:ok u:g   |u:a a:ok u:c a:no u:e a:ok|0 1 4 5 5|a dropped turn, the same"
            + " words again",
        "u:c a:b u:e a:f u:g     |u:a a:b u:c a:d u:e a:f |2 3 4 5 5  |another's words for its own"
            + " answer",
        "a:b u:x a:f u:g         |u:a a:b u:c a:d u:e a:f |1 1 5 5    |an answer further up",
        "a:ok u:x a:f u:g        |u:a a:ok u:c a:ok u:e a:f|3 3 5 5   |the nearest of the same",
        "a:ok u:x a:ok u:g       |u:a a:ok u:c a:ok       |1 1 3 3    |each answer once",
        "a:Z u:x a:f u:g         |u:a a:b a:f             |-1 -1 2 2  |other words after a gap",
        "u:a u:a u:b             |u:a u:a                 |0 1 1      |questions nobody answered",
        "u:q                     |u:a a:b                 |-1         |only what is new",
      })
  void isThatOfTheSameMessageOrOfTheOneBefore(
      String call, String thread, String expected, String why) {
    assertThat(positions(forms(talk(call)), forms(talk(thread)))).as(why).isEqualTo(expected);
  }

  @Test
  void countsMessagesAndNotTheirParts() {
    List<StoredMessage> thread =
        List.of(
            Calls.stored("user", "[{'type':'text','text':'a'},{'type':'text','text':'b'}]"),
            Talk.answer("c"));
    List<StoredMessage> call =
        List.of(
            Calls.stored("user", "[{'type':'text','text':'a'},{'type':'text','text':'b'}]"),
            Talk.answer("c"),
            Talk.user("d"));

    assertThat(positions(forms(call), forms(thread))).isEqualTo("0 1 1");
  }

  private static String positions(List<NormalForm> call, List<NormalForm> thread) {
    Aligner aligner = new Aligner(call, thread, List.of());
    aligner.align();
    return Arrays.stream(aligner.positions())
        .mapToObj(Integer::toString)
        .collect(Collectors.joining(" "));
  }
}

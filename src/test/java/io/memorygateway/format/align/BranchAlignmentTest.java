package io.memorygateway.format.align;

import static io.memorygateway.format.Talk.align;
import static io.memorygateway.format.Talk.forms;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.Talk;
import io.memorygateway.format.content.StoredMessage;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Calls that go back in their thread, and such as go on with a branch that was left. */
class BranchAlignmentTest {
  @ParameterizedTest(name = "[{0}] on [{1}]")
  @CsvSource(
      delimiter = '|',
      value = {
        "u:a a:b u:x            |u:a a:b u:c a:d        |2/2|an edited question",
        "u:a a:b u:c a:d u:x    |u:a a:b u:c a:d u:e a:f|4/4|the last one of three",
        "u:a a:b u:x            |u:a a:b u:c a:d u:e a:f|2/2|two turns back",
        "u:c a:d u:x            |u:a a:b u:c a:d u:e a:f|2/4|in a window",
        "u:a a:B u:x            |u:a a:b u:c a:d        |2/2|an echo in other words",
        "u:a c:1 r:1=x a:b u:x  |u:a c:1 r:1=x a:b u:c a:d|4/4|behind a tool loop",
        "a:b u:x                |u:a a:b u:c a:d        |1/4|a mere tail leaves nothing",
        "u:z a:b u:x            |u:a a:b u:c a:d        |2/2|other first words, too",
        "u:z c:1 r:1=x a:b u:x  |u:a c:1 r:1=x a:b u:c a:d|4/4|before a tool loop",
        "u:y u:z a:b u:x        |u:a a:b u:c a:d        |3/2|and one more",
        "u:a a:b u:x            |u:a a:b a:m u:c a:d    |2/5|an answer of which a part is echoed",
        "u:a c:1 r:1=x          |u:a c:1 u:c a:d        |2/4|results of a second window go behind",
        "u:a c:1 r:1=x u:x      |u:a c:1 r:1=x a:d      |3/3|behind a tool's results",
        "u:a c:1 r:1=x          |u:a c:1 r:1=x a:d u:e a:f|3/3|asked again behind them",
        "c:1 r:1=x u:x          |u:a a:b u:c c:1 r:1=x a:d|2/6|of a mere tail",
        "u:a a:b u:c u:x        |u:a a:b u:c a:d        |3/3|without the answer",
        "u:a a:b u:x            |u:a a:b x:par          |2/3|what broke off and is not kept",
        "u:x                    |u:a a:b u:c a:d        |0/4|nobody knows",
      })
  void takesWordsInTheMiddleForAnotherBranch(
      String incoming, String stored, String expected, String why) {
    assertThat(align(incoming, stored)).as(why).isEqualTo(expected);
  }

  @ParameterizedTest(name = "[{0}] on [{1}]")
  @CsvSource(
      delimiter = '|',
      value = {
        "u:a a:b u:x            |u:a w:1 a:b u:c a:d        |2/3!|a search that is not echoed",
        "u:a a:b u:x            |u:a b:b+1 u:c a:d          |2/2!|a call in the answer that is not",
        "u:a a:b u:x            |u:a c:1 r:1=x a:b u:c a:d  |2/4!|a page that keeps texts alone",
        "u:z a:b u:c a:d u:x    |u:z a:b u:c c:1 r:1=x a:d u:e a:f|4/6!|in a later turn",
        "a:b u:x                |u:a w:1 a:b u:c a:d        |1/5 |a mere tail leaves nothing",
        "u:a c:1 s:1=x+e        |u:a c:1 s:1=x+c a:d        |2/2!|words behind a result",
        "u:a c:1 r:1=x u:e      |u:a c:1 s:1=x+c a:d        |2/2!|by another endpoint",
        "p:a a:b p:x+3          |p:a+1 a:b p:c+2 a:d        |2/2!|reminders on the last words"
            + " alone",
        "u:a a:b u:c a:d u:x    |u:a a:b p:c+2 a:d u:e a:f  |4/4!|on one before",
        "u:a a:b u:z a:d u:x    |u:a a:b u:c a:d u:e a:f    |4/4!|altered words before",
        "u:z a:d u:x            |u:a a:b u:c a:d u:e a:f    |2/6 |of a mere tail",
      })
  void findsTheBranchOfClientsThatLeaveOutAndAlterWhatCameBefore(
      String incoming, String stored, String expected, String why) {
    assertThat(Talk.branch(incoming, stored)).as(why).isEqualTo(expected);
  }

  /**
   * A window's branch that the other one has left, with an answer as the other one has it; and one
   * that another endpoint has stored.
   */
  @ParameterizedTest(name = "[{0}]")
  @CsvSource(
      delimiter = '|',
      value = {
        "u:1 a:d u:3|u:1 a:b u:2 a:d|1|a:d|1/1 [0]",
        "u:1 a:h u:2 a:done u:3|u:4 a:f u:5 a:done u:6 a:sure|2|u:1 a:h u:2 a:done|0/2 [0, 1, 2,"
            + " 3]",
        "u:1 b:h+1 r:1=x a:e u:3|u:1 a:z|1|a:h c:1 r:1=x a:e|1/1 [0, 1, 2, 3]",
        "u:1 a:h c:1 r:1=x a:e u:3|u:1 a:z|1|b:h+1 r:1=x a:e|1/1 [0, 1, 2]",
        "u:1 a:e u:3|u:1 a:z|1|w:1 c:1 r:1=x a:e|1/1 [0, 1, 2, 3]",
        "u:1 a:h a:e u:3|u:1 a:z|1|b:h+1 r:1=x a:e|1/1 [0, 1, 2]",
        "u:1 c:2 r:2=x a:e u:3|u:1 a:z|1|c:1 r:1=x c:2 r:2=x a:e|1/1 [2, 3, 4]",
        "u:1 c:1 r:1=cleared a:e u:3|u:1 a:z|1|c:1 r:1=x a:e|1/1 [0, 1, 2]",
        "u:z a:b u:2 a:c u:3|u:4 a:f|2|u:1 a:b u:2 a:c|0/2 [0, 1, 2, 3]",
        "u:1 a:b u:z a:c u:3|u:1 a:b u:4 a:f|4|u:2 a:c|2/2 [0, 1]",
        "u:x a:y u:2 a:c u:3|u:4 a:f|2|u:1 a:b u:2 a:c|0/2 [2, 3]",
        "u:a u:b a:c u:3|u:4 a:f|2|u:ab a:c|0/2 [0, 1]",
        "u:1 a:e u:3|u:1 a:z|1|c:1 c:2 r:2=x a:e|1/1 [1, 2, 3]",
        "u:1 a:d u:3|u:1 a:z|1|x:d a:d|1/1 [1]",
        "u:1 a:D u:2 a:c u:3|u:1 a:z|1|a:d u:2 a:c|1/1 [0, 1, 2]",
        "u:1 a:D u:2 a:E u:2 a:c u:3|u:1 a:z|1|a:d u:2 a:e u:2 a:c|1/1 [0, 1, 2, 3, 4]",
        "u:1 b:d+1 r:1=x u:3|u:1 a:z|1|x:d+1 b:d+1 r:1=x|1/1 [1, 2]",
        "u:1 c:1 r:1=cleared a:e u:2 a:f u:3|u:1 c:1 r:1=x a:e u:4 a:g|4|u:2 a:f|4/4 [0, 1]",
      })
  void goesBackToABranchThatTheCallHasInAnotherForm(
      String call, String stored, int behind, String branch, String expected) {
    List<Left> left = Talk.stored(branch).stream().map(form -> new Left(form, behind)).toList();
    Alignment found = new Aligner(forms(Talk.talk(call)), forms(Talk.talk(stored)), left).align();

    assertThat(found.branch()).isNotNull();
    assertThat(found.newFrom() + "/" + found.storedTo() + " " + found.branch().revived())
        .isEqualTo(expected);
  }

  /** An answer broke off at its end, and was made anew in the same words. */
  @Test
  void goesBackToNothingThatTheConversationHasAsWell() {
    List<Left> left = List.of(new Left(forms(Talk.talk("a:d")).get(0), 3));
    List<NormalForm> stored = forms(Talk.talk("u:a a:b u:c a:d"));
    for (String said : List.of("u:a a:d", "u:a u:c a:d", "u:a a:b u:c a:d")) {
      List<NormalForm> call = forms(Talk.talk(said + " u:e"));
      assertThat(new Aligner(call, stored, left).align())
          .as(said)
          .isEqualTo(new Alignment(call.size() - 1, 0, 4));
    }
  }

  /** Its question was edited, and edited back. */
  @ParameterizedTest(name = "[{0}] on [{1}]")
  @CsvSource(
      delimiter = '|',
      value = {
        "u:q a:Y u:x                |u:q a:y                |0",
        "u:s a:t u:q a:Y u:x        |u:s a:t u:q a:y        |2",
        "u:s a:t u:q a:Y u:e a:F u:x|u:s a:t u:q a:y u:e a:f|2",
      })
  void anAlteredAnswerIsThatOfTheConversationWhereItAsksTheSame(
      String incoming, String stored, int behind) {
    List<Left> left =
        Talk.stored("u:q a:z u:r a:w").stream().map(form -> new Left(form, behind)).toList();
    List<NormalForm> call = forms(Talk.talk(incoming));
    int known = call.size() - 1;

    assertThat(new Aligner(call, Talk.stored(stored), left).align())
        .isEqualTo(new Alignment(known, 0, known));
  }

  /** It was an answer to a question that was sent again. */
  @Test
  void aSpokenAnswerThatWasLeftStaysLeftWhereItsBranchComesBack() {
    List<StoredMessage> branch = new ArrayList<>(Talk.talk("u:2 a:c"));
    branch.add(1, StoredMessage.of("assistant", "{\"content\":null,\"audio\":{\"id\":\"s\"}}"));
    List<Left> left = forms(branch).stream().map(form -> new Left(form, 2)).toList();
    List<NormalForm> call = forms(Talk.talk("u:1 a:b u:2 a:c u:3"));

    Alignment found = new Aligner(call, forms(Talk.talk("u:1 a:b u:4 a:z")), left).align();

    assertThat(found.branch()).isNotNull();
    assertThat(found.branch().revived()).containsExactly(0, 2);
  }

  /** A second window went on behind the first answer, and has the thread. */
  @ParameterizedTest(name = "[{0}]")
  @CsvSource(
      delimiter = '|',
      value = {
        "u:1 a:ok u:2 a:ok u:3 a:ok u:5|2/2|all of the first window",
        "u:1 a:ok u:2 a:ok u:5         |2/2|its first two turns",
      })
  void goesBackToABranchWhoseAnswersAreLikeTheOthers(String call, String expected, String why) {
    List<Left> left =
        forms(Talk.talk("u:2 a:ok u:3 a:ok")).stream().map(form -> new Left(form, 2)).toList();
    Alignment found =
        new Aligner(forms(Talk.talk(call)), forms(Talk.talk("u:1 a:ok u:4 a:ok")), left).align();
    int turns =
        found.newFrom() == 2 && found.branch() != null ? found.branch().revived().size() : 0;

    assertThat(found.newFrom() + "/" + found.storedTo()).as(why).isEqualTo(expected);
    assertThat(turns).isEqualTo(call.split("a:ok", -1).length * 2 - 4);
  }

  /** A call that goes back has the thread up to there, whatever behind it is like the rest. */
  @Test
  void ownWordsOfACallThatGoesBackAreThoseBeforeItsBranch() {
    List<Left> left = forms(Talk.talk("u:2 a:ok")).stream().map(form -> new Left(form, 6)).toList();
    Aligner aligner =
        new Aligner(
            forms(Talk.talk("u:0 a:ok u:1 a:ok u:2 a:ok u:5")),
            forms(Talk.talk("u:0 a:ok u:1 a:ok u:3 a:ok u:4 a:ok")),
            left);
    Alignment found = aligner.align();

    assertThat(found.newFrom() + "/" + found.storedTo()).isEqualTo("4/4");
    assertThat(aligner.ownWords(found, false).changed()).isEmpty();
    assertThat(aligner.known(found)).isEqualTo(new Alignment.Known(0, 4, false));
  }

  /** A thread in the order in which it was stored, with a minus before what was left. */
  @ParameterizedTest(name = "[{0}] on [{1}]")
  @CsvSource(
      delimiter = '|',
      value = {
        "u:q a:own u:e a:d u:f|u:q -a:b a:c u:e a:d|the conversation's, where both go on|4/4",
        "u:q a:own u:f|u:q -a:b -u:x -a:y a:c|behind a question that was left|2/2",
        "u:q a:own u:e a:d u:f|u:q a:b -u:x x:y u:e a:d|and not behind that one|4/5",
        "u:q a:own u:f|u:q -a:1 -a:2 -a:3 -a:4 -a:5 -a:6 -a:7 -a:8 -a:9 a:c|behind many|2/2",
        "u:q a:own u:e u:f|u:q -a:b -u:e a:c|the branch's, where that goes on|1/1 [0, 1]",
        "u:q a:own u:f|u:q -a:b c:1 r:1=x|or where the conversation has none|1/1 [0]",
        "u:q a:own a:my u:e a:d u:f|u:q a:b a:c -u:x u:e -a:d a:z|two of them|4/4 [1]",
        "u:q a:ok u:f|u:q -a:ok a:b u:c a:ok|the same answer, further on|1/1 [0]",
        "u:q a:ok u:f|u:q -a:ok u:c a:ok|behind other words|1/1 [0]",
        "u:q a:b p:y+z a:e u:f|u:q a:b u:y -u:w -a:d u:z -a:e a:h|a message of two|3/4 [2]",
        "u:q c:1 s:1=x+y a:e u:f|u:q c:1 r:1=x -a:d -u:y -a:e u:g a:h|a result and words|2/2 [1, 2]",
        "u:q c:1 r:1=x a:own u:f|u:q c:1 -s:1=x+w -a:d r:1=x a:e|without the words that were left|4/4",
      })
  void aMessageThatStandsAtSeveralPlacesIsThatOfWhatStandsAroundIt(
      String call, String line, String why, String expected) {
    List<NormalForm> stored = new ArrayList<>();
    List<Left> left = new ArrayList<>();
    for (String word : line.split(" ", -1)) {
      boolean isLeft = word.startsWith("-");
      NormalForm form = Talk.stored(isLeft ? word.substring(1) : word).get(0);
      if (isLeft) {
        left.add(new Left(form, stored.size()));
      } else {
        stored.add(form);
      }
    }
    Alignment found = new Aligner(forms(Talk.talk(call)), stored, left).align();

    String branch = found.branch() == null ? "" : " " + found.branch().revived();
    assertThat(found.newFrom() + "/" + found.storedTo() + branch).as(why).isEqualTo(expected);
  }
}

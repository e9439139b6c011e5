package io.memorygateway.format.align;

import static io.memorygateway.format.Calls.json;
import static io.memorygateway.format.Talk.forms;
import static io.memorygateway.format.Talk.talk;
import static io.memorygateway.testing.HostileText.assertLinear;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.content.StoredMessage;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Calls that may go on with what was left, in forms that no client of good will sends. */
class BranchWalkTest {
  @Test
  void aCallMayEndWithAMessageOfTheModelThatSaysNothing() {
    List<Left> left = left(talk("u:3 a:c"), 4);
    Alignment found =
        new Aligner(forms(talk("u:2 a:b u:3 a:")), forms(talk("u:2 a:b u:4 a:d")), left).align();

    assertThat(found.newFrom() + "/" + found.storedTo()).isEqualTo("2/2");
  }

  @Test
  void wordsBehindTheWholeConversationAreNewThoughTheyWereLeftBefore() {
    List<Left> left = left(talk("u:3 c:7 r:7=x u:go a:done"), 4);
    Alignment found =
        new Aligner(forms(talk("u:1 a:b u:2 a:d u:go")), forms(talk("u:1 a:b u:2 a:d")), left)
            .align();

    assertThat(found.branch()).isNull();
    assertThat(found.newFrom() + "/" + found.storedTo()).isEqualTo("4/4");
  }

  @Test
  void aQuestionThatWasLeftIsAskedAgainWithoutTheCallsBeforeIt() {
    List<Left> left = left(talk("u:3 c:7 r:7=x u:go a:done"), 2);
    Alignment found =
        new Aligner(forms(talk("u:1 a:b u:go")), forms(talk("u:1 a:b u:2 a:d")), left).align();

    assertThat(found.branch().revived()).isEqualTo(List.of(3));
  }

  @Test
  void resultsOfOneCallThatStandInOneMessageAreFoundInLinearTime() {
    assertLinear(
        500,
        i -> ".",
        results -> {
          String result = json("{'type':'tool_result','tool_use_id':'1','content':'x'}");
          String all = String.join(",", Collections.nCopies(results.length(), result));
          List<StoredMessage> stored =
              join(
                  join(talk("u:1 c:1"), List.of(StoredMessage.of("user", "[" + all + "]"))),
                  talk("a:x"));
          StoredMessage one = StoredMessage.of("user", "[" + result + "]");
          List<StoredMessage> call =
              join(talk("u:1 c:1"), Collections.nCopies(results.length(), one));
          new Aligner(forms(call), forms(stored), left(talk("u:z"), 2)).align();
        });
  }

  @Test
  void messagesThatSayNothingBeforeWhatWasLeftArePassedInLinearTime() {
    assertLinear(
        500,
        i -> ".",
        silent -> {
          String part = json("{'type':'text','text':'x'}");
          String all = String.join(",", Collections.nCopies(silent.length(), part));
          List<StoredMessage> branch =
              join(List.of(StoredMessage.of("user", "[" + all + "]")), talk("a:b"));
          List<StoredMessage> call =
              join(Collections.nCopies(silent.length(), talk("a:").get(0)), talk("a:b u:3"));
          new Aligner(forms(call), forms(talk("u:4 a:d")), left(branch, 2)).align();
        });
  }

  private static List<StoredMessage> join(List<StoredMessage> some, List<StoredMessage> more) {
    return Stream.concat(some.stream(), more.stream()).toList();
  }

  private static List<Left> left(List<StoredMessage> messages, int behind) {
    return forms(messages).stream().map(form -> new Left(form, behind)).toList();
  }
}

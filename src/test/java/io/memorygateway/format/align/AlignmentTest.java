package io.memorygateway.format.align;

import static io.memorygateway.format.Talk.align;
import static io.memorygateway.format.Talk.forms;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.Answers;
import io.memorygateway.format.Calls;
import io.memorygateway.format.Format;
import io.memorygateway.format.Talk;
import io.memorygateway.format.call.Conversation;
import io.memorygateway.format.call.MemoryContext;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.messages.MessagesFormat;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AlignmentTest {

  @ParameterizedTest(name = "[{0}] on [{1}]")
  @CsvSource(
      delimiter = '|',
      value = {
        "u:a             |                     |0/0|a new thread",
        "u:a a:b u:c     |                     |0/0|a history from elsewhere",
        "u:c             |u:a a:b              |0/2|only what is new",
        "u:a a:b u:c     |u:a a:b              |2/2|the whole history",
        "a:b u:c         |u:a a:b              |1/2|a window that starts with an answer",
        "u:c a:d u:e     |u:a a:b u:c a:d      |2/4|a window",
        "u:x a:y u:a a:b u:c|u:a a:b           |4/2|a history older than the part compared",
        "u:a c:1 r:1=x   |u:a c:1              |2/2|the second step of a tool loop",
        "c:1 r:1=x       |u:a c:1              |1/2|the same by a caller with a short window",
        "r:1=x           |u:a c:1              |0/2|the result alone",
        "u:a c:1 r:1=x c:2 r:2=y|u:a c:1 r:1=x c:2|4/4|the third step",
        "c:1 r:1=y       |u:a c:1 r:1=x c:1    |1/4|a step like the one before",
        "c:1 r:1=x       |u:a c:1 r:1=x c:1    |1/4|with the same result",
        "c: r:=x         |u:a c: r:=x c:       |1/4|and no ids",
        "u:b c:1 r:1=x   |u:a c:1 r:1=x a:d u:b c:1|2/6|a step like that of another turn",
        "u:b c:1 c:1 r:1=x r:1=y u:e|u:a c:1 c:1 r:1=x r:1=y a:d u:b c:1 c:1|3/9|two of them",
        "u:a c:1 r:1=x   |u:a c:1 r:1=x c:1    |3/3|from the beginning: a repetition",
      })
  void takesWhatComesBehindTheHistoryForNew(
      String incoming, String stored, String expected, String why) {
    assertThat(align(incoming, stored == null ? "" : stored)).as(why).isEqualTo(expected);
  }

  @ParameterizedTest(name = "[{0}] on [{1}]")
  @CsvSource(
      delimiter = '|',
      value = {
        "u:yes                  |u:yes a:ok             |0/2|by a caller that keeps no history",
        "u:yes a:ok u:yes       |u:yes a:ok             |2/2|by one that keeps it",
        "u:yes a:ok u:yes       |u:yes a:ok u:yes a:ok  |2/4|by one that keeps a window",
        "u:yes a:ok u:yes a:ok u:yes|u:yes a:ok u:yes a:ok|4/4|a third time",
        "a:ok u:yes             |u:yes a:ok u:yes a:ok  |1/4|the window fits several places",
        "a:ok u:yes             |u:yes a:ok u:no a:ok   |1/4|the later place counts",
        "a:b u:yes              |u:a a:b u:yes a:d u:e  |1/5|others came after the first time",
        "u:x u:x u:yes          |u:x u:x u:no u:yes     |0/4|and nobody answered yet",
      })
  void takesTheSameWordsSaidAgainForANewTurn(
      String incoming, String stored, String expected, String why) {
    assertThat(align(incoming, stored)).as(why).isEqualTo(expected);
  }

  @ParameterizedTest(name = "[{0}] on [{1}]")
  @CsvSource(
      delimiter = '|',
      value = {
        "u:a a:b u:c      |u:a a:b u:c a:d    |3/3|the answer was lost on its way",
        "u:a c:1 r:1=x    |u:a c:1 r:1=x a:d  |3/3|in a tool loop",
        "r:1=x            |u:a c:1 r:1=x a:d  |1/3|the result has its id",
        "u:a a:b u:c a:d  |u:a a:b u:c a:d    |4/4|to be continued",
        "u:c              |u:a a:b u:c        |1/3|a question nobody answered",
        "u:b u:c          |u:a u:b            |1/2|and one more behind it",
        "u:a u:a u:b      |u:a u:a u:a u:b    |3/4|words said over and over",
        "u:a u:b u:a      |u:a u:b u:a u:b    |2/4|and the last of them once more",
        "a:b u:c u:f      |u:a a:b u:c u:e    |2/4|another caller asks at the same time",
        "u:a a:b u:c      |u:a a:b u:c        |3/3|the same with its history",
      })
  void takesACallThatBringsNothingNewForARepetition(
      String incoming, String stored, String expected, String why) {
    assertThat(align(incoming, stored)).as(why).isEqualTo(expected);
  }

  /** Clients that leave out calls that nobody answered, as Vercel's SDK and Google's ADK do. */
  @ParameterizedTest(name = "[{0}] on [{1}]")
  @CsvSource(
      delimiter = '|',
      value = {
        "u:a u:b          |u:a c:1              |1/1|the calls are left out",
        "u:a u:b          |u:a a:x c:1 c:2      |1/1|with the words before them",
        "u:a u:b u:c      |u:a u:b c:1          |2/2|behind two messages",
        "u:a u:b          |u:a a:x              |0/2|not an answer without calls",
        "u:a              |u:a c:1              |0/2|nor the same words alone",
        "u:b u:c          |u:a u:b c:1          |0/3|nor a tail",
        "u:a u:b          |u:a c:1 r:1=x        |0/3|nor calls that were answered",
      })
  void takesWordsBeforeCallsThatTheirClientLeavesOutForKnown(
      String incoming, String stored, String expected, String why) {
    assertThat(align(incoming, stored)).as(why).isEqualTo(expected);
  }

  @ParameterizedTest(name = "[{0}] on [{1}]")
  @CsvSource(
      delimiter = '|',
      value = {
        "u:a              |u:a x:par              |1/1|asked again",
        "u:ab             |u:a u:b x:par          |1/2|joined",
        "u:a u:b          |u:a x:par              |1/2|goes on",
        "u:a a:pa u:b     |u:a x:par              |2/2|kept less of it",
        "u:b              |u:a x:par              |0/2|something else",
        "u:haha a:e u:f   |u:haha a:e u:ha u:ha x:par|2/2|edited, behind what the last words are"
            + " together",
        "u:a u:b u:c      |u:a x:par u:b x:part   |2/4|twice",
        "u:a u:b          |u:a x:par u:b x:part   |2/3|twice, again",
        "u:z a:y u:a u:b u:c|u:z a:y u:a x:+1 u:b x:+2|4/6|behind an answer",
        "u:a a:y u:a u:a  |u:a a:y u:a x:p u:a x:q|4/5|in words that were answered before",
        "u:b u:c          |u:a x:par u:b x:part   |1/4|a tail",
        "u:a u:b          |u:a x:par u:b a:d      |2/3|before a whole answer that is asked for"
            + " again",
        "u:z a:y u:a u:b  |u:z a:y u:a x:par u:b a:d|4/5|behind one",
        "u:a u:b u:c      |u:a x:par u:b a:d      |2/3|and before one that is left",
        "u:a u:e          |u:a x:par u:b a:d      |1/1|before words that are edited",
        "u:z a:y u:a u:e  |u:z a:y u:a x:par u:b a:d|3/3|behind an answer",
        "u:a a:pa u:e     |u:a x:par u:b a:d      |2/2|kept less of it, and edited",
        "u:yes            |u:yes x:par u:yes a:d  |0/4|the same words alone are new",
        "u:a              |u:a x:par u:b a:d      |0/4|as they are at an earlier place",
        "u:a u:b          |u:c u:a x:par u:b a:d  |2/4|by one that keeps the end",
        "u:a c:1 r:1=x u:b|u:a c:1 r:1=x x:par    |3/4|behind a result",
      })
  void takesTheWordsWhoseAnswerBrokeOffForKnown(
      String incoming, String stored, String expected, String why) {
    assertThat(align(incoming, stored)).as(why).isEqualTo(expected);
  }

  @Test
  void takesTheWordsBehindWhichOnlyAThoughtBrokeOffForARepetition() {
    for (String asked : List.of("u:a", "u:a c:1 r:1=x")) {
      List<NormalForm> stored = new ArrayList<>(forms(Talk.talk(asked)));
      stored.add(
          NormalForm.of(
              StoredMessage.of("assistant", "{\"content\":null,\"reasoning_content\":\"hm\"}"),
              true));
      int to = stored.size() - 1;
      assertThat(Talk.align(forms(Talk.talk(asked)), stored)).isEqualTo(new Alignment(to, 0, to));
    }
  }

  @ParameterizedTest(name = "[{0}] on [{1}]")
  @CsvSource(
      delimiter = '|',
      value = {
        "u:cd             |u:a a:b u:c u:d      |1/4|all that nobody answered",
        "u:cd u:e         |u:a a:b u:c u:d      |1/4|and one more behind it",
        "u:a a:b u:cd u:e |u:a a:b u:c u:d      |3/4|by one that keeps its history",
        "u:de             |u:c u:d u:e          |1/3|the end of it",
        "u:cd             |u:c u:d a:e          |0/3|not what was answered",
        "u:a a:b u:cd     |u:a a:b u:c a:e u:c u:d|2/2|nor a part of it",
        "u:cd a:b u:cd    |u:cd a:b u:c u:d     |3/4|though it was said before in one",
        "u:cd             |u:cd a:b u:c u:d     |1/4|by one that keeps no history",
      })
  void takesOneMessageForTheUnansweredOnesThatItJoins(
      String incoming, String stored, String expected, String why) {
    assertThat(align(incoming, stored)).as(why).isEqualTo(expected);
  }

  @ParameterizedTest(name = "[{0}] on [{1}]")
  @CsvSource(
      delimiter = '|',
      value = {
        "u:a a:B u:c                |u:a a:b                  |2/2|an echo in other words",
        "u:a a:b u:c a:D u:e        |u:a a:b u:c a:d          |4/4|the last echo",
        "u:a a:B u:c a:D u:e        |u:a a:b u:c a:d          |4/4|every echo",
        "u:a a:b u:e a:f u:g        |u:a a:b u:c a:d u:e a:f  |4/6|a dropped middle",
        "u:sum a:f u:g              |u:a a:b u:e a:f          |2/4|a summary instead",
        "u:a c:1 r:1=cut a:b u:c    |u:a c:1 r:1=long a:b     |4/4|a result cut short",
        "u:a a:b u:x                |u:a a:b u:c              |2/3|the last turn taken back,"
            + " unanswered",
        "u:a a:b u:fail u:c         |u:a a:b                  |2/2|a call that failed before",
        "u:a a:b u:x a:y u:c        |u:a a:b                  |2/2|a turn that went around us",
        "u:a a:ok u:x a:ok u:c      |u:a a:ok                 |2/2|with the same answer",
        "u:c a:d u:e                |u:a u:c a:d a:b          |2/4|another caller in between",
      })
  void bearsWithAlteredHistories(String incoming, String stored, String expected, String why) {
    assertThat(align(incoming, stored)).as(why).isEqualTo(expected);
  }

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
        "u:a b:look+1 r:1=x     |u:a a:b                |1/1!|another answer, of the caller's own",
        "u:a a:b u:c b:look+1 r:1=x|u:a a:b u:c a:d     |3/3!|in a later turn",
        "u:a b:b+1 r:1=x u:c    |u:a a:b                |1/1!|a call that the client adds",
        "u:a b:look+1+2 r:1=x r:2=y|u:a b:look+1        |1/1!|beside the model's own",
        "u:a b:look+1+2 r:1=x r:2=y|u:a a:look c:1      |1/1!|as two items",
        "u:a b:look+2+1 r:2=x r:1=y|u:a b:look+1+2      |2/2 |the model's own in another order",
        "u:a b:Look+1 r:1=x     |u:a a:look c:1         |2/3 |the model's own in other words",
        "u:a b:look+1 r:1=x     |u:a a:b u:c a:d        |1/1!|from the thread's beginning",
        "a:b u:c b:look+1 r:1=x |u:a a:b u:c a:d u:e a:f|2/6 |a mere tail leaves nothing",
      })
  void takesAnAnswerWithCallsThatTheThreadLacksForAnotherOne(
      String incoming, String stored, String expected, String why) {
    assertThat(Talk.branch(incoming, stored)).as(why).isEqualTo(expected);
  }

  /** As smolagents does, in one text or several. */
  @ParameterizedTest(name = "[{0}] on [{1}]")
  @CsvSource(
      delimiter = '|',
      value = {
        "u:a a:x u:c            |u:a c:1                |1/1!|the first step",
        "u:a a:x u:c            |u:a c:1 c:2            |1/1!|of two calls",
        "u:a a:letx u:c         |u:a b:let+1            |1/1!|with words of the model's",
        "u:a a:let a:x u:c      |u:a b:let+1            |1/1!|as two texts",
        "u:a a:let a:x u:c      |u:a a:let c:1          |2/2!|behind an item",
        "u:a a:x u:c a:y u:d    |u:a a:x u:c c:2        |3/3!|the second step",
        "u:a a:x p:c+e a:lety u:d|u:a a:x p:c+e b:let+2  |3/3!|with parts",
        "u:z a:let u:c          |u:z b:**let**+1        |2/2 |without marks",
        "u:z a:le u:c           |u:z b:let+1            |2/2 |of less words",
        "a:x u:c a:y u:d        |u:a a:x u:c c:2        |2/3!|in a window",
        "u:a a:b u:c a:y u:d    |u:a a:b u:c c:1        |3/3!|in a later turn",
        "u:a                    |u:a c:1                |0/2 |asked again",
        "u:a a:x                |u:a c:1                |0/2 |nothing of the user's",
        "u:z a:x u:c            |u:a c:1                |0/2 |a history from elsewhere",
        "u:a a:let u:c          |u:a b:let+1            |2/2 |a call that is left out",
        "u:a a:x u:c            |u:a c:1 r:1=x          |0/3 |its result has come",
      })
  void takesTheModelsWordsForCallsThatTheThreadEndsWith(
      String incoming, String stored, String expected, String why) {
    assertThat(Talk.branch(incoming, stored)).as(why).isEqualTo(expected);
  }

  @ParameterizedTest(name = "[{0}] on [{1}]")
  @CsvSource(
      delimiter = '|',
      value = {
        "u:a a:b u:c            |u:a a:b u:c c:1 r:1=x a:d  |3/3!|it had called a tool",
        "u:a a:b u:c            |u:a a:b u:c a:d u:e a:f    |3/3!|two turns back",
        "u:a c:1 s:1=x+c        |u:a c:1 s:1=x+c c:2 r:2=y a:d|3/3!|behind a result",
        "u:a a:b u:c            |u:a a:b u:c a:d            |3/3 |the answer alone is replaced",
        "a:b u:c                |u:a a:b u:c c:1 r:1=x a:d  |1/6 |a mere tail leaves nothing",
        "u:a a:b u:c            |u:a a:b u:c u:e            |2/4 |nobody answered",
        "u:a a:b u:c            |u:z c:1 u:a a:b r:1=x a:d u:c a:f|3/7|behind another window's"
            + " loop",
      })
  void takesTheLastWordsSaidAgainForARepetition(
      String incoming, String stored, String expected, String why) {
    assertThat(Talk.branch(incoming, stored)).as(why).isEqualTo(expected);
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

  @ParameterizedTest(name = "[{0}] on [{1}]")
  @CsvSource(
      delimiter = '|',
      value = {
        "u:a a:lookfound u:c    |u:a c:0 r:0=x b:look+1 r:1=y a:found  |2/6|the first step is"
            + " silent",
        "u:z a:b u:a a:lookfound u:c|u:z a:b u:a a:look c:0 r:0=x a:found|4/7|as items",
        "u:a a:bd u:e           |u:a a:b u:c a:d                       |2/2|not those of two turns",
      })
  void takesOneAnswerForThoseOfATurnThatItJoins(
      String incoming, String stored, String expected, String why) {
    assertThat(align(incoming, stored)).as(why).isEqualTo(expected);
  }

  @ParameterizedTest(name = "[{0}] on [{1}]")
  @CsvSource(
      delimiter = '|',
      value = {
        "u:x b:+1+2 r:1=a r:2=b |u:a c:1 c:2            |0/0 {0=0}|two items",
        "u:x b:look+1 r:1=a     |u:a a:look c:1         |0/0 {0=0}|a text and a call",
        "u:h a:i u:x b:+1+2 r:1=a r:2=b|u:h a:i u:a c:1 c:2|0/0 {2=2}|in the middle",
        "u:s a:i u:x b:+1+2 r:1=a r:2=b|u:h a:k u:a a:i u:y c:1 c:2|0/0 {2=0, 4=2}|and other words"
            + " before that",
        "u:x a:y u:a a:b u:c    |u:a a:b                |2/0 {}|before the thread",
        "u:x u:a a:b u:c        |u:a a:b                |1/0 {}|one message",
        "a:x u:a a:b u:c        |u:a a:b                |1/0 {}|of the model",
        "u:x a:b u:c            |a:b                    |1/0 {}|a thread without its first"
            + " question",
        "r:1=x a:y u:a a:b u:c  |u:a a:b                |0/0 {}|a history cut within a tool loop",
        "u:x u:z a:y u:k a:b u:c|u:a a:b                |4/1 {}|in the place of other words, too",
        "u:de a:b u:c           |u:a a:h u:d u:e a:b    |0/0 {}|one message of two behind others",
        "u:d u:e a:b u:c        |u:a a:h u:de a:b       |0/0 {}|two of one",
        "p:x+y+a a:b u:c        |p:y+a a:b              |0/0 {0=0}|with a part more",
        "u:h a:i p:x+a a:b u:c  |u:h a:i p:a+y a:b      |0/0 {2=2}|with others, in the middle",
        "p:x+a a:b u:c          |p:y+a a:b              |0/0 {0=0}|with another part",
        "u:h a:i p:x+a a:b u:c  |u:h a:i p:y+a a:b      |0/0 {2=2}|with another, in the middle",
        "p:a+x+c a:d u:e        |u:a a:b u:c a:d        |0/0 {}|with the words before a lost"
            + " answer",
        "u:h a:i p:a+c a:d u:e  |u:h a:i u:a a:b u:c a:d|0/0 {}|in the middle, too",
        "p:r+a a:b p:r+x+c a:d u:e|p:r+a a:b u:c a:d    |0/0 {2=2}|with a part that came before",
        "u:y u:a a:b u:c        |p:y+a a:b              |0/0 {}|the parts as messages",
        "p:y+a a:b u:c          |u:y u:a a:b            |0/0 {}|and the reverse",
        "u:a a:d u:e            |u:a a:b u:c a:d        |0/0 {}|the thread's own first words",
      })
  void sendsTheCallersWordsBeforeAnAnswer(
      String incoming, String stored, String expected, String why) {
    Aligner aligner = new Aligner(forms(Talk.talk(incoming)), forms(Talk.talk(stored)), List.of());
    OwnWords own = aligner.ownWords(aligner.align(), false);

    assertThat(own.head() + "/" + own.instead() + " " + own.changed()).as(why).isEqualTo(expected);
    assertThat(own.between()).as(why).isEmpty();
  }

  /**
   * Of several choices the thread has the first; and some callers edit or shorten an answer, or
   * clear the result of a tool.
   */
  @ParameterizedTest(name = "[{0}] on [{1}]")
  @CsvSource(
      delimiter = '|',
      value = {
        "u:a a:2 u:c        |u:a a:1        |{1=1}|another choice",
        "u:a a:1 u:c        |u:a a:1        |{}   |the first one",
        "u:a a:2 u:c a:d u:e|u:a a:1 u:c a:d|{1=1}|of an earlier call",
        "u:a b:x+1 r:1=r u:c|u:a b:y+1 r:1=r a:d|{1=1}|words beside a call",
        "u:a c:1 r:1=cleared a:b u:c|u:a c:1 r:1=long a:b|{2=2}|a result",
        "u:a c:1 s:1=cleared+x a:b u:c|u:a c:1 s:1=long+x a:b|{2=2}|a result before words"
      })
  void sendsTheAnswerOrResultThatTheCallerHas(
      String incoming, String stored, String expected, String why) {
    Aligner aligner = new Aligner(forms(Talk.talk(incoming)), forms(Talk.talk(stored)), List.of());

    assertThat(aligner.ownWords(aligner.align(), false).changed()).as(why).hasToString(expected);
  }

  /** Words that a client puts among what the thread has, and what a failed call left unstored. */
  @ParameterizedTest(name = "[{0}] on [{1}]")
  @CsvSource(
      delimiter = '|',
      value = {
        "u:a a:b u:x u:c a:d u:e    |u:a a:b u:c a:d|[2]    |before a question",
        "u:a u:x a:b u:e            |u:a a:b        |[1]    |behind a question",
        "u:a a:b u:x u:y u:c a:d u:e|u:a a:b u:c a:d|[2, 3] |two of them",
        "u:a a:b u:x a:d u:e        |u:a a:b u:c a:d|[]     |in the place of others",
        "u:a a:b u:x u:y a:d u:e    |u:a a:b u:c a:d|[]     |several in the place of one",
        "u:x u:c a:d u:e            |u:a a:b u:c a:d|[]     |at the beginning of a cut history",
        "u:a a:b u:x u:c a:d u:e    |u:y c:1 u:a a:b r:1=x a:z u:c a:d|[2]|behind another window's"
            + " loop",
        "u:a a:b u:x                |u:a a:b        |[]     |new words"
      })
  void sendsTheCallersWordsBetweenNeighbours(
      String incoming, String stored, String expected, String why) {
    Aligner aligner = new Aligner(forms(Talk.talk(incoming)), forms(Talk.talk(stored)), List.of());
    assertThat(aligner.ownWords(aligner.align(), false).between()).as(why).hasToString(expected);
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

  @Test
  void takesTheWordsOfASpokenAnswerForIt() {
    List<StoredMessage> stored = new ArrayList<>(Talk.talk("u:a u:c a:d"));
    String audio = "{\"content\":null,\"audio\":{\"id\":\"s\",\"transcript\":\"the words\"}}";
    stored.add(1, StoredMessage.of("assistant", audio));

    assertThat(Talk.align(forms(Talk.talk("u:a a:thewords u:e")), forms(stored.subList(0, 2))))
        .isEqualTo(new Alignment(2, 0, 2));
    assertThat(Talk.align(forms(Talk.talk("u:a a:thewords u:c a:d u:e")), forms(stored)))
        .isEqualTo(new Alignment(4, 0, 4));
    stored.add(StoredMessage.of("user", "\"e\""));
    stored.add(StoredMessage.of("assistant", audio.replace("\"s\"", "\"t\"")));
    stored.addAll(Talk.talk("u:f a:thewords"));
    assertThat(
            Talk.align(
                forms(Talk.talk("u:a a:thewords u:c a:d u:e a:thewords u:f a:thewords u:g")),
                forms(stored)))
        .isEqualTo(new Alignment(8, 0, 8));
    assertThat(
            Talk.align(
                forms(Talk.talk("u:a a:thewords u:c a:d u:e a:thewords u:h")),
                forms(stored.subList(0, 6))))
        .isEqualTo(new Alignment(6, 0, 6));
  }

  /** The limit came while the model thought, and the client keeps nothing of that. */
  @Test
  void anAnswerOfNothingButReasoningIsSilent() {
    List<StoredMessage> stored = new ArrayList<>(Talk.talk("u:a"));
    stored.add(StoredMessage.of("assistant", "{\"content\":null,\"reasoning_content\":\"hm\"}"));

    assertThat(Talk.align(forms(Talk.talk("u:a u:b")), forms(stored)))
        .isEqualTo(new Alignment(1, 0, 2));
    for (String empty : List.of("[]", "{}", "\"\"", "null")) {
      String content =
          "{\"content\":null,\"reasoning_content\":\"hm\",\"annotations\":%s}".formatted(empty);
      assertThat(StoredMessage.typeOf(content)).as(content).isEqualTo("reasoning");
    }
    assertThat(StoredMessage.typeOf("{\"content\":\"\",\"reasoning_content\":\"hm\"}"))
        .isEqualTo("reasoning");
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

  @Test
  void knowsAnItemByItsReference() {
    List<StoredMessage> stored =
        List.of(
            Talk.user("a"),
            StoredMessage.of("assistant", "{\"type\":\"reasoning\",\"id\":\"rs\",\"summary\":[]}"),
            StoredMessage.of(
                "assistant",
                "{\"type\":\"message\",\"id\":\"m\",\"role\":\"assistant\",\"content\":"
                    + "[{\"type\":\"output_text\",\"text\":\"b\"}]}"));
    List<StoredMessage> call =
        List.of(
            Talk.user("a"),
            StoredMessage.of("assistant", "{\"type\":\"item_reference\",\"id\":\"rs\"}"),
            StoredMessage.of("assistant", "{\"type\":\"item_reference\",\"id\":\"m\"}"),
            Talk.user("c"));

    assertThat(Talk.align(forms(call), forms(stored))).isEqualTo(new Alignment(3, 0, 3));
  }

  @Test
  void leavesReasoningThatComesBackWithItsAnswerToTheHistory() {
    StoredMessage reasoning =
        StoredMessage.of("assistant", "{\"type\":\"reasoning\",\"summary\":[]}");
    List<StoredMessage> stored = List.of(Talk.user("a"), Talk.answer("b"));

    assertThat(
            Talk.align(
                forms(List.of(Talk.user("a"), Talk.answer("b"), reasoning, Talk.user("c"))),
                forms(stored)))
        .isEqualTo(new Alignment(3, 0, 2));
    assertThat(
            Talk.align(
                forms(
                    List.of(
                        Talk.user("a"),
                        Talk.answer("b"),
                        reasoning,
                        Talk.call("1"),
                        Talk.result("1", "x"))),
                forms(stored)))
        .as("with a step that is new")
        .isEqualTo(new Alignment(2, 0, 2));
    assertThat(
            Talk.align(forms(List.of(Talk.user("a"), Talk.answer("b"), reasoning)), forms(stored)))
        .as("at the end of the call")
        .isEqualTo(new Alignment(3, 0, 2));
    assertThat(
            Talk.align(forms(stored), forms(List.of(Talk.user("a"), Talk.answer("b"), reasoning))))
        .as("kept by the thread only")
        .isEqualTo(new Alignment(2, 0, 3));
  }

  @Test
  void takesAnItemThatOnlyTheUpstreamHasForAnAnswer() {
    List<StoredMessage> stored =
        List.of(
            Talk.user("a"),
            StoredMessage.of("assistant", "{\"type\":\"item_reference\",\"id\":\"m\"}"));
    List<StoredMessage> call = List.of(Talk.user("a"));

    assertThat(Talk.align(forms(call), forms(stored))).isEqualTo(new Alignment(0, 0, 2));
    List<NormalForm> broken = stored.stream().map(message -> NormalForm.of(message, true)).toList();
    assertThat(Talk.align(forms(call), broken))
        .as("an answer that broke off")
        .isEqualTo(new Alignment(1, 0, 1));
  }

  @Test
  void cutsTheOnlyMessageIfPartsWereAddedToIt() {
    StoredMessage added =
        Calls.stored("user", "[{'type':'text','text':'a'},{'type':'text','text':'b'}]");

    assertThat(Talk.align(forms(List.of(added)), forms(List.of(Talk.user("a")))))
        .isEqualTo(new Alignment(0, 1, 1));
  }

  /** As clients of Anthropic do, which allows no two messages of one role in a row. */
  @Test
  void cutsAMessageThatWasAddedToAnUnansweredOne() {
    Format messages = new MessagesFormat();
    Conversation call =
        Calls.read(
            messages,
            "{'model':'x','messages':[{'role':'user','content':'a'},{'role':'assistant','content':"
                + "[{'type':'tool_use','id':'c','name':'f','input':{}}]},{'role':'user','content':[{'type':'tool_result','tool_use_id':'c','content':'x'},"
                + " {'type':'text', 'text':'b'}]}]}");
    List<StoredMessage> stored =
        List.of(
            Talk.user("a"),
            Calls.stored("assistant", "[{'type':'tool_use','id':'c','name':'f','input':{}}]"),
            Calls.stored("user", "[{'type':'tool_result','tool_use_id':'c','content':'x'}]"));

    Alignment alignment = Talk.align(forms(call.messages()), forms(stored));
    Conversation fresh = Calls.fresh(call, alignment);

    assertThat(alignment).isEqualTo(new Alignment(2, 1, 3));
    assertThat(fresh.messages())
        .containsExactly(Calls.stored("user", "[{'type':'text', 'text':'b'}]"));
    assertThat(
            Answers.text(messages.write(fresh, Calls.model("m"), new MemoryContext(null, stored)))
                .replace('"', '\''))
        .endsWith(
            "{'role':'user','content':[{'type':'tool_result','tool_use_id':'c','content':'x'},"
                + "{'type':'text', 'text':'b'}]}]}");
  }

  @Test
  void nothingIsNothing() {
    assertThat(align("", "u:a a:b")).isEqualTo("0/2");
    assertThat(align("", "u:a")).isEqualTo("0/1");
  }
}

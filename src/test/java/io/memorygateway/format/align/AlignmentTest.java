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
        "u:s u:go a:e u:go a:par u:z|u:go a:d u:go a:e u:go x:par|5/6|kept, of words that are said"
            + " more often before",
        "u:a a:own u:b a:e u:c|u:a x:par a:d u:b a:e |4/5|made anew, and that altered",
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
        "u:a a:lookfound u:c    |u:a c:0 r:0=x b:look+1 r:1=y a:found  |2/6|the first step is"
            + " silent",
        "u:z a:b u:a a:lookfound u:c|u:z a:b u:a a:look c:0 r:0=x a:found|4/7|as items",
        "u:a a:bd u:e           |u:a a:b u:c a:d                       |2/2|not those of two turns",
      })
  void takesOneAnswerForThoseOfATurnThatItJoins(
      String incoming, String stored, String expected, String why) {
    assertThat(align(incoming, stored)).as(why).isEqualTo(expected);
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

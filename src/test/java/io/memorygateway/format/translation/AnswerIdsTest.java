package io.memorygateway.format.translation;

import static io.memorygateway.format.translation.OddAnswersTest.json;
import static io.memorygateway.format.translation.TranslatedStreams.answered;
import static io.memorygateway.format.translation.TranslatedStreams.open;
import static io.memorygateway.format.translation.TranslatedStreams.told;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.content.Shape;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Contract §14: ids of answers and of calls come once, whatever a server gives. */
class AnswerIdsTest {
  private static final String PAIRS =
      "io.memorygateway.format.translation.TranslationPairsTest#pairs";

  private static final Pattern ID = Pattern.compile("\"id\":\"([^\"]*)\"");

  private static final Map<Shape, String> PREFIXES =
      Map.of(Shape.CHAT, "chatcmpl-", Shape.MESSAGES, "msg_", Shape.RESPONSES, "resp_");

  /** Answers with a text and a call, by target. */
  private static final Map<Shape, String> ANSWERS =
      Map.of(
          Shape.CHAT,
          "{'id':'%1$s','choices':[{'message':{'content':'a','tool_calls':[{'id':'%2$s','function':"
              + "{'name':'f','arguments':'{}'}}]},'finish_reason':'tool_calls'}]}",
          Shape.MESSAGES,
          "{'id':'%1$s','content':[{'type':'text','text':'a'},{'type':'tool_use','id':'%2$s',"
              + "'name':'f','input':{}}],'stop_reason':'tool_use'}",
          Shape.RESPONSES,
          "{'id':'%1$s','status':'completed','output':[{'type':'message','content':[{'type':"
              + "'output_text','text':'a'}]},{'type':'function_call','call_id':'%2$s','name':'f',"
              + "'arguments':'{}'}]}");

  /** Conversations in which a call of this id was answered, by the format of the caller. */
  private static final Map<Shape, String> CALLED =
      Map.of(
          Shape.CHAT,
          "{'model':'m','messages':[{'role':'user','content':'x'},{'role':'assistant',"
              + "'tool_calls':[{'id':'%1$s','type':'function','function':{'name':'f','arguments':"
              + "'{}'}}]},{'role':'tool','tool_call_id':'%1$s','content':'y'}]}",
          Shape.MESSAGES,
          "{'model':'m','max_tokens':9,'messages':[{'role':'user','content':'x'},{'role':"
              + "'assistant','content':[{'type':'tool_use','id':'%1$s','name':'f','input':{}}]},"
              + "{'role':'user','content':[{'type':'tool_result','tool_use_id':'%1$s','content':'y'}"
              + "]}]}",
          Shape.RESPONSES,
          "{'model':'m','input':[{'role':'user','content':'x'},{'type':'function_call','call_id':"
              + "'%1$s','name':'f','arguments':'{}'},{'type':'function_call_output','call_id':"
              + "'%1$s','output':'y'}]}");

  @ParameterizedTest
  @MethodSource(PAIRS)
  void ofAServerThatRepeatsItsIdsEachComesOnce(Translator called, Translator target)
      throws Exception {
    String prefix = PREFIXES.get(called.shape());
    for (String id : List.of("chatcmpl-1", "7", "", prefix + "1", "é/ü", "x".repeat(80))) {
      Set<String> seen = new HashSet<>();
      for (int i = 0; i < 4; i++) {
        byte[] answer = json(ANSWERS.get(target.shape()).formatted(id, "c")).getBytes(UTF_8);
        Translation translation = open(called, target);
        byte[] bytes = i % 2 == 0 ? answered(translation, answer) : told(translation, answer);
        Set<String> own = ids(new String(bytes, UTF_8));
        own.remove("c");

        assertThat(own).hasSize(called.shape() == Shape.RESPONSES ? 3 : 1);
        for (String given : own) {
          assertThat(given)
              .as(id)
              .matches("[A-Za-z0-9_-]{16,64}")
              .doesNotStartWith(prefix + prefix)
              .matches(Called::isMadeHere);
          assertThat(seen.add(given)).as(given).isTrue();
        }
        assertThat(own).anyMatch(given -> given.startsWith(prefix));
      }
    }
  }

  @ParameterizedTest
  @MethodSource(PAIRS)
  void ofAnIdThatFitsAnOperatorReadsTheTargets(Translator called, Translator target)
      throws Exception {
    String id = "chatcmpl-0123456789abcdef0123456789abcdef";
    byte[] answer = json(ANSWERS.get(target.shape()).formatted(id, "c")).getBytes(UTF_8);

    assertThat(ids(new String(answered(open(called, target), answer), UTF_8)))
        .anyMatch(given -> given.contains("0123456789abcdef0123456789abcdef"));
  }

  @ParameterizedTest
  @MethodSource(PAIRS)
  void aCallHasTheIdOfNoOtherOneOfTheConversation(Translator called, Translator target)
      throws Exception {
    for (boolean again : new boolean[] {false, true}) {
      String before = json(CALLED.get(called.shape()).formatted(again ? "call_0" : "call_1"));
      Translation translation = TranslationPairsTest.translation(called, target, before, "m");
      byte[] answer = json(ANSWERS.get(target.shape()).formatted("i", "call_0")).getBytes(UTF_8);
      for (byte[] bytes : List.of(answered(translation, answer), told(translation, answer))) {
        assertThat(new String(bytes, UTF_8).contains("\"call_0\"")).isEqualTo(!again);
        assertThat(new String(bytes, UTF_8)).contains("\"call_0");
      }
    }
  }

  @Test
  void callsWithoutAnIdHaveTwo() throws Exception {
    for (Translator target : TranslationPairsTest.ALL) {
      Translator called = OddAnswersTest.others(target).get(0);
      byte[] answer = json(ANSWERS.get(target.shape()).formatted("i", "")).getBytes(UTF_8);
      Set<String> calls = new HashSet<>();
      for (int i = 0; i < 2; i++) {
        Answer read = open(called, target).read(answer);
        calls.add(((Piece.Call) read.pieces().get(1)).id());
      }
      assertThat(calls).hasSize(2).doesNotContain("");
    }
  }

  private static Set<String> ids(String json) {
    Set<String> ids = new HashSet<>();
    for (Matcher matcher = ID.matcher(json); matcher.find(); ) {
      ids.add(matcher.group(1));
    }
    return ids;
  }
}

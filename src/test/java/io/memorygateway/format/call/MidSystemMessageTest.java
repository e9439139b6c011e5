package io.memorygateway.format.call;

import static io.memorygateway.format.Calls.json;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.Answers;
import io.memorygateway.format.Calls;
import io.memorygateway.format.Format;
import io.memorygateway.format.Talk;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.responses.ResponsesFormat;
import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Contract §7: system and developer messages in the middle of a call stay where they stood, behind
 * the message that they followed, stored or new.
 */
class MidSystemMessageTest {
  /** A message whose one text is marked as the end of a cached prefix. */
  private static final String MARKED_TEXT =
      "\\[\\{\"type\":\"text\",\"text\":(\"[^\"]*\"),\"cache_control\":[^}]*}}]";

  enum Endpoint {
    CHAT(
        "developer",
        "{'role':'assistant','content':null,'tool_calls':[{'id':'%s','type':'function','function':{'name':'f','arguments':'{}'}}]}",
        "{'role':'tool','tool_call_id':'%s','content':'x'}"),
    MESSAGES(
        "system",
        "{'role':'assistant','content':[{'type':'tool_use','id':'%s','name':'f','input':{}}]}",
        "{'role':'user','content':[{'type':'tool_result','tool_use_id':'%s','content':'x'}]}"),
    RESPONSES(
        "developer",
        "{'type':'function_call','call_id':'%s','name':'f','arguments':'{}'}",
        "{'type':'function_call_output','call_id':'%s','output':'x'}");

    private final String system;
    private final String call;
    private final String result;

    Endpoint(String system, String call, String result) {
      this.system = system;
      this.call = call;
      this.result = result;
    }

    private Format format() {
      return switch (this) {
        case CHAT -> new ChatFormat();
        case MESSAGES -> new MessagesFormat();
        case RESPONSES -> new ResponsesFormat();
      };
    }

    /** {@code u:hi s:rule a:hello c:1 r:1}. */
    List<String> spell(String words) {
      List<String> json = new ArrayList<>();
      for (String word : words.split(" ", -1)) {
        String text = word.substring(2);
        json.add(
            json(
                switch (word.charAt(0)) {
                  case 'u' -> "{'role':'user','content':'" + text + "'}";
                  case 'a' -> "{'role':'assistant','content':'" + text + "'}";
                  case 's' -> "{'role':'" + system + "','content':'" + text + "'}";
                  case 'c' -> call.formatted(text);
                  default -> result.formatted(text);
                }));
      }
      return json;
    }

    Conversation read(String words) {
      String member = this == RESPONSES ? "input" : "messages";
      String body = "{'model':'m','tools':[{}],'" + member + "':[";
      return Calls.read(format(), body + String.join(",", spell(words)) + "]}");
    }

    /** What a call to a thread sends up, the first so many stored messages being observed. */
    String upstream(String words, List<StoredMessage> stored, int observed) {
      Conversation.Aligned aligned = read(words).align(Talk.forms(stored), List.of());
      int to = aligned.alignment().storedTo();
      MemoryContext context =
          new MemoryContext(
              observed == 0 ? null : "o", 0, observed, stored.subList(Math.min(observed, to), to));
      byte[] body = format().write(aligned.fresh(), Calls.model("m"), context);
      JsonValue root = JsonValue.of(Answers.text(body));
      JsonValue list = root.get(this == RESPONSES ? "input" : "messages");
      return list == null ? "" : list.raw().replaceAll(MARKED_TEXT, "$1");
    }

    String list(String words) {
      return "[" + String.join(",", spell(words)) + "]";
    }

    /** A thread that was filled by calls of this format. */
    List<StoredMessage> thread(String words) {
      return read(words).messages();
    }
  }

  /** Claude Code's first steps: the result of the tool comes with all that was before. */
  @ParameterizedTest
  @EnumSource
  void aToolLoopSendsUpWhatItsCallerSent(Endpoint format) {
    String first = "u:go s:rule";
    String second = first + " c:1 r:1";
    String third = second + " s:more c:2 r:2";
    String next = third + " a:done u:on s:rule2";

    assertThat(format.upstream(first, List.of(), 0)).isEqualTo(format.list(first));
    assertThat(format.upstream(second, format.thread("u:go c:1"), 0))
        .isEqualTo(format.list(second));
    assertThat(format.upstream(third, format.thread("u:go c:1 r:1 c:2"), 0))
        .isEqualTo(format.list(third));
    assertThat(format.upstream(next, format.thread("u:go c:1 r:1 c:2 r:2 a:done"), 0))
        .isEqualTo(format.list(next));
  }

  @ParameterizedTest
  @EnumSource
  void eachStepBeginsWithTheOneBefore(Endpoint format) {
    String[] steps = {"u:go s:rule", "c:1 r:1", "s:more c:2 r:2", "c:3 r:3", "a:b u:c s:d"};
    StringBuilder call = new StringBuilder();
    List<StoredMessage> stored = new ArrayList<>();
    String before = "[";
    for (int step = 0; step < steps.length; step++) {
      call.append(call.isEmpty() ? "" : " ").append(steps[step]);
      String now = format.upstream(call.toString(), stored, 0);
      assertThat(now).startsWith(before);
      before = now.substring(0, now.length() - 1);
      stored = new ArrayList<>(format.thread(call.toString()));
      if (step + 1 < steps.length) {
        stored.add(format.thread(steps[step + 1].replaceFirst("^s:\\S+ ", "")).get(0));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aRepetitionOfTheFirstCallKeepsItToo(Endpoint format) {
    assertThat(format.upstream("u:go s:rule", format.thread("u:go"), 0))
        .isEqualTo(format.list("u:go s:rule"));
  }

  @ParameterizedTest
  @EnumSource
  void itStaysBehindWhatItFollowedWhereTheThreadHasMore(Endpoint format) {
    assertThat(format.upstream("u:a s:x a:b u:e", format.thread("u:a a:b u:c a:d"), 0))
        .as("a turn behind that the user left")
        .isEqualTo(format.list("u:a s:x a:b u:e"));
    assertThat(format.upstream("u:c s:x a:d u:e", format.thread("u:a a:b u:c a:d"), 0))
        .as("a window")
        .isEqualTo(format.list("u:a a:b u:c s:x a:d u:e"));
    assertThat(format.upstream("u:c s:x a:other u:e", format.thread("u:a a:b u:c a:d"), 0))
        .as("an echo in other words")
        .isEqualTo(format.list("u:a a:b u:c s:x a:d u:e"));
    assertThat(format.upstream("u:x s:x a:y u:e", format.thread("u:a a:b"), 0))
        .as("a history from elsewhere is new as a whole")
        .isEqualTo(format.list("u:a a:b u:x s:x a:y u:e"));
    String joined =
        json(
            "{'role':'user','content':[{'type':'text','text':'a'},{'type':'text','text':'lost'}]}");
    assertThat(format.upstream("u:a u:lost s:x a:b u:e", format.thread("u:a a:b"), 0))
        .as("behind what the thread never had")
        .isEqualTo(
            format == Endpoint.MESSAGES
                ? "[" + joined + "," + format.list("s:x a:b u:e").substring(1)
                : format.list("u:a u:lost s:x a:b u:e"));
  }

  @ParameterizedTest
  @EnumSource
  void whatFollowedSomethingObservedStandsBehindTheUsersFirstWords(Endpoint format) {
    List<StoredMessage> stored = format.thread("u:a a:b u:c a:d");

    assertThat(withoutObservations(format.upstream("u:a s:x a:b u:c a:d u:e", stored, 2)))
        .isEqualTo(format.list("u:c s:x a:d u:e"));
    assertThat(withoutObservations(format.upstream("u:a s:x a:b u:c a:d u:e", stored, 4)))
        .isEqualTo(format.list("u:e s:x"));
  }

  @Test
  void itNeverComesFirstAtAnthropics() {
    List<StoredMessage> stored = Endpoint.MESSAGES.thread("u:a c:1 r:1 a:d");

    assertThat(Endpoint.MESSAGES.upstream("u:a s:x c:1 r:1 a:d u:e", stored, 3))
        .isEqualTo(
            "["
                + json("{'role':'user','content':'(The conversation goes on.)'},")
                + Endpoint.MESSAGES.list("s:x a:d u:e").substring(1));
  }

  @ParameterizedTest
  @EnumSource
  void itDoesNotSplitACallFromItsResult(Endpoint format) {
    List<StoredMessage> stored = format.thread("u:a c:1 r:1 a:b");

    assertThat(format.upstream("u:a c:1 s:x r:1 a:b u:c", stored, 0))
        .isEqualTo(format.list("u:a s:x c:1 r:1 a:b u:c"));
    assertThat(format.upstream("u:a c:1 s:x r:1", format.thread("u:a c:1"), 0))
        .isEqualTo(format.list("u:a s:x c:1 r:1"));
  }

  @ParameterizedTest
  @EnumSource
  void thoseAtTheHeadStayThere(Endpoint format) {
    assertThat(format.upstream("s:h u:a s:x a:b u:c", format.thread("u:a a:b"), 0))
        .isEqualTo(format.list("s:h u:a s:x a:b u:c"));
  }

  private static String withoutObservations(String list) {
    return list.replace(json("{'role':'system','content':'o'},"), "");
  }
}

package io.memorygateway.turn;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.memorygateway.format.Answers;
import io.memorygateway.format.Calls;
import io.memorygateway.format.Format;
import io.memorygateway.format.call.Conversation;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.responses.ResponsesFormat;
import io.memorygateway.observation.ContextConfig;
import io.memorygateway.observation.ContextNotes;
import io.memorygateway.observation.RecallScope;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §7: results without an id are of the last calls, in their order; none is lost. */
class NamelessResultsTest {
  private static final Format CHAT = new ChatFormat();

  private static final String NEXT = "{\"role\":\"user\",\"content\":\"n\"}";

  private static final String CALL =
      "{'id':'%s','type':'function','function':{'name':'f','arguments':'{}'}}";

  private static final String FUNCTION =
      "{'content':null,'function_call':{'name':'f','arguments':'{\\'x\\':1}'}}";

  /** Messages as each endpoint writes them. */
  enum Posted {
    CHAT(
        "{'content':null,'tool_calls':[" + CALL + "," + CALL + "]}",
        "{'tool_call_id':null,'content':'%s'}"),
    TEXTS("{'content':null,'tool_calls':[" + CALL + "," + CALL + "]}", "'%s'"),
    MESSAGES(
        "[{'type':'tool_use','id':'%s','name':'f','input':{}},"
            + "{'type':'tool_use','id':'%s','name':'f','input':{}}]",
        "[{'type':'tool_result','content':'%s'}]"),
    RESPONSES(
        "{'type':'function_call','call_id':'%s','name':'f','arguments':'{}'}",
        "{'type':'function_call_output','output':'%s'}");

    private final String calls;
    private final String result;

    Posted(String calls, String result) {
      this.calls = calls;
      this.result = result;
    }

    private void add(int round, List<StoredMessage> to) {
      String one = "c" + round + "a";
      String two = "c" + round + "b";
      if (this == RESPONSES) {
        to.add(Calls.stored("assistant", calls.formatted(one)));
        to.add(Calls.stored("assistant", calls.formatted(two)));
      } else {
        to.add(Calls.stored("assistant", calls.formatted(one, two)));
      }
      to.add(result(one));
      to.add(result(two));
    }

    private StoredMessage result(String id) {
      String text = "res " + id + " and so on".repeat(20);
      return Calls.stored(this == MESSAGES ? "user" : "tool", result.formatted(text));
    }
  }

  private static ThreadTail tail(int threshold, List<StoredMessage> messages) {
    ContextConfig config =
        new ContextConfig(threshold, threshold, 0, RecallScope.THREAD, false, ZoneOffset.UTC);
    List<TailEntry.Text> texts = new ArrayList<>();
    for (StoredMessage message : messages) {
      TailRow row =
          new TailRow(
              texts.size(),
              message.role(),
              message.type(),
              Instant.EPOCH,
              false,
              false,
              null,
              message.content().length(),
              message.content());
      texts.add(new TailEntry.Text(row, message.content(), true));
    }
    return ThreadTail.read(config, ContextNotes.NONE, 0, texts);
  }

  /** What goes up with a call. */
  private static String up(Format format, ThreadTail tail, Conversation call) {
    Conversation.Aligned aligned = tail.align(call, -1);
    TurnContext context =
        new ContextBuilder(tail, aligned.alignment().storedTo(), true, aligned.own(), null)
            .build(aligned.fresh().messages(), call);
    return Answers.text(format.write(aligned.fresh(), Calls.model("m"), context.toMemoryContext()));
  }

  /** By the id of its call each result in a body, all of which are behind their calls. */
  private static Map<String, String> results(Format format, String body) {
    List<String> calls = new ArrayList<>();
    Map<String, String> results = new HashMap<>();
    for (StoredMessage message : Calls.read(format, body).messages()) {
      calls.addAll(message.callIds());
      for (Part part : message.utterance().parts()) {
        if (part instanceof Part.ToolResult result) {
          assertThat(calls).contains(result.id());
          assertThat(results.put(result.id(), result.text())).isNull();
        }
      }
    }
    assertThat(results.keySet()).containsExactlyInAnyOrderElementsOf(calls);
    return results;
  }

  @ParameterizedTest
  @EnumSource
  void whereverAThreadIsCutTheyAreBehindTheirCalls(Posted posted) {
    List<StoredMessage> messages = new ArrayList<>();
    for (int round = 0; round < 6; round++) {
      messages.add(Calls.stored("user", "'Question " + round + "'"));
      posted.add(round, messages);
      messages.add(Calls.stored("assistant", "'Answer'"));
    }
    posted.add(6, messages);
    List<StoredMessage> answered = List.copyOf(messages);
    List<StoredMessage> called = messages.subList(0, messages.size() - 2);
    for (ContextBoundTest.Endpoint endpoint : ContextBoundTest.Endpoint.values()) {
      Format format = endpoint.format();
      for (int threshold = 200; threshold < 3_000; threshold += 50) {
        String ask = "{\"role\":\"user\",\"content\":\"And now?\"}";
        String body = up(format, tail(threshold, answered), endpoint.read(ask));
        Map<String, String> results = results(format, body);
        results.forEach((id, text) -> assertThat(text).startsWith("res " + id));
        assertThat(body).doesNotContain("No result was recorded");
        assertThat(results.size() == 14).as(body).isEqualTo(!body.contains("not shown yet"));

        List<String> given =
            Stream.of("c6a", "c6b")
                .map(id -> endpoint.result("").replace("done", "res " + id))
                .toList();
        results = results(format, up(format, tail(threshold, called), endpoint.read(given)));
        assertThat(results).containsKeys("c6a", "c6b");
        results.forEach((id, text) -> assertThat(text).startsWith("res " + id));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "'tool_call_id':null,", "'tool_call_id':'',"})
  void clientsSendThemInManyWays(String id) {
    String ask = "{'role':'user','content':'a'}";
    String calls =
        "{'role':'assistant','content':null,'tool_calls':["
            + CALL.formatted("c")
            + ","
            + CALL.formatted("d")
            + "]}";
    String[] parts = {
      "{'role':'assistant','content':null,'tool_calls':[" + CALL.formatted("d") + "]}",
      "{'role':'assistant','content':null,'tool_calls':[" + CALL.formatted("c") + "]}"
    };
    String nothing = "{'role':'tool'," + id + "'content':null}";
    String x = "{'role':'tool'," + id + "'content':'x'}";
    String y = "{'role':'tool'," + id + "'content':'y'}";
    String ofC = "{'role':'tool','tool_call_id':'c','content':'y'}";
    List<StoredMessage> thread =
        List.of(
            Calls.stored("user", "'a'"),
            Calls.read(CHAT, "{'model':'m','messages':[" + calls + "]}").messages().get(0));
    assertThat(asked(thread, x, y)).isEqualTo(Map.of("c", "x", "d", "y"));
    assertThat(asked(thread, ask, calls, x, y)).isEqualTo(Map.of("c", "x", "d", "y"));
    assertThat(asked(thread, x, nothing)).isEqualTo(Map.of("c", "x", "d", ""));
    assertThat(asked(thread, x, ofC)).as("of another one").isEqualTo(Map.of("d", "x", "c", "y"));
    assertThat(asked(thread, ask, parts[0], x, parts[1], y))
        .as("one by one")
        .isEqualTo(Map.of("d", "x", "c", "y"));
    assertThat(asked(thread, ask, calls, x)).as("fewer").isEqualTo(Map.of("c", "x"));
    assertThat(asked(thread, x, y, y)).as("more").isEqualTo(Map.of("c", "x", "d", "y", "", "y"));
    List<StoredMessage> answered = new ArrayList<>(thread);
    answered.addAll(stored(thread, x));
    assertThat(asked(answered, y)).as("the rest").isEqualTo(Map.of("d", "y"));
    assertThat(asked(answered, x, y)).as("again, and the rest").isEqualTo(Map.of("d", "y"));
    answered.addAll(stored(answered, y));
    assertThat(asked(answered, x, y)).as("again").isEmpty();
    assertThat(asked(answered, ask, calls, x, y)).as("all of it again").isEmpty();
    List<StoredMessage> posted = new ArrayList<>(thread);
    posted.addAll(Calls.read(CHAT, "{'model':'m','messages':[" + x + "," + y + "]}").messages());
    assertThat(asked(posted, ask, calls, x, y)).as("what was posted").isEmpty();
    assertThat(asked(posted, ask, calls, y, y)).as("altered").isEmpty();
    answered.add(
        Calls.read(CHAT, "{'model':'m','messages':[" + calls.replace("'id':'", "'id':'2") + "]}")
            .messages()
            .get(0));
    assertThat(asked(answered, x, y)).as("the same").isEqualTo(Map.of("2c", "x", "2d", "y"));
  }

  /** By the id of its call, the results that a call brings. */
  private static Map<String, String> asked(List<StoredMessage> thread, String... messages) {
    Map<String, String> asked = new HashMap<>();
    for (StoredMessage message : stored(thread, messages)) {
      Part.ToolResult result = (Part.ToolResult) message.utterance().parts().get(0);
      asked.put(result.id(), result.text());
    }
    return asked;
  }

  private static List<StoredMessage> stored(List<StoredMessage> thread, String... messages) {
    String body = "{'model':'m','messages':[" + String.join(",", messages) + "]}";
    return tail(100_000, thread).align(Calls.read(CHAT, body), -1).asked();
  }

  @Test
  void functionsAndTheirResultsGoUpInAnyFormat() {
    List<StoredMessage> thread =
        List.of(
            Calls.stored("user", "'a'"),
            Calls.stored("assistant", FUNCTION),
            Calls.stored("tool", "{'name':'f','content':'R'}"),
            Calls.stored("assistant", "'b'"));
    String ask = "{'model':'m','max_tokens':9,'%s':[{'role':'user','content':'c'}]}";
    String chat = up(CHAT, tail(100_000, thread), Calls.read(CHAT, ask.formatted("messages")));
    assertThat(chat)
        .contains(Calls.json("{'role':'assistant'," + FUNCTION.substring(1)))
        .contains(Calls.json("{'role':'function','name':'f','content':'R'}"));
    for (Format format : List.of(new MessagesFormat(), new ResponsesFormat())) {
      String body =
          up(
              format,
              tail(100_000, thread),
              Calls.read(format, ask.formatted(format.inputMember())));
      Map<String, String> results = results(format, body);
      assertThat(results).doesNotContainKey("").containsValue("R").hasSize(1);
      assertThat(Calls.read(format, body).messages().stream().filter(StoredMessage::isOfUser))
          .extracting(StoredMessage::text)
          .containsExactly("a", "c");
    }
  }

  @Test
  void oneBehindNoCallKeepsNothingOut() {
    List<StoredMessage> messages = new ArrayList<>();
    messages.add(Calls.stored("assistant", "{'content':null,'tool_calls':[" + call("a") + "]}"));
    messages.add(Calls.stored("tool", "{'tool_call_id':'a','content':'r'}"));
    for (int i = 0; i < 200; i++) {
      messages.add(Calls.stored(i % 2 == 0 ? "user" : "assistant", "'Talk " + i + "'"));
    }
    messages.add(messages.size() - 9, Calls.stored("tool", "'Nobody asked for this.'"));
    Conversation next = ContextBoundTest.Endpoint.CHAT.read(NEXT);
    String body = up(CHAT, tail(1_000, messages), next);
    assertThat(body).contains("Talk 160").doesNotContain("Nobody asked");
  }

  @Test
  void oneOfAFunctionMaySayNothing() throws Exception {
    String body = upOfChat(FUNCTION, "{'tool_call_id':''}");
    JsonNode answered = new ObjectMapper().readTree(body).path("messages").get(1);
    assertThat(answered.path("role").asText()).isEqualTo("function");
    assertThat(answered.path("name").asText()).isEqualTo("f");
  }

  /** Servers that know both may write the same in both; the ids are told apart here. */
  @Test
  void aCallInBothFormsIsOne() throws Exception {
    String both =
        "{'content':null,'tool_calls':["
            + call("a")
            + "],'function_call':{'name':'f','arguments':'{}'}}";
    String one = "{'tool_call_id':'a','content':'1'}";
    String body = upOfChat(both, one, both, "{'tool_call_id':'a','content':'2'}");
    assertThat(results(CHAT, body).values()).containsExactlyInAnyOrder("1", "2");
  }

  @Test
  void aCallWithoutAnIdKeepsItsPlace() {
    List<StoredMessage> messages =
        List.of(
            Calls.stored(
                "assistant",
                "[{'type':'tool_use','name':'f','input':{}},"
                    + "{'type':'tool_use','id':'toolu_2','name':'f','input':{}}]"),
            Calls.stored(
                "user",
                "[{'type':'tool_result','content':'1'},{'type':'tool_result','content':'2'}]"));
    ContextBoundTest.Endpoint endpoint = ContextBoundTest.Endpoint.MESSAGES;
    Conversation next = endpoint.read(NEXT);
    String body = up(endpoint.format(), tail(9_000, messages), next);
    assertThat(results(endpoint.format(), body)).containsEntry("toolu_2", "2").hasSize(2);
  }

  @Test
  void oneOfAForeignFileSaysWhatItWas() {
    ContextBoundTest.Endpoint endpoint = ContextBoundTest.Endpoint.RESPONSES;
    List<StoredMessage> messages =
        List.of(
            Calls.stored("assistant", "[{'type':'tool_use','id':'a','name':'f','input':{}}]"),
            Calls.stored(
                "user",
                "[{'type':'tool_result','tool_use_id':'a','content':["
                    + "{'type':'document','source':{'type':'file','file_id':'f'}}]}]"));
    Conversation next = endpoint.read(NEXT);
    assertThat(up(endpoint.format(), tail(9_000, messages), next)).contains("[file]");
  }

  private static String call(String id) {
    return CALL.formatted(id);
  }

  /** What goes up of a thread of calls and results in turns. */
  private static String upOfChat(String... contents) {
    List<StoredMessage> messages = new ArrayList<>();
    for (String content : contents) {
      messages.add(Calls.stored(messages.size() % 2 == 0 ? "assistant" : "tool", content));
    }
    Conversation next = ContextBoundTest.Endpoint.CHAT.read(NEXT);
    return up(CHAT, tail(9_000, messages), next);
  }
}

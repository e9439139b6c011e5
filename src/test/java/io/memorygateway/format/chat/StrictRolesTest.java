package io.memorygateway.format.chat;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.Answers;
import io.memorygateway.format.Calls;
import io.memorygateway.format.call.MemoryContext;
import io.memorygateway.format.call.ProviderTraits;
import io.memorygateway.format.call.UpstreamModel;
import io.memorygateway.format.content.StoredMessage;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §14: what memory adds to native calls of servers with strict chat templates. */
class StrictRolesTest {
  private static final UpstreamModel STRICT =
      new UpstreamModel("m", ProviderTraits.ALL.withStrictRoles(true), 0);

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "'a'; 'a\\n\\nlog'",
        "[{'type':'text','text':'a'}]; [{'type':'text','text':'a'},{'type':'text','text':'log'}]",
        "[]; [{'type':'text','text':'log'}]",
        "'a'},{'role':'developer','content':[{'type':'text','text':'b'}]; "
            + "[{'type':'text','text':'a'},{'type':'text','text':'b'},{'type':'text','text':'log'}]"
      })
  void theLogIsJoinedToTheCallersSystemMessage(String content, String sent) {
    assertThat(
            upstream(
                "{'role':'system','content':" + content + "},{'role':'user','content':'c'}",
                new MemoryContext("log", List.of())))
        .isEqualTo("{'role':'system','content':" + sent + "},{'role':'user','content':'c'}");
  }

  @Test
  void theLogIsTheSystemMessageWhereTheCallerHasNone() {
    assertThat(upstream("{'role':'user','content':'c'}", new MemoryContext("log", List.of())))
        .isEqualTo("{'role':'system','content':'log'},{'role':'user','content':'c'}");
  }

  @Test
  void whatIsRecalledIsJoinedToTheUsersWords() {
    MemoryContext recall = new MemoryContext(null, 0, 0, List.of(), "recalled");
    assertThat(upstream("{'role':'user','content':'c'}", recall))
        .isEqualTo("{'role':'user','content':'recalled\\n\\nc'}");
    assertThat(upstream("{'role':'user','content':[{'type':'text','text':'c'}]}", recall))
        .isEqualTo(
            "{'role':'user','content':[{'type':'text','text':'recalled'},{'type':'text','text':'c'}]}");
  }

  /** What is stored may begin with an answer, in a thread that was imported. */
  @Test
  void theUserIsTheFirst() {
    String user = "{'role':'user','content':'c'}";
    StoredMessage answer = Calls.stored("assistant", "'b'");
    StoredMessage silent = Calls.stored("assistant", "''");
    for (List<StoredMessage> stored : List.of(List.of(answer), List.of(silent, answer))) {
      assertThat(upstream(user, new MemoryContext(null, stored)))
          .startsWith("{'role':'user','content':'(continued)'},{'role':'assistant','content':'")
          .endsWith("{'role':'assistant','content':'b'}," + user)
          .containsOnlyOnce("(continued)");
    }
  }

  @Test
  void aMessageWithANameStaysAsItIs() {
    String named = "{'role':'user','name':'Ann','content':'c'}";
    MemoryContext recall = new MemoryContext(null, 0, 0, List.of(), "recalled");
    assertThat(upstream(named, recall)).isEqualTo("{'role':'user','content':'recalled'}," + named);
  }

  @Test
  void aSystemMessageWithANameStaysAsItIs() {
    String named = "{'role':'system','name':'n','content':'b'},{'role':'user','content':'c'}";
    assertThat(
            upstream(
                "{'role':'system','content':'a'}," + named, new MemoryContext(null, List.of())))
        .isEqualTo("{'role':'system','content':'a'}," + named);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "{'role':'system','content':'b'}; <system-message>b</system-message>",
        "{'role':'developer','name':'n','content':[{'type':'text','text':'b'}]};"
            + " <system-message>b</system-message>",
        "{'role':'system','content':'b'},{'role':'system','content':'d'};"
            + " <system-message>b</system-message>\\n\\n<system-message>d</system-message>"
      })
  void theCallersLaterSystemMessagesAreWordsOfTheUserWhereTheyStood(String later, String sent) {
    MemoryContext recall = new MemoryContext(null, 0, 0, List.of(), "recalled");
    String begin = "{'role':'system','content':'a'},{'role':'user','content':'";
    assertThat(upstream(begin + "c'}," + later + ",{'role':'user','content':'e'}", recall))
        .isEqualTo(begin + "recalled\\n\\nc\\n\\n" + sent + "\\n\\ne'}");
    String answer = "{'role':'assistant','content':'f'}";
    assertThat(upstream(begin + "c'}," + answer + "," + later, new MemoryContext(null, List.of())))
        .isEqualTo(begin + "c'}," + answer + ",{'role':'user','content':'" + sent + "'}");
  }

  @Test
  void aModelOfMistralGetsIdsOfNineLettersAndDigits() {
    List<StoredMessage> stored =
        List.of(
            Calls.stored("user", "'a'"),
            Calls.stored(
                "assistant",
                "{'tool_calls':[{'id':'call_1','type':'function','function':{'name':'f','arguments':'{}'}},"
                    + "{'id':'abcDEF123','type':'function','function':{'name':'f','arguments':'{}'}}]}"),
            Calls.stored("tool", "{'tool_call_id':'call_1','content':'1'}"),
            Calls.stored("tool", "{'tool_call_id':'abcDEF123','content':'2'}"));
    UpstreamModel model = new UpstreamModel("mistral-large-latest", ProviderTraits.ALL, 0);
    assertThat(upstream("{'role':'user','content':'c'}", new MemoryContext(null, stored), model))
        .containsPattern("'id':'([0-9a-z]{9})'.*'id':'abcDEF123'.*'tool_call_id':'\\1'")
        .contains("'tool_call_id':'abcDEF123'")
        .endsWith(
            "'content':'2'},{'role':'assistant','content':'I have read the results.'},"
                + "{'role':'user','content':'c'}");
  }

  /** The caller's own messages, whose bytes go up where nothing is to be changed. */
  @Test
  void aModelOfMistralAnswersResultsOfTheCallerBeforeTheUserSpeaks() {
    String calls =
        "{'role':'user','content':'a'},{'role':'assistant','content':null,'tool_calls':["
            + "{'id':'abcDEF123','type':'function','function':{'name':'f','arguments':'{}'}}]},"
            + "{'role':'tool','tool_call_id':'abcDEF123','content':'1'}";
    UpstreamModel model = new UpstreamModel("devstral", ProviderTraits.ALL, 0);
    MemoryContext none = new MemoryContext(null, List.of());
    for (String user :
        List.of("{'role':'user','content':'c'}", "{'role':'user','name':'n','content':'c'}")) {
      assertThat(upstream(calls + "," + user, none, model))
          .isEqualTo(calls + ",{'role':'assistant','content':'I have read the results.'}," + user);
    }
    String answered = calls + ",{'role':'assistant','content':'b'},{'role':'user','content':'c'}";
    assertThat(upstream(answered, none, model)).isEqualTo(answered);
  }

  private static String upstream(String messages, MemoryContext memory) {
    return upstream(messages, memory, STRICT);
  }

  /** The messages that go up of a call over Chat, with single quotes. */
  private static String upstream(String messages, MemoryContext memory, UpstreamModel model) {
    ChatFormat chat = new ChatFormat();
    byte[] written =
        chat.write(
            Calls.read(chat, "{'model':'m','messages':[" + messages + "]}"),
            new UpstreamModel("m", ProviderTraits.ALL, 0),
            memory);
    String body = Answers.text(chat.inRoles(written, model)).replace('"', '\'');
    String before = "{'model':'m','messages':[";
    return body.substring(before.length(), body.length() - 2);
  }
}

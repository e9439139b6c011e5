package io.memorygateway.format.translation;

import static io.memorygateway.format.translation.OddAnswersTest.json;
import static io.memorygateway.format.translation.OddAnswersTest.others;
import static io.memorygateway.format.translation.TranslatedStreams.answered;
import static io.memorygateway.format.translation.TranslatedStreams.open;
import static io.memorygateway.format.translation.TranslatedStreams.told;
import static io.memorygateway.format.translation.TranslatedStreams.translated;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.messages.MessagesStreamRules;
import io.memorygateway.json.JsonValue;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §14: how servers say that their answers end, in words of their own. */
class OddEndsTest {
  private static final Translator CHAT = TranslationPairsTest.ALL.get(0);
  private static final Translator MESSAGES = TranslationPairsTest.ALL.get(1);
  private static final Translator RESPONSES = TranslationPairsTest.ALL.get(2);

  private static final String CHUNK = "data: {'choices':[{'delta':{%s},'finish_reason':%s}]}\n\n";

  private static final String SEALED =
      "'reasoning_details':[{'type':'reasoning.encrypted','data':'s'}]";

  private static final String CALL =
      "'tool_calls':[{'index':0,'id':'c','function':{'name':'f','arguments':'{}'}}]";

  @ParameterizedTest
  @CsvSource({
    "stop,END",
    "STOP,END",
    "other,UNKNOWN",
    "length,LENGTH",
    "MAX_TOKENS,LENGTH",
    "model_length,LENGTH",
    "content_filter,REFUSAL",
    "content_filter: PROHIBITED_CONTENT,REFUSAL",
    "SAFETY,REFUSAL",
    "RECITATION,REFUSAL",
    "BLOCKLIST,REFUSAL",
    "SPII,REFUSAL",
    "sensitive,REFUSAL",
    "guardrail_intervened,REFUSAL",
    "model_context_window_exceeded,LENGTH",
    "repetition,LENGTH",
    "repetition_truncation,LENGTH"
  })
  void aReasonIsReadInTheWordsOfItsServer(String reason, Stop stop) throws Exception {
    assertThat(gathered("'content':'a'", "'" + reason + "'").answer().stop()).isEqualTo(stop);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "error",
        "abort",
        "insufficient_system_resource",
        "MALFORMED_FUNCTION_CALL",
        "function_call_filter: MALFORMED_FUNCTION_CALL",
        "network_error"
      })
  void whatDidNotComeToItsEndIsAnError(String reason) throws Exception {
    Fault fault = gathered("'content':'a'", "'" + reason + "'").fault();

    assertThat(fault).isNotNull();
    assertThat(fault.isBroken()).isTrue();
  }

  @Test
  void anErrorInTheLastChunkIsOne() throws Exception {
    String stream =
        json(
            CHUNK.formatted("'content':'a'", "null")
                + "data: {'choices':[{'delta':{},'finish_reason':'stop'}],"
                + "'x_groq':{'id':'r','error':'over_capacity'}}\n\ndata: [DONE]\n\n");
    for (Translator called : others(CHAT)) {
      Fault fault = TranslatedStreams.gathered(open(called, CHAT), stream.getBytes(UTF_8)).fault();
      assertThat(fault).isNotNull();
      assertThat(fault.message()).isEqualTo("over_capacity");
      byte[] none = stream.replace("\"over_capacity\"", "null").getBytes(UTF_8);
      assertThat(TranslatedStreams.gathered(open(called, CHAT), none).fault()).isNull();
    }
  }

  /** vLLM, FastAPI, Cohere. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'object':'error','message':'No.','type':'BadRequestError','param':null,'code':400} | No. | 400",
        "{'detail':'No.'}                                           | No.         | 502",
        "{'detail':[{'msg':'No.'}]}                                 | [{'msg':'No.'}] | 502",
        "{'errors':[{'message':'No.'}]}                             | No.         | 502",
        "{'code':429,'message':'No.'}                               | No.         | 429",
        "{'choices':[{'delta':{'error':{'message':'No.'}}}]}        | No.         | 502",
        "{'choices':[],'detail':null,'errors':[],'message':null}    |             | 0",
        "{'object':'chat.completion.chunk','choices':[{'delta':{'error':null}}],'detail':'d'} | | 0"
      })
  void anErrorByItselfIsOne(String chunk, String message, int status) throws Exception {
    String stream =
        json(CHUNK.formatted("'content':'a'", "null") + "data: " + chunk + "\n\ndata: [DONE]\n\n");
    for (Translator called : others(CHAT)) {
      Fault fault = TranslatedStreams.gathered(open(called, CHAT), stream.getBytes(UTF_8)).fault();
      assertThat(fault == null ? null : fault.message())
          .isEqualTo(message == null ? null : json(message));
      assertThat(fault == null ? 0 : fault.status()).isEqualTo(status);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"'error':'No.'", "'detail':'No.'", "'message':'No.'"})
  void anEventWithoutATypeMayBeAnErrorByItself(String members) throws Exception {
    byte[] stream = json("data: {" + members + "}\n\n").getBytes(UTF_8);
    for (Translator target : others(CHAT)) {
      Fault fault = TranslatedStreams.gathered(open(CHAT, target), stream).fault();
      assertThat(fault).isNotNull();
      assertThat(fault.message()).isEqualTo("No.");
    }
  }

  @Test
  void anEventOfAnyNameMayHoldAnError() throws Exception {
    byte[] stream = json("event: data\ndata: {'error':{'message':'No.'}}\n\n").getBytes(UTF_8);
    for (Translator target : others(CHAT)) {
      Fault fault = TranslatedStreams.gathered(open(CHAT, target), stream).fault();
      assertThat(fault).isNotNull();
      assertThat(fault.message()).isEqualTo("No.");
    }
  }

  /**
   * A proxy whose connection broke makes the call once more: what was told cannot be taken back.
   */
  @ParameterizedTest
  @CsvSource({"text,b,true", "text,a,false", "server_tool_use,b,false"})
  void anAnswerThatBeginsAnewIsAnError(String type, String second, boolean broken)
      throws Exception {
    String begun =
        "data: {'type':'message_start','message':{'id':'%s'}}\n\n"
            + "data: {'type':'content_block_start','index':0,'content_block':"
            + "{'type':'%s','text':'x'}}\n\n";
    String stream =
        json(
            begun.formatted("a", type)
                + begun.formatted(second, "text")
                + "data: {'type':'content_block_stop','index':0}\n\n"
                + "data: {'type':'message_delta','delta':{'stop_reason':'end_turn'}}\n\n"
                + "data: {'type':'message_stop'}\n\n");
    for (Translator called : others(MESSAGES)) {
      Fault fault =
          TranslatedStreams.gathered(open(called, MESSAGES), stream.getBytes(UTF_8)).fault();
      assertThat(fault != null && fault.isBroken()).isEqualTo(broken);
    }
  }

  @Test
  void aResponseThatIsCreatedAnewIsAnError() throws Exception {
    String created = "data: {'type':'response.created','response':{'id':'%s'}}\n\n";
    String stream =
        json(
            created.formatted("a")
                + "data: {'type':'response.output_text.delta','output_index':0,'delta':'x'}\n\n"
                + created.formatted("b")
                + "data: {'type':'response.completed','response':{'id':'b','output':[]}}\n\n");
    for (Translator called : others(RESPONSES)) {
      byte[] anew = stream.getBytes(UTF_8);
      assertThat(TranslatedStreams.gathered(open(called, RESPONSES), anew).fault()).isNotNull();
      byte[] same = stream.replace("\"b\"", "\"a\"").getBytes(UTF_8);
      assertThat(TranslatedStreams.gathered(open(called, RESPONSES), same).fault()).isNull();
    }
  }

  /** A model may think for minutes in silence; before it has begun, another one may answer. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "event: ping\ndata: {'type': 'ping'}\n\n",
        "data: {'type':'ping'}\n\n",
        "event: keepalive\ndata: {'type':'keepalive','sequence_number':3}\n\n"
      })
  void whatKeepsTheConnectionOpenIsPassedOnAsAComment(String event) throws Exception {
    for (Translator target : TranslationPairsTest.ALL) {
      for (Translator called : others(target)) {
        List<AnswerEvent> answer =
            List.of(
                new AnswerEvent.Start("i", "m", 1, Usage.NONE),
                new AnswerEvent.Text(0, "a"),
                new AnswerEvent.Close(0),
                new AnswerEvent.Finish(Stop.END, null, Usage.NONE),
                new AnswerEvent.End());
        String sent = new String(TranslatedStreams.sent(target, answer), UTF_8);
        byte[] kept = (json(event) + sent.replace("\n\n", "\n\n" + json(event))).getBytes(UTF_8);

        String told = new String(translated(open(called, target), kept, 9, null), UTF_8);

        assertThat(told).doesNotStartWith(": ping").contains("\n\n: ping\n\n");
        String rest = told.replace(": ping\n\n", "");
        assertThat(TranslatedStreams.check(called, rest.getBytes(UTF_8))).isFalse();
        assertThat(rest).doesNotContain("ping", "keepalive");
      }
    }
  }

  @Test
  void theStopSequenceIsToldWhereverTheServerSaysIt() throws Exception {
    for (String member : List.of("stop_reason", "matched_stop")) {
      String choice = "{'choices':[{'message':{'content':'a'},'finish_reason':'stop','%s':%s}]}";
      for (String value : List.of("'END'", "7", "null")) {
        byte[] answer = json(choice.formatted(member, value)).getBytes(UTF_8);
        JsonValue said = JsonValue.parse(answered(open(MESSAGES, CHAT), answer));
        boolean named = value.equals("'END'");
        assertThat(said.string("stop_sequence")).isEqualTo(named ? "END" : null);
        assertThat(said.text("stop_reason")).isEqualTo(named ? "stop_sequence" : "end_turn");
      }
    }
  }

  /** Clients show what the last block says. */
  @Test
  void reasoningWithoutWordsIsNotTheLastBlock() throws Exception {
    String text = "'content':'a'";
    assertThat(blocks(text, SEALED)).containsExactly("text");
    assertThat(blocks(text, SEALED, text)).containsExactly("text", "thinking", "text");
    assertThat(blocks(SEALED, text)).containsExactly("thinking", "text");
    assertThat(blocks(SEALED)).containsExactly("thinking");
    assertThat(blocks(text, SEALED, CALL)).containsExactly("text", "thinking", "tool_use");
    assertThat(blocks(CALL, SEALED)).containsExactly("tool_use", "thinking");
    assertThat(blocks(text, "'reasoning':'hm'")).containsExactly("text", "thinking");

    String item = "{'type':'reasoning','summary':[],'encrypted_content':'s'}";
    String message = "{'type':'message','content':[{'type':'output_text','text':'a'}]}";
    byte[] answer =
        json("{'status':'completed','output':[" + message + "," + item + "]}").getBytes(UTF_8);
    JsonValue whole = JsonValue.parse(answered(open(MESSAGES, RESPONSES), answer));
    assertThat(types(whole.get("content").items())).containsExactly("text");
    String streamed = new String(told(open(MESSAGES, RESPONSES), answer), UTF_8);
    assertThat(
            types(
                MessagesStreamRules.check(streamed).content().stream().map(JsonValue::of).toList()))
        .containsExactly("text");
  }

  private static List<String> blocks(String... deltas) throws Exception {
    StringBuilder stream = new StringBuilder();
    for (String delta : deltas) {
      stream.append(CHUNK.formatted(delta, "null"));
    }
    byte[] bytes = json(stream + CHUNK.formatted("", "'stop'")).getBytes(UTF_8);
    String told = new String(translated(open(MESSAGES, CHAT), bytes, bytes.length, null), UTF_8);
    Translation whole = open(MESSAGES, CHAT);
    JsonValue answer =
        JsonValue.parse(whole.answer(TranslatedStreams.gathered(whole, bytes).answer()));
    List<String> types = types(answer.get("content").items());
    assertThat(
            types(MessagesStreamRules.check(told).content().stream().map(JsonValue::of).toList()))
        .isEqualTo(types);
    return types;
  }

  private static List<String> types(List<JsonValue> blocks) {
    return blocks.stream().map(block -> block.text("type")).toList();
  }

  private static Gathered gathered(String delta, String reason) throws Exception {
    byte[] stream =
        json(CHUNK.formatted(delta, "null") + CHUNK.formatted("", reason)).getBytes(UTF_8);
    return TranslatedStreams.gathered(open(MESSAGES, CHAT), stream);
  }
}

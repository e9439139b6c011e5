package io.memorygateway.format.chat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.content.Utterance;
import io.memorygateway.format.translation.Dropped;
import io.memorygateway.format.translation.Effort;
import io.memorygateway.format.translation.Member;
import io.memorygateway.format.translation.OutputFormat;
import io.memorygateway.format.translation.Request;
import io.memorygateway.format.translation.Seal;
import io.memorygateway.format.translation.Tool;
import io.memorygateway.format.translation.ToolChoice;
import io.memorygateway.json.JsonValue;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §14: what a call of Chat says, for other formats; {@code '} stands for quotes. */
class ChatCallReaderTest {
  private static final String ALL =
      "{'model':'m','messages':[{'role':'developer','content':'s','name':'n'},"
          + "{'role':'user','content':[{'type':'text','text':'see'},"
          + "{'type':'image_url','image_url':{'url':'http://x','detail':'low'}},"
          + "{'type':'input_audio','input_audio':{'data':'AA','format':'wav'}}]},"
          + "{'role':'assistant','content':'a','refusal':null,'reasoning_content':'hm','tool_calls':["
          + "{'id':'c','type':'function','function':{'name':'f','arguments':'{}'}}]},"
          + "{'role':'tool','tool_call_id':'c','content':'r'}],"
          + "'tools':[{'type':'function','function':{'name':'f','description':'d',"
          + "'parameters':{'type':'object'},'strict':true}},"
          + "{'type':'custom','custom':{'name':'p','format':{'type':'text'}}},"
          + "{'type':'web_search_20250305'}],"
          + "'tool_choice':{'type':'custom','custom':{'name':'p'}},'parallel_tool_calls':false,"
          + "'response_format':{'type':'json_schema','json_schema':{'name':'s','schema':{},'strict':true}},"
          + "'reasoning_effort':'low','max_tokens':3,'max_completion_tokens':5,'stop':'x','user':'u',"
          + "'stream':true,'stream_options':{'include_usage':true},'n':1,'temperature':0.5,"
          + "'store':false,'logprobs':false,'seed':null,'top_k':4}";

  private final Dropped dropped = new Dropped();

  @Test
  void readsEachMember() throws Exception {
    Request request = read(ALL);
    List<Utterance> messages = request.messages();
    assertThat(messages.stream().map(Utterance::role))
        .containsExactly("system", "user", "assistant", "tool");
    assertThat(messages.get(1).parts()).hasSize(3);
    assertThat(messages.get(2).parts().get(0)).isInstanceOf(Part.Reasoning.class);
    assertThat(messages.get(2).parts().get(0).source().raw())
        .isEqualTo("{\"reasoning_content\":\"hm\"}");
    assertThat(messages.get(2).parts().get(2)).isInstanceOf(Part.ToolCall.class);
    assertThat(messages.get(3).parts().get(0)).isInstanceOf(Part.ToolResult.class);
    assertThat(messages).allMatch(message -> message.verbatim() == null);
    assertThat(request.tools().stream().map(Tool::name)).containsExactly("f", "p", "web_search");
    assertThat(request.choice()).isEqualTo(ToolChoice.named("p"));
    assertThat(request.parallelCalls()).isFalse();
    OutputFormat output = request.output();
    assertThat(output).isNotNull();
    assertThat(output.name()).isEqualTo("s");
    assertThat(request.effort()).isEqualTo(Effort.LOW);
    assertThat(request.maxOutput()).isEqualTo(5);
    assertThat(request.stop()).containsExactly("x");
    assertThat(request.endUser()).isEqualTo("u");
    assertThat(request.stream()).isTrue();
    assertThat(request.shared().keySet())
        .containsExactly("temperature", "store", "logprobs", "top_k");
    assertThat(request.shared().get("store").silent()).isTrue();
    assertThat(dropped.names()).containsExactly("messages.name");
  }

  @Test
  void eachMemberHasOneRow() {
    Set<String> names = new HashSet<>();
    assertThat(new ChatTranslator().members().stream().map(Member::name)).allMatch(names::add);
  }

  @Test
  void sealsComeBackAsReasoningOfTheirMakers() throws Exception {
    Seal one = new Seal("a", Shape.MESSAGES, "{\"type\":\"thinking\"}");
    Seal two = new Seal("a", Shape.MESSAGES, "{\"type\":\"redacted_thinking\"}");
    Request request =
        read(
            "{'messages':[{'role':'assistant','content':'a','reasoning_content':'hm',"
                + "'reasoning_details':["
                + ChatReasoning.detail(one, 0)
                + ","
                + ChatReasoning.detail(two, 1)
                + "]}]}");
    assertThat(request.messages().get(0).parts().stream().limit(2))
        .extracting(part -> Seal.in((Part.Reasoning) part))
        .containsExactly(one, two);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {"'r' | r", "{'r':1} | {'r':1}"})
  void functionsBeforeToolsAreTools(String content, String told) throws Exception {
    Request request =
        read(
            "{'messages':[{'role':'assistant','content':null,"
                + "'function_call':{'name':'f','arguments':'{\\'a\\':1}'}},"
                + ("{'role':'function','name':'f','content':" + content + "}],")
                + "'functions':[{'name':'f','parameters':{}}],'function_call':{'name':'f'}}");
    Part.ToolCall call = (Part.ToolCall) request.messages().get(0).parts().get(0);
    Part.ToolResult result = (Part.ToolResult) request.messages().get(1).parts().get(0);
    assertThat(call.arguments()).isEqualTo("{\"a\":1}");
    assertThat(result.id()).isEqualTo(call.id());
    assertThat(result.text()).isEqualTo(told.replace('\'', '"'));
    assertThat(request.choice()).isEqualTo(ToolChoice.named("f"));
    assertThat(request.parallelCalls()).isFalse();
    assertThat(dropped.names()).isEmpty();
  }

  @Test
  void onlyAllowedToolsAreLeft() throws Exception {
    Request request =
        read(
            "{'messages':[],'tools':[{'type':'function','function':{'name':'f'}},"
                + "{'type':'function','function':{'name':'g'}}],'tool_choice':{'type':'allowed_tools',"
                + "'allowed_tools':{'mode':'auto','tools':[{'type':'function','function':{'name':'g'}}]}}}");
    assertThat(request.tools().stream().map(Tool::name)).containsExactly("g");
    assertThat(request.choice()).isEqualTo(ToolChoice.AUTO);
    assertThat(dropped.names()).containsExactly("tool_choice.allowed_tools");
  }

  @Test
  void anAudioIsItsTranscriptAndNamed() throws Exception {
    Request request =
        read(
            "{'messages':[{'role':'assistant','content':null,"
                + "'audio':{'id':'a','transcript':'said'}}],'modalities':['text','audio']}");
    assertThat(Part.textOf(request.messages().get(0).parts())).isEqualTo("said");
    assertThat(dropped.names()).containsExactly("messages.audio");
    assertThat(request.shared()).containsKey("modalities");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'messages':{}}",
        "{'messages':[1]}",
        "{'messages':[],'n':2}",
        "{'messages':[],'tools':[{'type':'function'}]}",
        "{'messages':[],'tools':[{'type':'function','function':{'name':''}}]}",
        "{'messages':[],'tools':{}}",
        "{'messages':[],'tool_choice':'some'}",
        "{'messages':[],'tool_choice':{'type':'allowed_tools'}}",
        "{'messages':[],'response_format':{'type':'grammar'}}",
        "{'messages':[],'response_format':{'type':'json_schema'}}",
        "{'messages':[],'stop':[1]}",
        "{'messages':[],'max_tokens':-1}",
        "{'messages':[],'user':{}}",
        "{'messages':[],'stream':'yes'}",
      })
  void refusesWhatItCannotRead(String body) {
    assertThatThrownBy(() -> read(body)).isInstanceOf(MalformedBodyException.class);
  }

  /** Whatever value stands for another: it is read, or refused by name. */
  @Test
  void anyJsonIsReadOrRefused() {
    Random random = new Random(44);
    List<String> values =
        List.of(
            "null",
            "1",
            "-1",
            "true",
            "''",
            "'x'",
            "[]",
            "{}",
            "[1]",
            "[{}]",
            "{'type':1}",
            "{'type':'text'}",
            "[[[]]]",
            "{'name':{}}",
            "1e99");
    JsonValue whole = JsonValue.of(ALL.replace('\'', '"'));
    List<JsonValue> all = new ArrayList<>();
    collect(whole, all);
    int read = 0;
    for (int i = 0; i < 5_000; i++) {
      String body = whole.raw();
      JsonValue place = all.get(random.nextInt(all.size()));
      String value = values.get(random.nextInt(values.size())).replace('\'', '"');
      String mutated = body.substring(0, place.start()) + value + body.substring(place.end());
      try {
        new ChatTranslator().read(JsonValue.of(mutated), new Dropped());
        read++;
      } catch (MalformedBodyException e) {
        assertThat(e).hasMessageMatching(".*[a-z].*");
      }
    }
    assertThat(read).isBetween(500, 4_500);
  }

  private static void collect(JsonValue value, List<JsonValue> all) {
    all.add(value);
    value.items().forEach(item -> collect(item, all));
    value.fields().forEach(field -> collect(field.value(), all));
  }

  private Request read(String body) throws MalformedBodyException {
    return new ChatTranslator().read(JsonValue.of(body.replace('\'', '"')), dropped);
  }
}

package io.memorygateway.format.chat;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.Assembled;
import io.memorygateway.format.answer.AnswerAssembler;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.translation.AnswerEvent;
import io.memorygateway.format.translation.AnswerReader;
import io.memorygateway.format.translation.CallIds;
import io.memorygateway.format.translation.Fault;
import io.memorygateway.format.translation.Seal;
import io.memorygateway.format.translation.Stop;
import io.memorygateway.format.translation.TestUsage;
import io.memorygateway.format.translation.Usage;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.JsonWriter;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §14: streams of Chat are read by what they say; {@code '} stands for quotes. */
class ChatStreamTranslationTest {
  private static final String DONE = "[DONE]";
  private static final String CUT = "";

  private final AnswerEventRules events = new AnswerEventRules();

  @Test
  void readsWhatIsSaidPieceByPiece() {
    read(
        "{'id':'x','model':'m','created':5,'choices':[{'index':0,'delta':{'role':'assistant','content':''}}]}",
        delta("'reasoning_content':'h'"),
        delta("'reasoning_content':'m','content':''"),
        delta("'content':'Hel'"),
        delta("'content':'lo'"),
        delta("'tool_calls':[" + call(0, "a", "f", "") + "]"),
        delta("'tool_calls':[{'index':0,'function':{'arguments':'{}'}}]"),
        "{'choices':[{'index':0,'delta':{},'finish_reason':'tool_calls'}]}",
        "{'choices':[],'usage':{'prompt_tokens':3,'completion_tokens':4,"
            + "'prompt_tokens_details':{'cached_tokens':1},'completion_tokens_details':{'reasoning_tokens':2}}}",
        DONE);
    assertThat(events.events)
        .containsExactly(
            new AnswerEvent.Start("x", "m", 5, Usage.NONE),
            new AnswerEvent.Thought(0, "h"),
            new AnswerEvent.Thought(0, "m"),
            new AnswerEvent.Sealed(
                0, new Seal("maker", Shape.CHAT, "{\"reasoning_content\":\"hm\"}")),
            new AnswerEvent.Close(0),
            new AnswerEvent.Text(1, "Hel"),
            new AnswerEvent.Text(1, "lo"),
            new AnswerEvent.Close(1),
            new AnswerEvent.Call(2, "a", "f"),
            new AnswerEvent.Arguments(2, "{}"),
            new AnswerEvent.Close(2),
            new AnswerEvent.Finish(Stop.TOOLS, null, TestUsage.of(3, 1, -1, 4, 2)),
            new AnswerEvent.End());
  }

  @Test
  void sealsSignaturesBeforeWhatTheyBelongTo() {
    read(
        delta("'content':'a','extra_content':{'x':{'s':'1'}}"),
        delta("'content':'b','extra_content':{'y':['2']}"),
        delta("'content':'c','extra_content':{'google':{'thought':true}}"),
        delta(
            "'tool_calls':[{'index':0,'id':'c','extra_content':{'s':'S'},'function':{'name':'f','arguments':'{}'}}]"),
        delta("'tool_calls':[{'index':1,'id':'c','function':{'name':'g','arguments':'{'}}]"),
        delta("'tool_calls':[{'index':1,'extra_content':{'s':'T'},'function':{'arguments':'}'}}]"),
        delta("'content':'','extra_content':{'z':'3'}"),
        "{'choices':[{'index':0,'delta':{},'finish_reason':'tool_calls'}]}",
        DONE);

    assertThat(
            events.events.stream()
                .filter(event -> !(event instanceof AnswerEvent.Arguments))
                .filter(event -> !(event instanceof AnswerEvent.Close))
                .map(
                    event ->
                        event instanceof AnswerEvent.Sealed sealed
                            ? event.piece()
                                + " "
                                + sealed
                                    .seal()
                                    .raw()
                                    .replace('"', '\'')
                                    .replaceFirst("c_[0-9a-f]{8}", "c_2")
                            : event.piece() + " " + event.getClass().getSimpleName()))
        .containsExactly(
            "-1 Start",
            "0 Thought",
            "0 {'extra_content':{'x':{'s':'1'}}}",
            "1 Text",
            "1 Text",
            "1 Text",
            "2 Thought",
            "2 {'extra_content':{'y':['2']}}",
            "3 Thought",
            "3 {'tool_calls':[{'id':'c','extra_content':{'s':'S'}}]}",
            "4 Call",
            "5 Call",
            "6 Thought",
            "6 {'tool_calls':[{'id':'c_2','extra_content':{'s':'T'}}]}",
            "7 Thought",
            "7 {'extra_content':{'z':'3'}}",
            "-1 Finish",
            "-1 End");
  }

  @Test
  void sealsReasoningAmongThePartsOfAContent() {
    read(
        delta("'content':[{'type':'thinking','thinking':[{'type':'text','text':'mu'}]}]"),
        delta("'content':[{'type':'thinking','thinking':[{'type':'text','text':'ll'}]}]"),
        delta("'content':'a'"),
        "{'choices':[{'index':0,'delta':{},'finish_reason':'stop'}]}",
        DONE);

    String raw =
        "{'content':[{'type':'thinking','thinking':[{'type':'text','text':'mull'}]}]}"
            .replace('\'', '"');
    assertThat(events.events)
        .contains(
            new AnswerEvent.Thought(0, "ll"),
            new AnswerEvent.Sealed(0, new Seal("maker", Shape.CHAT, raw)),
            new AnswerEvent.Text(1, "a"));
  }

  /** What servers of Chat do to calls, and the calls that are meant: {@code id name arguments}. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        // Interleaved.
        "0,a,f,{ 1,b,g,{ 0,,,} 1,,,} | a f {}, b g {}",
        // All of one index, told by their ids.
        "0,a,f,{} 0,b,f,{} | a f {}, b f {}",
        // Id and name repeated with each piece, or another id each time.
        "0,a,f,{ 0,a,f,} | a f {}",
        "0,a,f, 0,b,,{ 0,c,,} 0,d,g,{} | a f {}, d g {}",
        "0,a,f,{ 0,b,,} | a f {}",
        // A name that comes in pieces, or late, or never.
        "0,a,get, 0,,_it, 0,,,{} | a get_it {}",
        "0,a,,{ 0,,f,} | a f {}",
        "0,a,,{} 0,,f, | a f {}",
        "0,a,,{} | a unknown_tool {}",
        // No ids at all: a second call of one index has a name of its own.
        "0,,f,{} 0,,g,{} | ? f {}, ? g {}",
        "0,,f,{} 0,,f,{} | ? f {}, ? f {}",
        // The same id twice.
        "0,a,f,{} 1,a,g,{} | a f {}, a_2 g {}",
        "0,a,f,{} 1,a_3,g,{} 2,a,h,{} | a f {}, a_3 g {}, a_2 h {}",
        // No arguments, and a piece that says nothing.
        "0,a,f, 1,,, 2,b,g,{} | a f , b g {}",
        // A piece that comes once more.
        "0,a,f,{} 0,a,f,{} | a f {}",
        // Arguments that are no object.
        "0,a,f,oops 1,b,g,[] | a f oops, b g []",
      })
  void readsCallsWhateverServersDoToThem(String pieces, String meant) {
    String[] chunks = new String[pieces.split(" ").length + 2];
    int at = 0;
    for (String piece : pieces.split(" ", -1)) {
      String[] of = piece.split(",", -1);
      chunks[at++] =
          delta("'tool_calls':[" + call(Integer.parseInt(of[0]), of[1], of[2], of[3]) + "]");
    }
    chunks[at] = "{'choices':[{'delta':{},'finish_reason':'stop'}]}";
    chunks[at + 1] = DONE;
    read(chunks);
    String called =
        events.events.stream()
            .filter(event -> event instanceof AnswerEvent.Call)
            .map(event -> (AnswerEvent.Call) event)
            .map(
                call ->
                    (meant.startsWith("?") ? "?" : call.id().replaceFirst("_[0-9a-f]{8}$", "_2"))
                        + " "
                        + call.name()
                        + " "
                        + argumentsOf(call.piece()))
            .collect(Collectors.joining(", "));
    assertThat(called).isEqualTo(meant);
    assertThat(stop()).isEqualTo(Stop.TOOLS);
    assertThat(stored(chunks, meant.startsWith("?")))
        .as("what is stored of the same stream")
        .isEqualTo(meant.replaceAll("_\\d ", " ").replace("unknown_tool", ""));
  }

  private static String stored(String[] chunks, boolean withoutIds) {
    String stream =
        Stream.of(chunks).map(chunk -> "data: " + chunk + "\n\n").collect(Collectors.joining());
    AnswerAssembler assembler = Assembled.feed(new ChatFormat(), stream, 1 << 16, Assembled.ENOUGH);
    JsonValue message = JsonValue.of(assembler.messages().get(0).content());
    return message.members().get("tool_calls").items().stream()
        .map(
            call ->
                (withoutIds ? "?" : call.text("id").replaceAll("_\\d$", ""))
                    + " "
                    + call.members().get("function").text("name")
                    + " "
                    + call.members().get("function").text("arguments"))
        .collect(Collectors.joining(", "));
  }

  private String argumentsOf(int piece) {
    return events.events.stream()
        .filter(event -> event instanceof AnswerEvent.Arguments more && more.piece() == piece)
        .map(event -> ((AnswerEvent.Arguments) event).delta())
        .collect(Collectors.joining());
  }

  @Test
  void aCallEndsWhereAnotherBeginsAndItsArgumentsAreWhole() {
    read(
        delta("'tool_calls':[" + call(0, "a", "f", "{'x':'}'") + "]"),
        delta("'tool_calls':[" + call(0, "", "", "}") + "]"),
        delta("'tool_calls':[" + call(1, "b", "g", "{") + "]"));
    assertThat(events.events.subList(4, 6))
        .containsExactly(new AnswerEvent.Close(0), new AnswerEvent.Call(1, "b", "g"));
  }

  @ParameterizedTest
  @CsvSource({
    "stop, END",
    "length, LENGTH",
    "content_filter, REFUSAL",
    "odd, UNKNOWN",
    "tool_calls, END"
  })
  void readsWhyItEnded(String reason, Stop stop) {
    read(
        "{'choices':[{'delta':{'content':'a'},'finish_reason':''}]}",
        "{'choices':[{'delta':{},'finish_reason':'%s'}]}".formatted(reason),
        CUT);
    assertThat(stop()).isEqualTo(stop);
  }

  @Test
  void readsTheStopSequenceOfServersThatTellIt() {
    read("{'choices':[{'delta':{'content':'a'},'finish_reason':'stop','stop_reason':'END'}]}", CUT);
    assertThat(events.events).contains(new AnswerEvent.Finish(Stop.SEQUENCE, "END", Usage.NONE));
  }

  @Test
  void takesContentAndUsageBehindTheFinish() {
    read(
        "{'choices':[{'delta':{'content':'a'},'finish_reason':'stop'}]}",
        delta("'content':'b'"),
        "{'choices':[],'usage':{'prompt_tokens':1,'completion_tokens':2}}",
        DONE);
    assertThat(events.events)
        .contains(new AnswerEvent.Text(0, "b"))
        .contains(new AnswerEvent.Finish(Stop.END, null, TestUsage.of(1, -1, -1, 2, -1)));
  }

  @ParameterizedTest
  @CsvSource(
      value = {"default, null", "priority, priority"},
      nullValues = "null")
  void theServiceTierIsThatOfTheLastChunk(String told, @Nullable String counted) {
    read(
        "{'service_tier':'flex','choices':[{'delta':{'content':'a'},'finish_reason':'stop'}]}",
        "{'service_tier':'%s','choices':[],'usage':{'prompt_tokens':1,'completion_tokens':2}}"
            .formatted(told),
        DONE);
    assertThat(events.events)
        .filteredOn(AnswerEvent.Finish.class::isInstance)
        .extracting(event -> ((AnswerEvent.Finish) event).usage().told().serviceTier())
        .containsExactly(counted);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'error':{'message':'slow down','type':'rate_limit_error'}} | 429 | slow down | false",
        "{'error':'broken'} | 502 | broken | false",
        "{'error':{'code':503}} | 503 | The upstream answered with an error. | false",
        "{'error':{'message':'maximum context length is 5','code':500}} | 400 | maximum context length is 5 | true",
        "{'choices':[{'error':{'message':'m','code':429}}]} | 429 | m | false",
        "{'choices':[{'delta':{},'finish_reason':'error'}]} | 502 | The upstream's answer failed. | false",
        "{'id':'x','error':['x'],'choices':[]} | 502 | The upstream answered with an error. | false",
      })
  void readsErrorsOfAnyShape(String data, int status, String message, boolean tooLong) {
    read(delta("'content':'a'"), data, delta("'content':'b'"), DONE);
    Fault fault = fault();
    assertThat(fault.status()).isEqualTo(status);
    assertThat(fault.message()).isEqualTo(message);
    assertThat(fault.tooLong()).isEqualTo(tooLong);
  }

  @Test
  void aStreamWithoutAFinishIsBroken() {
    read(delta("'content':'a'"), CUT);
    assertThat(fault().status()).isEqualTo(502);
  }

  @Test
  void aStreamThatSaysNothingIsBroken() {
    read("{'error':null,'choices':[]}", DONE);
    assertThat(fault().message()).contains("empty");
  }

  private void read(String... chunks) {
    AnswerReader reader = new ChatTranslator().openReader("maker", new CallIds());
    for (String chunk : chunks) {
      if (chunk.equals(DONE)) {
        reader.done(events);
      } else if (chunk.equals(CUT)) {
        reader.end(events);
      } else {
        reader.read("", JsonValue.of(chunk.replace('\'', '"')), events);
      }
    }
  }

  private static String delta(String members) {
    return "{'choices':[{'index':0,'delta':{" + members + "}}]}";
  }

  private static String call(int index, String id, String name, String arguments) {
    String named = name.isEmpty() ? "" : "'name':'" + name + "',";
    String of = id.isEmpty() ? "" : "'id':'" + id + "','type':'function',";
    return "{'index':%d,%s'function':{%s'arguments':%s}}"
        .formatted(
            index,
            of,
            named,
            JsonWriter.quote(arguments.replace('\'', '"'))
                .replace("\"", "'")
                .replace("\\'", "\\u0022"));
  }

  private Stop stop() {
    return events.events.stream()
        .filter(event -> event instanceof AnswerEvent.Finish)
        .map(event -> ((AnswerEvent.Finish) event).stop())
        .findAny()
        .orElseThrow();
  }

  private Fault fault() {
    events.end();
    return ((AnswerEvent.Fail) events.events.get(events.events.size() - 1)).fault();
  }
}

package io.memorygateway.format.answer;

import static io.memorygateway.format.Assembled.ENOUGH;
import static io.memorygateway.format.Assembled.blockDelta;
import static io.memorygateway.format.Assembled.delta;
import static io.memorygateway.format.Assembled.event;
import static io.memorygateway.format.Assembled.feed;
import static io.memorygateway.format.Assembled.start;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.format.Assembled;
import io.memorygateway.format.Format;
import io.memorygateway.format.align.Atom;
import io.memorygateway.format.align.NormalForm;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.responses.ResponsesFormat;
import io.memorygateway.sse.SseSplitter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An answer that is made again says what it said first, whole and as a stream. */
class AnswerReplayTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Format chat = new ChatFormat();
  private final Format messages = new MessagesFormat();
  private final Format responses = new ResponsesFormat();

  @Test
  void ofChat() throws IOException {
    String stream =
        "data:"
            + " {'id':'c1','object':'chat.completion.chunk','created':7,'model':'m','system_fingerprint':'f','choices':[{'index':0,'delta':{'role':'assistant','content':'a'}}]}\n\n"
            + delta("'content':' b','reasoning_content':'why'")
            + delta(
                "'tool_calls':[{'index':0,'id':'x','type':'function','function':{'name':'f','arguments':'{}'}}]")
            + delta(
                "'tool_calls':[{'index':1,'id':'y','type':'function','function':{'name':'g','arguments':'{\\'n\\':1.10}'}}]")
            + "data: {'choices':[{'index':0,'delta':{},'finish_reason':'tool_calls'}]}\n\n"
            + "data: {'choices':[],'usage':{'prompt_tokens':3,'completion_tokens':4,'total_tokens':7}}\n\n"
            + "data: [DONE]\n\n";
    JsonNode whole = checkStream(chat, stream);
    assertThat(whole.path("id").asText()).isEqualTo("c1");
    assertThat(whole.path("object").asText()).isEqualTo("chat.completion");
    assertThat(whole.path("system_fingerprint").asText()).isEqualTo("f");
    assertThat(whole.at("/choices/0/finish_reason").asText()).isEqualTo("tool_calls");
    assertThat(whole.at("/choices/0/message/content").asText()).isEqualTo("a b");
    assertThat(whole.at("/choices/0/message/tool_calls/1/function/arguments").asText())
        .isEqualTo("{\"n\":1.10}");
    assertThat(whole.at("/usage/total_tokens").asInt()).isEqualTo(7);
    checkWhole(
        chat,
        "{'id':'c1','object':'chat.completion','created':1,'model':'m','choices':[{'index':0,"
            + "'message':{'role':'assistant','content':null,'refusal':'no'},'finish_reason':'length'}],'usage':{'total_tokens':1}}");
  }

  /** Nothing is said of tokens where the first answer said nothing, but in a stream of Messages. */
  @Test
  void ofAnswersWithoutUsage() throws IOException {
    checkWhole(
        chat,
        "{'id':'c1','object':'chat.completion','created':1,'model':'m','choices':[{'index':0,"
            + "'message':{'role':'assistant','content':'a'},'logprobs':{'content':[{'token':'a'}],"
            + "'refusal':null},'finish_reason':'stop'}]}");
    checkWhole(
        messages,
        "{'id':'m1','type':'message','role':'assistant','model':'m',"
            + "'content':[{'type':'text','text':'a'}],'stop_reason':'end_turn','stop_sequence':null}");
    checkWhole(
        responses,
        "{'id':'r1','object':'response','status':'completed','model':'m','usage':null,'output':["
            + "{'id':'i','type':'message','role':'assistant','content':[]}]}");
  }

  @Test
  void ofMessages() throws IOException {
    String stream =
        event(
                "message_start",
                "'message':{'id':'m1','type':'message','role':'assistant','model':'m','content':[],"
                    + "'stop_reason':null,'usage':{'input_tokens':5,'output_tokens':1}}")
            + start(0, "'type':'thinking','thinking':'','signature':''")
            + blockDelta(0, "'type':'thinking_delta','thinking':'why'")
            + blockDelta(0, "'type':'signature_delta','signature':'sig'")
            + event("content_block_stop", "'index':0")
            + start(1, "'type':'text','text':'','citations':[]")
            + blockDelta(1, "'type':'text_delta','text':'a b'")
            + blockDelta(1, "'type':'citations_delta','citation':{'cited_text':'c'}")
            + event("content_block_stop", "'index':1")
            + start(2, "'type':'tool_use','id':'t','name':'f','input':{}")
            + blockDelta(2, "'type':'input_json_delta','partial_json':'{\\'n\\':1.10}'")
            + event("content_block_stop", "'index':2")
            + event(
                "message_delta",
                "'delta':{'stop_reason':'tool_use','stop_sequence':null},'usage':{'output_tokens':9}")
            + event("message_stop", "'x':1");
    JsonNode whole = checkStream(messages, stream);
    assertThat(whole.path("id").asText()).isEqualTo("m1");
    assertThat(whole.path("stop_reason").asText()).isEqualTo("tool_use");
    assertThat(whole.at("/usage/input_tokens").asInt()).isEqualTo(5);
    assertThat(whole.at("/usage/output_tokens").asInt()).isEqualTo(9);
    assertThat(whole.at("/content/0/signature").asText()).isEqualTo("sig");
    assertThat(whole.at("/content/1/citations/0/cited_text").asText()).isEqualTo("c");
    assertThat(whole.at("/content/2/input").toString()).isEqualTo("{\"n\":1.1}");
    checkWhole(
        messages,
        "{'id':'m1','type':'message','role':'assistant','model':'m','content':[{'type':'text','text':'a'}],"
            + "'stop_reason':'stop_sequence','stop_sequence':'!','usage':{'input_tokens':1,'output_tokens':2}}");
  }

  @Test
  void ofResponses() throws IOException {
    String response =
        "{'id':'r1','object':'response','created_at':7,'status':'%s','model':'m','instructions':'secret',"
            + "'tools':[{'description':'%s'}],'output':%s,'usage':%s}";
    String message =
        "{'id':'i1','type':'message','role':'assistant','status':'completed','content':[{'type':'output_text','text':'a b','annotations':[]}]}";
    String call =
        "{'id':'i2','type':'function_call','call_id':'k','name':'f','arguments':'{}','status':'completed'}";
    String other = "{'id':'i3','type':'web_search_call','status':'completed'}";
    String done =
        response.formatted(
            "incomplete",
            "x".repeat(5000),
            "[" + message + "," + call + "," + other + "]",
            "{'input_tokens':3,'output_tokens':4,'total_tokens':7}");
    String stream =
        event(
                "response.created",
                "'response':" + response.formatted("in_progress", "x", "[]", "null"))
            + event("response.output_item.done", "'output_index':0,'item':" + message)
            + event("response.output_item.done", "'output_index':1,'item':" + call)
            + event("response.output_item.done", "'output_index':2,'item':" + other)
            + event("response.incomplete", "'response':" + done);
    JsonNode whole = checkStream(responses, stream);
    assertThat(whole.path("id").asText()).isEqualTo("r1");
    assertThat(whole.path("status").asText()).isEqualTo("incomplete");
    assertThat(whole.path("output")).hasSize(3);
    assertThat(whole.at("/usage/total_tokens").asInt()).isEqualTo(7);
    assertThat(whole.path("tools")).isEmpty();
    assertThat(whole.toString()).doesNotContain("secret");
    checkWhole(responses, done);
  }

  /** A line break would end an event of a stream. */
  @Test
  void ofWhatWasWrittenInLines() throws IOException {
    String usage = "'usage':{\n'input_tokens':1,\r\n'output_tokens':2}";
    checkWhole(
        chat,
        "{'choices':[{'message':{'content':'a','refusal':null,'x':[1,\n2]},'finish_reason':'stop'}],"
            + usage
            + "}");
    checkWhole(
        messages,
        "{'stop_reason':'end_turn','stop_sequence':null,'content':[{'type':'text',\n'text':'a'}],"
            + usage
            + "}");
    checkWhole(
        responses,
        "{'status':'completed','output':[{'type':'message',\n'id':'i','content':[]}],"
            + usage
            + "}");
  }

  @Test
  void ofAnythingThatWasPutInItsPlace() throws IOException {
    for (Format format : List.of(chat, messages, responses)) {
      for (String content : List.of("1.0", "[]", "{}", "null", "\"\"", "[1,{\"type\":2}]", "x")) {
        AnswerReplay.Answered answered =
            new AnswerReplay.Answered("{}", List.of(StoredMessage.of("assistant", content)));
        assertThat(JSON.readTree(format.replay().body(answered)).isObject()).isTrue();
        assertThat(ended(format, stream(format, answered))).isTrue();
      }
      AnswerReplay.Answered nothing = new AnswerReplay.Answered("{}", List.of());
      assertThat(JSON.readTree(format.replay().body(nothing)).isObject()).isTrue();
      assertThat(ended(format, stream(format, nothing))).isTrue();
    }
  }

  private static JsonNode checkStream(Format format, String stream) throws IOException {
    AnswerAssembler first = feed(format, stream, 64, ENOUGH);
    AnswerReplay.Answered answered = new AnswerReplay.Answered(first.metadata(), first.messages());
    checkAgain(format, answered);
    return JSON.readTree(format.replay().body(answered));
  }

  private static void checkWhole(Format format, String quoted) throws IOException {
    byte[] answer = quoted.replace('\'', '"').getBytes(UTF_8);
    AnswerReplay.Answered answered =
        new AnswerReplay.Answered(format.replay().metadata(answer, true), format.answer(answer));
    checkAgain(format, answered);
    JsonNode whole = JSON.readTree(format.replay().body(answered));
    for (String same : List.of("id", "model", "usage", "status", "stop_reason", "stop_sequence")) {
      assertThat(whole.path(same)).isEqualTo(JSON.readTree(answer).path(same));
    }
    assertThat(whole.at("/choices/0/finish_reason"))
        .isEqualTo(JSON.readTree(answer).at("/choices/0/finish_reason"));
  }

  /** Whole and streamed, it is read again as the same messages and metadata, to its end. */
  private static void checkAgain(Format format, AnswerReplay.Answered answered) throws IOException {
    byte[] whole = format.replay().body(answered);
    assertThat(forms(format.answer(whole))).isEqualTo(forms(answered.messages()));
    String stream = stream(format, answered);
    AnswerAssembler again = Assembled.feedAsIs(format, stream, 64, ENOUGH);
    assertThat(forms(again.messages())).isEqualTo(forms(answered.messages()));
    assertThat(ended(format, stream)).isTrue();
    JsonNode expected = JSON.readTree(format.replay().metadata(whole, true));
    JsonNode metadata = JSON.readTree(again.metadata());
    if (format instanceof MessagesFormat && !JSON.readTree(whole).has("usage")) {
      assertThat(metadata.at("/usage/output_tokens").asInt(-1)).isZero();
      ((ObjectNode) metadata).set("usage", expected.get("usage"));
    }
    assertThat(metadata).isEqualTo(expected);
  }

  private static List<List<Atom>> forms(List<StoredMessage> messages) {
    return messages.stream().map(message -> NormalForm.of(message).atoms()).toList();
  }

  private static String stream(Format format, AnswerReplay.Answered answered) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    format.replay().stream(answered, out);
    return out.toString(UTF_8);
  }

  private static boolean ended(Format format, String stream) throws IOException {
    AnswerStream watched = format.openStream();
    List<Boolean> failed = new ArrayList<>();
    new SseSplitter(1 << 20)
        .feed(
            stream.getBytes(UTF_8),
            0,
            stream.getBytes(UTF_8).length,
            event -> {
              watched.accept(event);
              failed.add(watched.failed());
            });
    return watched.ended() && !failed.contains(true);
  }
}

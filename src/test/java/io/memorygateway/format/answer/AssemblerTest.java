package io.memorygateway.format.answer;

import static io.memorygateway.format.Assembled.ENOUGH;
import static io.memorygateway.format.Assembled.answer;
import static io.memorygateway.format.Assembled.blockDelta;
import static io.memorygateway.format.Assembled.contents;
import static io.memorygateway.format.Assembled.delta;
import static io.memorygateway.format.Assembled.event;
import static io.memorygateway.format.Assembled.feed;
import static io.memorygateway.format.Assembled.start;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.Calls;
import io.memorygateway.format.Format;
import io.memorygateway.format.Talk;
import io.memorygateway.format.align.Alignment;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.responses.ResponsesFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is stored of an answer, streamed or whole, by contents in single quotes. */
class AssemblerTest {
  private final Format chat = new ChatFormat();
  private final Format messages = new MessagesFormat();
  private final Format responses = new ResponsesFormat();

  @Test
  void joinsATextOfChat() {
    String stream =
        delta("'role':'assistant','content':'','refusal':null")
            + delta("'content':'a\\u0062'")
            + delta("'content':' c'")
            + "data: {'choices':[{'index':1,'delta':{'content':'other choice'}}]}\n\n"
            + "data: {'choices':[{'index':0,'delta':{},'finish_reason':'stop'}]}\n\n"
            + "data: {'choices':[],'usage':{}}\n\ndata: [DONE]\n\n";

    assertThat(contents(chat, stream)).containsExactly("assistant text 'ab c'");
    assertThat(contents(chat, delta("'role':'assistant','content':''"))).isEmpty();
  }

  @Test
  void aTextGoesOnInThePartsOfChatAndTheyInIt() {
    String stream =
        delta("'content':'a'")
            + delta("'content':[{'type':'text','text':'b'}]")
            + delta("'content':'c'")
            + delta("'content':[{'type':'thinking','thinking':[{'type':'text','text':'d'}]}]")
            + delta("'content':[{'type':'thinking','thinking':[{'type':'text','text':'e'}]}]")
            + delta("'content':[{'type':'reference','ids':[1]},{'type':'reference','ids':[2]}]")
            + delta("'content':'f'")
            + delta("'content':''");

    assertThat(contents(chat, stream))
        .containsExactly(
            "assistant mixed {'content':[{'type':'text','text':'abc'},"
                + "{'type':'thinking','thinking':[{'type':'text','text':'de'}]},"
                + "{'type':'reference','ids':[1]},{'type':'reference','ids':[2]},"
                + "{'type':'text','text':'f'}]}");
  }

  @Test
  void mergesObjectsOfChatAndConcatenatesListsOfWhatHasNoPlace() {
    String stream =
        delta("'content':'a','annotations':[{'n':1},{'n':2}],'audio':{'id':'x','data':'AA'}")
            + delta("'annotations':[{'n':3.0}],'audio':{'id':'x','data':'BB'},'images':null")
            + delta("'audio':{'transcript':'so','expires_at':1}")
            + delta("'audio':{'transcript':' it is','expires_at':2}");

    assertThat(contents(chat, stream))
        .containsExactly(
            "assistant text {'content':'a','annotations':[{'n':1},{'n':2},{'n':3.0}],"
                + "'audio':{'id':'x','data':'AABB','transcript':'so it is','expires_at':2}}");
  }

  @Test
  void joinsInterleavedCallsOfChat() {
    String stream =
        delta("'role':'assistant','content':null,'reasoning_content':'th'")
            + delta("'reasoning_content':'ink'")
            + delta(
                "'tool_calls':[{'index':0,'id':'c','type':'function','function':{'name':'f','arguments':''}}]")
            + delta(
                "'tool_calls':[{'index':1,'id':'d','function':{'name':'g','arguments':'{\\'n\\':'},'x':1.0}]")
            + delta("'tool_calls':[{'index':0,'function':{'arguments':'{\\'m\\''}}]")
            + delta(
                "'tool_calls':[{'index':1,'function':{'arguments':'1.10}'}},{'index':0,'function':{'arguments':':1}'}}]");

    assertThat(contents(chat, stream))
        .containsExactly(
            "assistant tool-call {'content':null,'reasoning_content':'think','tool_calls':["
                + "{'id':'c','type':'function','function':{'name':'f','arguments':'{\\'m\\':1}'}},"
                + "{'id':'d','type':'function','function':{'name':'g','arguments':'{\\'n\\':1.10}'},'x':1.0}]}");
  }

  @Test
  void tellsCallsOfChatApartByTheirIdsWhereTheIndexDoesNot() {
    String stream =
        delta("'tool_calls':[{'index':0,'id':'c','function':{'name':'f','arguments':'{}'}}]")
            + delta("'tool_calls':[{'index':0,'id':'d','function':{'name':'f','arguments':'{'}}]")
            + delta("'tool_calls':[{'index':0,'function':{'arguments':'}'}}]");

    assertThat(contents(chat, stream).get(0))
        .contains("'id':'c','type':'function','function':{'name':'f','arguments':'{}'}")
        .contains("'id':'d','type':'function','function':{'name':'f','arguments':'{}'}");
  }

  @Test
  void addsAFragmentWithoutAnIndexToTheLastCallOfChat() {
    String stream =
        delta("'tool_calls':[{'id':'c','function':{'name':'f','arguments':'{'}}]")
            + delta("'tool_calls':[{'function':{'arguments':'}'}}]")
            + delta("'tool_calls':[{'id':'d','function':{'name':'g','arguments':'['}}]")
            + delta("'tool_calls':[{'function':{'arguments':']'}}]");

    assertThat(contents(chat, stream))
        .containsExactly(
            "assistant tool-call {'content':null,'tool_calls':["
                + "{'id':'c','type':'function','function':{'name':'f','arguments':'{}'}},"
                + "{'id':'d','type':'function','function':{'name':'g','arguments':'[]'}}]}");
  }

  @Test
  void addsWhatOnlyTheLastCallOfChatLacksToIt() {
    String stream =
        delta("'tool_calls':[{'index':0,'id':'c','function':{'name':'f','arguments':'{}'}}]")
            + delta("'tool_calls':[{'index':1,'id':'d','function':{'name':'g','arguments':'{}'}}]")
            + delta("'tool_calls':[{'extra_content':{'s':1}}]");

    assertThat(contents(chat, stream).get(0))
        .endsWith("'function':{'name':'g','arguments':'{}'},'extra_content':{'s':1}}]}");
  }

  @Test
  void keepsReasoningThatIsEmpty() {
    assertThat(contents(chat, delta("'content':'a','reasoning_content':'','refusal':''")))
        .containsExactly("assistant text {'content':'a','reasoning_content':''}");
  }

  @Test
  void keepsTheCallsOfABrokenChatAsFarAsTheyCame() {
    String stream =
        delta("'content':'let me'")
            + delta("'tool_calls':[{'index':0,'id':'c','function':{'name':'f','arguments':'{}'}}]")
            + delta(
                "'tool_calls':[{'index':1,'id':'d','function':{'name':'f','arguments':'{\\'n'}}]")
            + "data: {'error':{'message':'dead'}}\n\ndata: {'choi";

    assertThat(contents(chat, stream))
        .containsExactly(
            "assistant mixed {'content':'let me','tool_calls':[{'id':'c','type':'function',"
                + "'function':{'name':'f','arguments':'{}'}},{'id':'d','type':'function',"
                + "'function':{'name':'f','arguments':'{\\'n'}}]}");
  }

  @Test
  void keepsARefusal() {
    assertThat(contents(chat, delta("'refusal':'I '") + delta("'refusal':'won\\u0027t'")))
        .containsExactly("assistant text {'content':null,'refusal':'I won't'}");
  }

  @Test
  void putsBlocksOfAnthropicTogether() {
    String stream =
        event("message_start", "'message':{'content':[]}")
            + start(0, "'type':'thinking','thinking':'','signature':''")
            + blockDelta(0, "'type':'thinking_delta','thinking':'hm'")
            + event("ping", "'x':1")
            + blockDelta(0, "'type':'signature_delta','signature':'sig'")
            + event("content_block_stop", "'index':0")
            + start(1, "'type':'text','text':''")
            + blockDelta(1, "'type':'text_delta','text':'a'")
            + blockDelta(1, "'type':'citations_delta','citation':{'n':1.0}")
            + blockDelta(1, "'type':'text_delta','text':'b'")
            + event("content_block_stop", "'index':1")
            + start(2, "'type':'tool_use','id':'c','name':'f','input':{}")
            + blockDelta(2, "'type':'input_json_delta','partial_json':''")
            + blockDelta(2, "'type':'input_json_delta','partial_json':'{\\'n\\':'")
            + blockDelta(2, "'type':'input_json_delta','partial_json':' 1.10}'")
            + event("content_block_stop", "'index':2")
            + start(3, "'type':'new_thing','y':1e2")
            + event("content_block_stop", "'index':3")
            + event("message_stop", "'x':1");

    assertThat(contents(messages, stream))
        .containsExactly(
            "assistant mixed [{'type':'thinking','thinking':'hm','signature':'sig'},"
                + "{'type':'text','text':'ab','citations':[{'n':1.0}]},"
                + "{'type':'tool_use','id':'c','name':'f','input':{'n': 1.10}},"
                + "{'type':'new_thing','y':1e2}]");
  }

  @Test
  void keepsTheBlocksOfABrokenAnthropicAnswerAsFarAsTheyCame() {
    String stream =
        start(0, "'type':'thinking','thinking':''")
            + blockDelta(0, "'type':'thinking_delta','thinking':'h'")
            + start(1, "'type':'text','text':''")
            + blockDelta(1, "'type':'text_delta','text':'par'")
            + start(2, "'type':'tool_use','id':'c','name':'f','input':{}")
            + blockDelta(2, "'type':'input_json_delta','partial_json':'{\\'n'");

    assertThat(contents(messages, stream))
        .containsExactly(
            "assistant mixed [{'type':'thinking','thinking':'h'},{'type':'text','text':'par'},"
                + "{'type':'tool_use','id':'c','name':'f','input':'{\\'n'}]");
  }

  @Test
  void takesItemsOfResponsesAsTheyAreFinished() {
    String reasoning = "{'type':'reasoning','id':'rs','summary':[],'encrypted_content':'e'}";
    String call = "{'type':'function_call','id':'fc','call_id':'c','name':'f','arguments':'{ }'}";
    String stream =
        event("response.created", "'response':{'output':[]}")
            + event("response.output_item.done", "'output_index':0,'item':" + reasoning)
            + event("response.function_call_arguments.delta", "'output_index':1,'delta':'{'")
            + event("response.output_item.done", "'output_index':1,'item':" + call)
            + event("response.completed", "'response':{'output':[" + reasoning + "," + call + "]}");

    assertThat(contents(responses, stream))
        .containsExactly("assistant reasoning " + reasoning, "assistant tool-call " + call);
  }

  @Test
  void takesArgumentsThatComeOnlyWhenTheyAreDone() {
    String item = "{'type':'function_call','call_id':'c','name':'f','arguments':''}";
    String stream =
        event("response.output_item.added", "'output_index':0,'item':" + item)
            + event(
                "response.function_call_arguments.done",
                "'output_index':0,'arguments':'{\\'n\\':1.0}'");
    String expected =
        "assistant tool-call " + item.replace("'arguments':''", "'arguments':'{\\'n\\':1.0}'");

    assertThat(contents(responses, stream)).containsExactly(expected);
    assertThat(
            contents(
                responses,
                stream + event("response.output_item.done", "'output_index':0,'item':" + item)))
        .containsExactly(expected);
  }

  @Test
  void takesTheLastEventWhereItemsWereNotAnnounced() {
    String item =
        "{'type':'message','role':'assistant','content':[{'type':'output_text','text':'a'}]}";

    assertThat(
            contents(
                responses, event("response.completed", "'response':{'output':[" + item + "]}")))
        .containsExactly("assistant text " + item);
  }

  @Test
  void keepsTheItemsOfABrokenResponseAsFarAsTheyCame() {
    String stream =
        event(
                "response.output_item.added",
                "'output_index':0,'item':{'type':'message','id':'m','status':'in_progress',"
                    + "'role':'assistant','content':[]}")
            + event("response.output_text.delta", "'output_index':0,'content_index':0,'delta':'pa'")
            + event("response.output_text.delta", "'output_index':0,'content_index':0,'delta':'r'")
            + event(
                "response.output_item.added",
                "'output_index':1,'item':{'type':'function_call',"
                    + "'call_id':'c','name':'f','arguments':''}")
            + event("response.function_call_arguments.delta", "'output_index':1,'delta':'{'");

    assertThat(contents(responses, stream))
        .containsExactly(
            "assistant text {'type':'message','id':'m','status':'incomplete','role':'assistant',"
                + "'content':[{'type':'output_text','text':'par'}]}",
            "assistant tool-call"
                + " {'type':'function_call','call_id':'c','name':'f','arguments':'{'}");
  }

  @Test
  void readsWholeAnswers() {
    assertThat(
            answer(
                chat,
                "{'choices':[{'message':{'role':'assistant','content':'a\\u0062','refusal':null}},"
                    + "{'message':{'role':'assistant','content':'other'}}]}"))
        .containsExactly("assistant text 'a\\u0062'");
    assertThat(
            answer(chat, "{'choices':[{'message':{'role':'assistant','content':null,'x':1.0}}]}"))
        .containsExactly("assistant mixed {'content':null,'x':1.0}");
    assertThat(answer(messages, "{'role':'assistant','content':[ {'type':'text','text':'a'}]}"))
        .containsExactly("assistant text [ {'type':'text','text':'a'}]");
    assertThat(
            answer(
                responses,
                "{'output':[{'type':'message','role':'assistant','content':[]},"
                    + "{'type':'code_call','n':1.0}]}"))
        .containsExactly(
            "assistant text {'type':'message','role':'assistant','content':[]}",
            "assistant mixed {'type':'code_call','n':1.0}");
    for (Format format : List.of(chat, messages, responses)) {
      assertThat(answer(format, "{}")).isEmpty();
      assertThat(answer(format, "{'choices':[],'content':[],'output':[]}")).isEmpty();
      assertThat(answer(format, "<html>")).isEmpty();
    }
  }

  @Test
  void keepsTheFragmentsOfReasoningAsOneThought() {
    String stream =
        delta("'reasoning_details':[{'type':'reasoning.text','text':'a ','index':0,'format':'v'}]")
            + delta("'reasoning_details':[{'type':'reasoning.text','text':'b','index':0}]")
            + delta("'reasoning_details':[{'type':'reasoning.text','signature':'s','index':0}]")
            + delta("'reasoning_details':[{'type':'reasoning.encrypted','data':'e','index':0}]");

    assertThat(contents(chat, stream))
        .containsExactly(
            "assistant reasoning {'content':null,'reasoning_details':[{'type':'reasoning.text',"
                + "'text':'a b','index':0,'format':'v','signature':'s'},"
                + "{'type':'reasoning.encrypted','data':'e','index':0}]}");
  }

  @Test
  void completesCallsOfChatThatComeWithLessThanOneHas() {
    String stream =
        delta("'tool_calls':[{'index':0,'type':null,'function':{'name':'f'}}]")
            + delta("'tool_calls':[{'index':1,'id':'c','type':'custom','custom':{'input':'a'}}]")
            + delta("'tool_calls':[{'index':1,'custom':{'input':'b'}}]");

    assertThat(contents(chat, stream))
        .containsExactly(
            "assistant tool-call {'content':null,'tool_calls':["
                + "{'id':'','type':'function','function':{'name':'f','arguments':''}},"
                + "{'id':'c','type':'custom','custom':{'input':'ab'}}]}");
  }

  @Test
  void keepsTheInputOfAnAnthropicCallThatIsNoJsonAsItsText() {
    String stream =
        start(0, "'type':'tool_use','id':'c','name':'f','input':{}")
            + blockDelta(0, "'type':'input_json_delta','partial_json':'{\\'a\\': b'")
            + blockDelta(0, "'type':'input_json_delta','partial_json':' }'")
            + event("content_block_stop", "'index':0")
            + start(1, "'type':'tool_use','id':'d','name':'f','input':{}")
            + blockDelta(1, "'type':'input_json_delta','partial_json':''")
            + event("content_block_stop", "'index':1");

    assertThat(contents(messages, stream))
        .containsExactly(
            "assistant tool-call [{'type':'tool_use','id':'c','name':'f','input':'{\\'a\\': b }'},"
                + "{'type':'tool_use','id':'d','name':'f','input':{}}]");
  }

  @Test
  void readsTheNumbersOfPythonAsNull() {
    String chunk =
        "data: {'choices':[{'index':0,'delta':{'content':'NaN','x':[Infinity]},"
            + "'logprobs':{'p':[NaN,-Infinity]}}]}\n\n";

    assertThat(contents(chat, delta("'content':'a '") + chunk))
        .containsExactly("assistant text {'content':'a NaN','x':[null]}");
    assertThat(feed(chat, chunk, 64, ENOUGH).unreadable()).isFalse();
  }

  @Test
  void saysWhereSomethingCouldNotBeRead() {
    String whole =
        event(
            "response.completed",
            "'response':{'output':[{'type':'message','role':'assistant','content':[]}]}");
    for (Format format : List.of(chat, messages, responses)) {
      for (String broken : List.of("{'choices':[{'delta':", " {'a':1}}", "{'a':01}", "{a}")) {
        String event = "data: " + broken + "\n\n";
        assertThat(feed(format, event, 64, ENOUGH).unreadable()).as(broken).isTrue();
        assertThat(feed(format, event + whole, 64, ENOUGH).unreadable())
            .as("all of it comes at the end")
            .isEqualTo(format != responses);
      }
      for (String other : List.of("[DONE]", "keep-alive", ": {", "1", "''", "", "[{]", "{}")) {
        assertThat(feed(format, "data: " + other + "\n\n", 64, ENOUGH).unreadable())
            .as(other)
            .isFalse();
      }
    }
  }

  @Test
  void equalsItsOwnEchoOverAnotherEndpoint() {
    String overChat = contents(chat, delta("'content':'a'") + delta("'content':' b'")).get(0);
    String overMessages =
        contents(messages, start(0, "'type':'text','text':''") + blockDelta(0, "'text':'a b'"))
            .get(0);

    assertThat(overChat).isEqualTo("assistant text 'a b'");
    assertThat(overMessages).isEqualTo("assistant text [{'type':'text','text':'a b'}]");
    assertThat(
            Talk.align(
                Talk.forms(List.of(Calls.stored("assistant", "[{'type':'text','text':'a b'}]"))),
                Talk.forms(List.of(Talk.user("u"), Talk.answer("a b")))))
        .isEqualTo(new Alignment(1, 0, 2));
  }

  @Test
  void survivesNonsense() {
    String nonsense =
        ": c\n\n"
            + "data: 1\n\n"
            + "data: []\n\n"
            + "data: {'choices':3,'index':'x','content_block':1,'response':[]}\n\n"
            + event("content_block_start", "'index':'x','content_block':{}")
            + event("content_block_start", "'index':1e99,'content_block':4")
            + event("content_block_delta", "'index':0,'delta':4")
            + event("response.output_item.done", "'output_index':{},'item':4")
            + event("response.completed", "'response':{'output':[3]}")
            + delta("'tool_calls':[4,{'function':5}],'content':{'a':1}");
    for (Format format : List.of(chat, messages, responses)) {
      feed(format, nonsense, 64, ENOUGH).messages();
    }
  }

  /** A proxy made a call once more that had broken off, and sent both answers as one stream. */
  @Test
  void ofTwoAnswersInOneStreamTheLastIsKept() {
    String begin = "'message':{'id':'%s','content':[]}";
    String text = "'type':'text','text':'%s'";
    String first = event("message_start", begin.formatted("m")) + start(0, text.formatted("a"));
    String again = event("message_start", begin.formatted("n"));

    assertThat(contents(messages, first + again + start(0, text.formatted("b"))))
        .containsExactly("assistant text [{'type':'text','text':'b'}]");
    assertThat(contents(messages, first + again + start(1, text.formatted("b"))))
        .as("a server that begins with every block")
        .containsExactly("assistant text [{'type':'text','text':'a'},{'type':'text','text':'b'}]");

    String created = "'response':{'id':'%s','output':[]}";
    String said = "{'type':'message','role':'assistant','content':'%s'}";
    assertThat(
            contents(
                responses,
                event("response.created", created.formatted("r"))
                    + event(
                        "response.output_item.added",
                        "'output_index':0,'item':" + said.formatted("a"))
                    + event("response.created", created.formatted("s"))
                    + event(
                        "response.output_item.done",
                        "'output_index':1,'item':" + said.formatted("b"))))
        .containsExactly("assistant text " + said.formatted("b"));
  }
}

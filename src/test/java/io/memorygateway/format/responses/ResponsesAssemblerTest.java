package io.memorygateway.format.responses;

import static io.memorygateway.format.Assembled.ENOUGH;
import static io.memorygateway.format.Assembled.answer;
import static io.memorygateway.format.Assembled.contents;
import static io.memorygateway.format.Assembled.event;
import static io.memorygateway.format.Assembled.feed;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.Format;
import io.memorygateway.json.JsonValue;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is stored of a stream of Responses that says things twice, or breaks off. */
class ResponsesAssemblerTest {
  private static final String CALL =
      "{'type':'function_call','call_id':'c','name':'f','arguments':''}";

  private final Format responses = new ResponsesFormat();

  @Test
  void argumentsThatAreDoneReplaceTheirFragments() {
    String stream =
        added(CALL)
            + event("response.function_call_arguments.delta", "'output_index':0,'delta':'{'")
            + event("response.function_call_arguments.delta", "'output_index':0,'delta':'}'");
    String expected = "assistant tool-call " + CALL.replace("'arguments':''", "'arguments':'{}'");

    assertThat(contents(responses, stream)).as("broken off behind it").containsExactly(expected);
    assertThat(
            contents(
                responses,
                stream
                    + event(
                        "response.function_call_arguments.done",
                        "'output_index':0,'arguments':'{}'")))
        .containsExactly(expected);
  }

  @Test
  void theTextsOfABrokenMessageAreInTheOrderOfItsParts() {
    String stream =
        added("{'type':'message','role':'assistant','status':'in_progress','content':[]}")
            + text(1, "c")
            + text(0, "a")
            + event("response.refusal.delta", "'output_index':0,'content_index':2,'delta':'no'")
            + event("response.output_text.delta", "'output_index':0,'delta':'b'")
            + text(1, "d");

    assertThat(contents(responses, stream))
        .containsExactly(
            "assistant text {'type':'message','role':'assistant','status':'incomplete','content':["
                + "{'type':'output_text','text':'ab'},{'type':'output_text','text':'cd'},"
                + "{'type':'refusal','refusal':'no'}]}");
  }

  @Test
  void whicheverIndicesAStreamNamesLittleIsHeld() {
    StringBuilder stream = new StringBuilder(added("{'type':'message','content':[]}"));
    for (int i = 0; i < 40; i++) {
      stream.append(text(i, i == 0 ? "a" : i == 10 ? "c" : i == 2 ? "b" : i >= 31 ? "z" : ""));
    }
    stream.append(
        event(
            "response.output_text.delta",
            "'output_index':0,'content_index':{'a':['" + "x".repeat(3000) + "']},'delta':'a'"));
    String content = contents(responses, stream.toString()).get(0);
    assertThat(content)
        .contains("[{'type':'output_text','text':'aa'},", "'zzzzzzzzz'}]")
        .containsSubsequence("'b'", "'c'", "'zzzzzzzzz'")
        .doesNotContain("xxx");
  }

  @ParameterizedTest
  @CsvSource({"1024,false", "1025,true"})
  void anAnswerOfTooManyItemsIsNotHeld(int items, boolean overflowed) {
    StringBuilder stream = new StringBuilder();
    for (int i = 0; i < items; i++) {
      stream.append(event("response.other", "'output_index':" + i));
    }
    assertThat(feed(responses, stream.toString(), ENOUGH, ENOUGH).overflowed())
        .isEqualTo(overflowed);
  }

  @Test
  void aFinishedItemCountsMoreThanItsFragments() {
    String item =
        "{'type':'message','role':'assistant','content':[{'type':'output_text','text':'all'}]}";
    String stream =
        added("{'type':'message','role':'assistant','content':[]}")
            + text(0, "al")
            + event("response.output_item.done", "'output_index':0,'item':" + item);

    assertThat(contents(responses, stream)).containsExactly("assistant text " + item);
    assertThat(
            contents(
                responses,
                stream
                    + event(
                        "response.completed",
                        "'response':{'output':[{'type':'message','content':'x'}]}")))
        .as("as it was sent one by one")
        .containsExactly("assistant text " + item);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "custom_tool_call_input | custom_tool_call | 'input':''       | 'input':'ab'",
        "mcp_call_arguments     | mcp_call         | 'arguments':''   | 'arguments':'ab'",
        "code_interpreter_call_code | code_interpreter_call | 'code':'' | 'code':'ab'",
        "reasoning_summary_text | reasoning | 'summary':[] | 'summary':[{'type':'summary_text','text':'ab'}]",
        "reasoning_text         | reasoning | 'content':[] | 'content':[{'type':'reasoning_text','text':'ab'}]",
        "refusal | message | 'role':'assistant','content':[] | 'role':'assistant','content':[{'type':'refusal','refusal':'ab'}]",
        "reasoning_text         | reasoning | 'x':1 | 'x':1,'content':[{'type':'reasoning_text','text':'ab'}]",
        "newest_text            | newest    | 'text':'' | 'text':''",
      })
  void anItemIsKeptAsFarAsItCame(String name, String type, String begun, String kept) {
    String item = "{'type':'" + type + "','status':'in_progress'," + begun + "}";
    String delta = "'output_index':0,'content_index':0,'summary_index':0,'delta':";
    String stream =
        added(item)
            + event("response." + name + ".delta", delta + "'a'")
            + event("response." + name + ".delta", delta + "'b'");
    String expected = "{'type':'" + type + "','status':'incomplete'," + kept + "}";

    assertThat(contents(responses, stream)).singleElement().asString().endsWith(" " + expected);
  }

  @Test
  void aPartIsKeptAsItWasAnnouncedAndAnnotated() {
    String stream =
        added("{'type':'message','role':'assistant','content':[{'type':'output_text','text':'a'}]}")
            + event(
                "response.content_part.added",
                "'output_index':0,'content_index':1,'part':{'type':'output_text','text':'','x':1.0}")
            + text(1, "b")
            + event(
                "response.output_text.annotation.added",
                "'output_index':0,'content_index':1,'annotation':{'n':1}")
            + event("response.output_text.done", "'output_index':0,'content_index':1,'text':'bc'");

    assertThat(contents(responses, stream))
        .containsExactly(
            "assistant text {'type':'message','role':'assistant','content':["
                + "{'type':'output_text','text':'a'},"
                + "{'type':'output_text','text':'bc','x':1.0,'annotations':[{'n':1}]}]}");
  }

  @Test
  void onlyAMessageNeedsNoBegin() {
    assertThat(contents(responses, text(0, "a")))
        .containsExactly(
            "assistant text {'type':'message','role':'assistant','status':'incomplete',"
                + "'content':[{'type':'output_text','text':'a'}]}");
    assertThat(
            contents(
                responses,
                event("response.function_call_arguments.delta", "'output_index':0,'delta':'{}'")))
        .isEmpty();
    assertThat(contents(responses, event("response.output_item.added", "'output_index':0")))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "reasoning     | 'type':'reasoning',     | 'id':'rs_1','summary':[]",
        "reasoning     | 'type':'reasoning',     | 'content':[{'type':'reasoning_text','text':'t'}]",
        "tool-call     | 'type':'function_call', | 'call_id':'c','name':'f','arguments':'{}'",
        "text          | 'type':'message','role':'assistant', | 'content':[{'type':'output_text','text':'a'}]",
        "text          | 'type':'message','role':'assistant', | 'content':[{'type':'output_text','text':'a'}],'summary':[]",
        "text          | 'type':'message','role':'assistant', | 'content':'a','encrypted_content':''",
      },
      quoteCharacter = '`')
  void whatAnItemDoesNotSayOfItselfItsMembersDo(String type, String said, String members) {
    String stored = "assistant " + type + " {" + said + members + "}";
    for (String some : said.contains("role") ? List.of("", "'type':'message',") : List.of("")) {
      String item = "{" + some + members + "}";
      String response = "'output':[" + item + "]";

      assertThat(contents(responses, added(item))).containsExactly(stored);
      assertThat(contents(responses, event("response.completed", "'response':{" + response + "}")))
          .isEqualTo(answer(responses, "{" + response + "}"))
          .containsExactly(stored);
    }
  }

  @Test
  void aMessageMaySayNothingButItsType() {
    String stored = "assistant text {'type':'message','role':'assistant'%s}";
    String item = "{'role':null,'type':'message'}";

    assertThat(answer(responses, "{'output':[" + item + "]}"))
        .containsExactly(stored.formatted(""));
    assertThat(
            contents(
                responses,
                added(item) + event("response.output_text.delta", "'output_index':0,'delta':'t'")))
        .containsExactly(stored.formatted(",'content':[{'type':'output_text','text':'t'}]"));
  }

  @Test
  void reasoningThatIsNotAnnouncedIsNoMessage() {
    String delta = "'output_index':0,'content_index':0,'summary_index':0,'delta':'t'";
    for (String name : List.of("reasoning_text", "reasoning_summary_text")) {
      assertThat(contents(responses, event("response." + name + ".delta", delta)))
          .singleElement()
          .asString()
          .startsWith("assistant reasoning {'type':'reasoning',");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "mcp_approval_response,user",
    "mcp_approval_request,assistant",
    "computer_call_output,tool",
    "message,user",
  })
  void theTypeOfAnItemTellsWhoseItIs(String type, String role) {
    JsonValue item = JsonValue.of("{\"type\":\"" + type + "\"}");

    assertThat(ResponsesItems.stored(item).role()).isEqualTo(role);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "response.output_item.added|'item':{'type':'x','x':'0123456789'}",
        "response.output_item.done|'item':{'type':'x','x':'0123456789'}",
        "response.output_text.delta|'delta':'0123456789'",
        "response.refusal.delta|'delta':'0123456789'",
        "response.function_call_arguments.delta|'delta':'0123456789'",
        "response.custom_tool_call_input.delta|'delta':'0123456789'",
      })
  void whateverIsHeldCountsForTheBound(String typeAndMembers) {
    String[] parts = typeAndMembers.split("\\|", 2);
    String stream = event(parts[0], "'output_index':0," + parts[1]);

    assertThat(feed(responses, stream.repeat(51), 64, 500).overflowed()).isTrue();
    assertThat(feed(responses, stream.repeat(51), 64, ENOUGH).overflowed()).isFalse();
  }

  private static String added(String item) {
    return event("response.output_item.added", "'output_index':0,'item':" + item);
  }

  private static String text(int part, String delta) {
    return event(
        "response.output_text.delta",
        "'output_index':0,'content_index':" + part + ",'delta':'" + delta + "'");
  }
}

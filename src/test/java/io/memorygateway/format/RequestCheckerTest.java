package io.memorygateway.format;

import static io.memorygateway.format.Calls.json;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The checkers take what the providers take, and say what is wrong about anything else. */
class RequestCheckerTest {
  private static final String CALL =
      "{'role':'assistant','content':[{'type':'tool_use','id':'t1','name':'f','input':{}}]}";
  private static final String RESULT =
      "{'role':'user','content':[{'type':'tool_result','tool_use_id':'t1','content':'x'}]}";

  private static String messages(String list) {
    String head = "{'model':'m','max_tokens':9,'tools':[{}],'thinking':{'type':'enabled'},";
    return json(head + "'messages':[" + filled(list) + "]}");
  }

  /** {@code U}, {@code A}, {@code C} and {@code R}: a question, an answer, a call, its result. */
  private static String filled(String list) {
    return list.replace("U", "{'role':'user','content':'q'}")
        .replace("A", "{'role':'assistant','content':'a'}")
        .replace("C", CALL)
        .replace("R", RESULT)
        .replace("S", "{'role':'system','content':'s'}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "U",
        "U,A",
        "U,S,A,U,S",
        "U,C,R,A,U",
        "U,{'role':'assistant','content':[{'type':'thinking','thinking':'','signature':'s'},"
            + "{'type':'tool_use','id':'t1','name':'f','input':{}}]},R",
        "U,{'role':'assistant','content':[{'type':'server_tool_use','id':'s','name':'f',"
            + "'input':{}},{'type':'web_search_tool_result','tool_use_id':'s','content':[]},"
            + "{'type':'text','text':'a'}]},U",
        "U,{'role':'assistant','content':[{'type':'text','text':'a'},"
            + "{'type':'server_tool_use','id':'s','name':'f','input':{}}]}",
        "U,{'role':'assistant','content':[{'type':'newest','any':1}]},U"
      })
  void takesWhatAnthropicTakes(String list) {
    RequestChecker checker = new MessagesRequestChecker(RequestChecker.names("newest"));

    assertThat(checker.faults(messages(list))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      delimiter = '|',
      textBlock =
          """
          A | the first message must be the user's
          S,U | a system message must follow a user message
          U,S,U | a system message must be last or be followed by an assistant message
          U,U | roles must alternate
          U,A,A,U | roles must alternate
          U,C,U | tool_use ids without tool_result: [t1]
          U,C,A,R | tool_use ids without tool_result: [t1]
          U,C | tool_use ids without tool_result at the end: [t1]
          U,A,R | unexpected tool_use_id: t1
          U,C,R,C,R | id is used twice: t1
          U,C,{'role':'user','content':[{'type':'text','text':'x'},{'type':'tool_result','tool_use_id':'t1'}]} | results must come first
          U,{'role':'assistant','content':[{'type':'tool_use','id':'a:b','name':'f','input':{}}]} | id does not match the pattern: a:b
          U,{'role':'assistant','content':[{'type':'tool_use','id':'t1','name':'f','input':'x'}]},R | input must be an object
          U,{'role':'assistant','content':[{'type':'thinking','thinking':'t','signature':''},{'type':'text','text':'a'}]} | signature: must be a text
          U,{'role':'assistant','content':[{'type':'thinking','thinking':'t','signature':'s'}]} | the final block must not be thinking
          U,C,R | expected thinking or redacted_thinking first
          U,{'role':'assistant','content':[{'type':'server_tool_use','id':'s','name':'f','input':{}}]},U | server tools without results: [s]
          U,{'role':'assistant','content':[{'type':'web_search_tool_result','tool_use_id':'s'}]} | has no server_tool_use before it: s
          U,{'role':'assistant','content':[{'type':'text','text':' '}]},U | must be a text that is not blank
          U,{'role':'assistant','content':[]},U | content must not be empty
          U,{'role':'assistant','content':'a '} | must not end with white space
          U,{'role':'assistant','content':[{'type':'unheard_of'}]},U | type 'unheard_of' is wrong
          U,{'role':'assistant','content':'a','stop_reason':'end_turn'},U | stop_reason: is not permitted
          U,{'role':'assistant','content':[{'type':'text','text':'a','annotations':[]}]},U | annotations: is not permitted
          """)
  void saysWhatAnthropicRefuses(String list, String fault) {
    assertThat(new MessagesRequestChecker().faults(messages(list)))
        .anySatisfy(said -> assertThat(said).contains(fault));
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 5})
  void countsCacheMarks(int marks) {
    String block = "{'type':'text','text':'t','cache_control':{'type':'ephemeral'}}";
    String system = "'system':[" + block + "],'messages':[{'role':'user','content':[";
    String rest = (block + ",").repeat(marks - 2) + block + "]}]}";

    assertThat(
            new MessagesRequestChecker()
                .faults(json("{'model':'m','max_tokens':1," + system + rest)))
        .hasSize(marks > 4 ? 1 : 0);
  }

  private static String chat(String list) {
    String filled =
        list.replace(
                "C", "{'role':'assistant','content':null,'tool_calls':[" + chatCall("{}") + "]}")
            .replace("R", "{'role':'tool','tool_call_id':'c1','content':'x'}")
            .replace("U", "{'role':'user','content':'q'}")
            .replace("A", "{'role':'assistant','content':'a'}");
    return json("{'model':'m','messages':[" + filled + "]}");
  }

  private static String chatCall(String arguments) {
    return "{'id':'c1','type':'function','function':{'name':'f','arguments':'" + arguments + "'}}";
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "U",
        "U,A,U",
        "U,C,R,A,U",
        "U,{'role':'assistant','content':'a','reasoning_content':'t'},U",
        "U,{'role':'assistant','audio':{'id':'x'}},U",
        "U,{'role':'assistant','content':[{'type':'thinking','thinking':[]}]},U"
      })
  void takesWhatItsMakerTakes(String list) {
    RequestChecker checker =
        new ChatRequestChecker(RequestChecker.names("reasoning_content thinking"));

    assertThat(checker.faults(chat(list))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      delimiter = '|',
      textBlock =
          """
          U,C,U | stands before the tool messages of [c1]
          U,C | tool_calls without tool messages: [c1]
          U,R | is no response to tool_calls before it: c1
          U,C,R,R | is no response to tool_calls before it: c1
          U,{'role':'assistant','content':null},U | must not be missing
          U,{'role':'assistant','content':''},U | must not be empty
          U,{'role':'assistant','content':'a','tool_calls':[]},U | must be a list, not empty
          U,{'role':'assistant','content':'a','refusal':null},U | refusal: must not be null
          U,{'role':'assistant','content':'a','annotations':[]},U | annotations: is not permitted
          U,{'role':'assistant','content':'a','reasoning_content':'t'},U | reasoning_content: is not permitted
          U,{'role':'assistant','audio':{'id':'x','data':'x'}},U | audio.data: is not permitted
          U,{'role':'assistant','content':[{'type':'image_url','image_url':{}}]},U | type is wrong: image_url
          U,{'role':'critic','content':'a'} | has an unknown role: critic
          U,{'role':'assistant','tool_calls':[{'id':'c1','type':'function','function':{'name':'f','arguments':'cut'}}]},R | must be a string that holds a JSON object
          U,{'role':'assistant','tool_calls':[{'id':'c1','index':0,'type':'function','function':{'name':'f','arguments':'{}'}}]},R | index: is not permitted
          U,{'role':'assistant','tool_calls':[{'id':'','type':'function','function':{'name':'f','arguments':'{}'}}]} | has a wrong id
          """)
  void saysWhatChatRefuses(String list, String fault) {
    assertThat(new ChatRequestChecker().faults(chat(list)))
        .anySatisfy(said -> assertThat(said).contains(fault));
  }

  private static String responses(String list) {
    String filled =
        list.replace("C", "{'type':'function_call','call_id':'c1','name':'f','arguments':'{}'}")
            .replace("R", "{'type':'function_call_output','call_id':'c1','output':'x'}")
            .replace("U", "{'role':'user','content':'q'}")
            .replace("T", "{'type':'reasoning','id':'rs_1','summary':[],'encrypted_content':'e'}");
    return json("{'model':'m','store':false,'input':[" + filled + "]}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "U",
        "U,C,R,U",
        "U,T,C,R,U",
        "U,{'type':'tool_search_call','call_id':'t','execution':'client','arguments':{}},"
            + "{'type':'tool_search_output','call_id':'t','execution':'client','tools':[]}",
        "U,T,{'type':'message','id':'msg_1','role':'assistant','content':"
            + "[{'type':'output_text','text':'a','annotations':[]}]},U"
      })
  void takesWhatOpenAiTakes(String list) {
    assertThat(new ResponsesRequestChecker().faults(responses(list))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      delimiter = '|',
      textBlock =
          """
          U,C,U | no tool output found for [c1]
          U,R | no tool call found for c1
          U,C,R,R | no tool call found for c1
          U,C,C,R | has the call_id of another call: c1
          U,T | reasoning without its following item: rs_1
          U,T,U | stands between the reasoning rs_1 and what follows of it
          U,{'type':'reasoning','id':'rs_2','summary':[]},C,R | items are not persisted
          U,{'type':'item_reference','id':'msg_1'} | items are not persisted
          U,{'type':'function_call','id':'call_9','call_id':'c1','name':'f','arguments':'{}'},R | expected an id that begins fc_
          U,{'type':'function_call','id':'fc_1','call_id':'c1','name':'f','arguments':'{}'},R | without its required reasoning item: rs_1
          U,T,C,R,T,C | duplicate item found with id rs_1
          U,{'type':'function_call','call_id':'c1','name':'f','arguments':'cut'},R | must be a string that holds a JSON object
          U,{'type':'tool_search_call','call_id':'c1','execution':'client','arguments':{}},R | no tool call found for c1
          U,{'type':'web_search_call','status':'completed'} | must have an id
          {'role':'assistant','content':[{'type':'input_text','text':'a'}]} | has a wrong type: input_text
          {'role':'user','content':[{'type':'output_text','text':'a'}]} | has a wrong type: output_text
          {'role':'user','content':[{'type':'input_text','text':''}]} | must be a text that is not blank
          {'role':'user','content':'a','refusal':'no'} | refusal: is not permitted
          {'type':'unheard_of'} | has an unknown type: unheard_of
          """)
  void saysWhatOpenAiRefuses(String list, String fault) {
    RequestChecker checker = new ResponsesRequestChecker(Map.of("fc_1", "rs_1"), Set.of());

    assertThat(checker.faults(responses(list)))
        .anySatisfy(said -> assertThat(said).contains(fault));
  }
}

package io.memorygateway.format.translation;

import static io.memorygateway.testing.HostileText.assertLinear;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.memorygateway.format.Format;
import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.responses.ResponsesFormat;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.MalformedJsonException;
import io.memorygateway.observation.text.TokenCounter;
import io.memorygateway.proxy.count.Uncounted;
import io.memorygateway.proxy.route.Endpoint;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** To translate a call or an answer takes work in proportion to its length, whatever is in it. */
@Tag("heavy")
class LinearTranslationTest {
  private static final int PARTS = 300;
  private static final List<Format> FORMATS =
      List.of(new ChatFormat(), new MessagesFormat(), new ResponsesFormat());
  private static final Map<String, Endpoint> ENDPOINTS =
      Map.of("CHAT", Endpoint.CHAT, "MESSAGES", Endpoint.MESSAGES, "RESPONSES", Endpoint.RESPONSES);

  /** What stands in a call many times: {@code @} is its number. */
  static List<List<String>> repeated() {
    return List.of(
        // Conversations.
        List.of(
            "'messages':[", "{'role':'user','content':'a@'},", "{'role':'user','content':'z'}]"),
        List.of(
            "'messages':[",
            "{'role':'assistant','tool_calls':[{'id':'c@','type':'function','function':{'name':'f@','arguments':'{}'}}]},{'role':'tool','tool_call_id':'c@','content':'r'},",
            "{'role':'user','content':'z'}]"),
        List.of(
            "'messages':[",
            "{'role':'assistant','tool_calls':[{'id':'c','type':'function','function':{'name':'f f','arguments':'x'}}]},{'role':'tool','tool_call_id':'c','content':'r'},",
            "{'role':'user','content':'z'}]"),
        List.of(
            "'messages':[{'role':'assistant','content':null,'tool_calls':[",
            "{'id':'c@','type':'function','function':{'name':'f','arguments':'{}'}},",
            "{'id':'z','type':'function','function':{'name':'f','arguments':'{}'}}]}]"),
        List.of(
            "'messages':[",
            "{'role':'tool','tool_call_id':'c@','content':'r'},",
            "{'role':'user','content':'z'}]"),
        List.of(
            "'messages':[", "{'role':'system','content':'a@'},", "{'role':'user','content':'z'}]"),
        List.of(
            "'messages':[{'role':'user','content':[",
            "{'type':'text','text':'a'},{'type':'image_url','image_url':{'url':'data:image/png;base64,AAAA'}},{'type':'image','source':{'type':'base64','media_type':'image/png','data':'AAAA'}},",
            "{'type':'text','text':'z'}]}]"),
        List.of(
            "'messages':[",
            "{'role':'assistant','content':[{'type':'thinking','thinking':'t','signature':'s@'},{'type':'tool_use','id':'c@','name':'f','input':{}}]},{'role':'user','content':[{'type':'tool_result','tool_use_id':'c@','content':'r'}]},",
            "{'role':'user','content':'z'}]"),
        List.of(
            "'messages':[{'role':'assistant','content':[",
            "{'type':'server_tool_use','id':'c@','name':'web_search','input':{}},{'type':'web_search_tool_result','tool_use_id':'c@','content':[]},{'type':'text','text':'a','citations':[{'type':'char_location','cited_text':'x'}]},",
            "{'type':'text','text':'z'}]},{'role':'user','content':'z'}]"),
        List.of(
            "'messages':[{'role':'user','content':[",
            "{'type':'tool_addition','tool':{'definition':{'name':'f@','input_schema':{'type':'object'}}}},{'type':'tool_removal','tool':{'name':'f@'}},",
            "{'type':'text','text':'z'}]}]"),
        List.of(
            "'messages':[{'role':'assistant','reasoning_details':[",
            "{'type':'reasoning.encrypted','data':'d@','id':'i@'},",
            "{'type':'reasoning.text','text':'t'}],'content':'z'}]"),
        List.of(
            "'input':[",
            "{'type':'reasoning','id':'rs_@','summary':[],'encrypted_content':'e'},{'type':'function_call','call_id':'c@','name':'f','arguments':'{}'},{'type':'function_call_output','call_id':'c@','output':'r'},",
            "{'role':'user','content':'z'}]"),
        List.of(
            "'input':[", "{'type':'item_reference','id':'i@'},", "{'role':'user','content':'z'}]"),
        List.of(
            "'input':[",
            "{'type':'additional_tools','tools':[{'type':'function','name':'f@','parameters':{}}]},",
            "{'role':'user','content':'z'}]"),
        List.of(
            "'input':[",
            "{'type':'shell_call','call_id':'c','action':{}},{'type':'local_shell_call_output','id':'c','output':''},",
            "{'role':'user','content':'z'}]"),
        // Tools and their schemas.
        List.of(
            "'messages':[],'input':[],'tools':[",
            "{'type':'function','name':'f@','function':{'name':'f@','strict':true,'parameters':{'type':'object','properties':{},'additionalProperties':false}},'input_schema':{'type':'object'}},",
            "{'type':'web_search'}]"),
        List.of(
            tool() + "{'type':'object','properties':{", "'p@':{'type':'string'},", "'z':{}}}}}]"),
        List.of(
            tool() + "{'type':'object','required':[",
            "'p@',",
            "'z'],'additionalProperties':false,'properties':{'z':{}}}}}]"),
        List.of(
            tool() + "{'type':'object','anyOf':[",
            "{'properties':{'p@':{'type':'string'}},'required':['p@']},",
            "{'properties':{'z':{}}}]}}}]"),
        List.of(
            tool() + "{'type':'object','$defs':{",
            "'d@':{'anyOf':[{'$ref':'#/$defs/d@'},{'type':'null'}]},",
            "'z':{}},'properties':{'z':{'$ref':'#/$defs/z'}}}}}]"),
        // The schema of the answer.
        List.of(
            schema() + "{'type':'object','properties':{", "'p@':{'type':'string'},", "'z':{}}}"),
        List.of(
            schema() + "{'oneOf':[",
            "{'type':'object','required':['p'],'properties':{'p':{'const':'@'}}},",
            "{}]}"),
        List.of(schema() + "{'anyOf':[", "{'type':'object','allOf':[{'$ref':'#/a@'}]},", "{}]}"),
        List.of(schema() + "{'type':'string','enum':[", "'e@',", "'z']}"),
        List.of(schema() + "{", "'x-@':{'a':[1]},", "'type':'object'}"),
        // Settings.
        List.of("'messages':[],'input':[],'stop':[", "'s@',", "'z'],'stop_sequences':['z']"),
        List.of("'messages':[],'input':[],'metadata':{", "'m@':'x',", "'z':'z'}"),
        List.of("'messages':[],'input':[],'logit_bias':{", "'@':1,", "'z':1}"),
        List.of(
            "'messages':[],'input':[],'system':[",
            "{'type':'text','text':'a@'},",
            "{'type':'text','text':'z'}]"),
        List.of("'messages':[],'input':[],", "'x@':{'a':[1,'b']},", "'z':1"));
  }

  private static String tool() {
    return "'messages':[],'input':[],'tools':[{'type':'function','name':'f','function':{'name':'f','strict':true,'parameters':";
  }

  private static String schema() {
    return "'messages':[],'input':[],'response_format':{'type':'json_schema','json_schema':{'name':'n','strict':true,'schema':";
  }

  @ParameterizedTest
  @MethodSource("repeated")
  void callsAreTranslatedAndCounted(List<String> call) {
    String begin = call.get(0);
    String end = "}".repeat(begin.startsWith(schema()) ? 2 : 0);
    IntFunction<String> part = i -> call.get(1).replace("@", "" + i);
    assertLinear(PARTS, part, parts -> translate("{" + begin + parts + call.get(2) + end + "}"));
  }

  /** Of alternatives, each is compared with each. */
  @Test
  void alternativesOfSchemasAreToldApart() {
    IntFunction<String> names =
        i ->
            IntStream.range(0, 32)
                .mapToObj(j -> "'p%d.%d',".formatted(i, j))
                .collect(Collectors.joining());
    assertLinear(
        5,
        names,
        all ->
            translate(
                "{"
                    + schema()
                    + "{'oneOf':["
                    + "{'type':'object','required':[%s'z'],'properties':{'y':{}}},"
                        .formatted(all)
                        .repeat(20)
                    + "{}]}}}}"));
  }

  private static void translate(String call) {
    String json = call.replace('\'', '"');
    for (Format called : FORMATS) {
      Translator from = called.translator();
      byte[] body = json.getBytes(UTF_8);
      try {
        Uncounted.Input input =
            Uncounted.input(
                ENDPOINTS.get(from.shape().name()),
                body,
                JsonValue.parse(body),
                true,
                true,
                TokenCounter.ofBytes());
        if (input.tokens() < 0) {
          throw new IllegalStateException();
        }
      } catch (MalformedJsonException e) {
        throw new IllegalStateException(json, e);
      }
      for (Format target : FORMATS) {
        if (target != called) {
          try {
            TranslationPairsTest.translation(from, target.translator(), json, "m");
          } catch (MalformedBodyException e) {
            // as some are for some
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        }
      }
    }
  }

  /** What stands in an answer many times. */
  static List<List<String>> answers() {
    return List.of(
        List.of(
            "{'choices':[{'message':{'role':'assistant','content':'a','tool_calls':[",
            "{'id':'c@','function':{'name':'f','arguments':'{}'}},",
            "{}]}}]}"),
        List.of(
            "{'choices':[{'message':{'role':'assistant','tool_calls':[",
            "{'id':'c','function':{'name':'f','arguments':'{'}},",
            "{}]}}]}"),
        List.of(
            "{'choices':[{'message':{'role':'assistant','content':'"
                + "a".repeat(200)
                + "','annotations':[",
            "{'type':'url_citation','url_citation':{'url':'u@','start_index':@,'end_index':150}},",
            "{}]}}]}"),
        List.of(
            "{'choices':[",
            "{'index':@,'message':{'content':'a'}},",
            "{'message':{'content':'a'}}]}"),
        List.of(
            "{'choices':[{'message':{'content':'a'},'logprobs':{'content':[",
            "{'token':'t@','logprob':-1,'top_logprobs':[{'token':'t','logprob':-1}]},",
            "{}]}}]}"),
        List.of(
            "{'role':'assistant','content':[",
            "{'type':'text','text':'a@','citations':[{'type':'web_search_result_location','url':'u@','cited_text':'c'}]},{'type':'tool_use','id':'c@','name':'f','input':{}},",
            "{'type':'thinking','thinking':'t','signature':'s'}]}"),
        List.of(
            "{'role':'assistant','content':[{'type':'text','text':'a','citations':[",
            "{'type':'char_location','cited_text':'c@','document_title':'t@'},",
            "{}]}]}"),
        List.of(
            "{'status':'completed','output':[",
            "{'type':'reasoning','id':'rs_@','summary':[{'type':'summary_text','text':'s'}]},{'type':'function_call','call_id':'c@','name':'f','arguments':'{}'},{'type':'web_search_call','id':'ws_@','action':{'query':'q'}},",
            "{'type':'message','content':[{'type':'output_text','text':'z'}]}]}"),
        List.of(
            "{'status':'completed','output':[{'type':'message','content':[",
            "{'type':'output_text','text':'a@','annotations':[{'type':'url_citation','url':'u','start_index':0,'end_index':1}]},{'type':'refusal','refusal':'r'},",
            "{'type':'output_text','text':'z'}]}]}"));
  }

  @ParameterizedTest
  @MethodSource("answers")
  void answersAreTranslated(List<String> answer) {
    IntFunction<String> part = i -> answer.get(1).replace("@", "" + i);
    assertLinear(
        PARTS,
        part,
        parts -> {
          String json = (answer.get(0) + parts + answer.get(2)).replace('\'', '"');
          for (Format called : FORMATS) {
            for (Format target : FORMATS) {
              if (called != target) {
                answered(called, target, json);
              }
            }
          }
        });
  }

  private static void answered(Format called, Format target, String json) {
    try {
      TranslatedStreams.answered(
          TranslatedStreams.open(called.translator(), target.translator()), json.getBytes(UTF_8));
      TranslatedStreams.told(
          TranslatedStreams.open(called.translator(), target.translator()), json.getBytes(UTF_8));
    } catch (IOException | RuntimeException e) {
      // as an answer of another format may be
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}

package io.memorygateway.format.align;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.content.StoredMessage;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Messages that say the same in different forms, and messages that do not. */
class NormalFormTest {

  @ParameterizedTest(name = "{1} = {2}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "user|'hi'|[{'type':'text','text':'hi'}]",
        "user|'hi'|[ {'text':'\\u0068i','type':'text','cache_control':{'type':'ephemeral'}} ]",
        "user|'hi'|[{'type':'input_text','text':'hi'}]",
        "user|'hi'|{'type':'message','role':'user','content':[{'type':'input_text','text':'hi'}]}",
        "user|'hi'|{'format':2,'parts':[{'type':'step-start'},{'type':'text','text':'hi'}]}",
        "user|'hi'|{'content':'hi','name':'bob'}",
        "assistant|'a b'|[{'type':'text','text':'a '},{'type':'text','text':'b\\n"
            + "','citations':[]}]",
        "assistant|'hi'|[{'type':'thinking','thinking':'t','signature':'s'},{'type':'text','text':'hi'}]",
        "assistant|'hi'|{'content':'hi','refusal':null,'annotations':[{'x':1}],'reasoning':'r'}",
        "assistant|'hi'|{'type':'message','id':'m','status':'completed','content':"
            + "[{'type':'output_text','text':'hi','annotations':[1],'logprobs':[]}]}",
        "assistant|'no'|{'content':null,'refusal':'no'}",
        "assistant|{'content':null,'tool_calls':[{'id':'c','type':'function','function':"
            + "{'name':'f','arguments':'{ \\\"b\\\":1.0, \\\"a\\\":[ ]}'}}]}"
            + "|[{'type':'tool_use','id':'c','name':'f','input':{'a':[],'b':1.0}}]",
        "assistant|[{'type':'tool_use','id':'c','name':'f','input':{}}]"
            + "|{'type':'function_call','id':'fc','call_id':'c','name':'f','arguments':'','status':'x'}",
        "assistant|{'type':'function_call','call_id':'c','name':'f','arguments':'{\\\"a\\\":1}'}"
            + "|[{'type':'tool-call','toolCallId':'c','toolName':'f','args':{'a':1}}]",
        "tool|{'tool_call_id':'c','content':'x','name':'f'}"
            + "|[{'type':'tool_result','tool_use_id':'c','content':[{'type':'text','text':'x'}]}]",
        "tool|{'tool_call_id':'c','content':'x'}|{'type':'function_call_output','call_id':'c','output':'x'}",
        "tool|{'tool_call_id':'c','content':'{}'}"
            + "|[{'type':'tool-result','toolCallId':'c','output':{'type':'json','value':{}}}]",
        "user|[{'type':'image_url','image_url':{'url':'data:image/png;base64,AA','detail':'low'}}]"
            + "|[{'type':'image','source':{'type':'base64','media_type':'image/png','data':'AA'}}]",
        "user|[{'type':'image_url','image_url':{'url':'http://x'}}]"
            + "|[{'type':'input_image','image_url':'http://x'}]",
        "user|[{'type':'input_file','file_data':'data:application/pdf;base64,AA'}]"
            + "|[{'type':'document','source':{'type':'base64','media_type':'application/pdf','data':'AA'}}]",
        "assistant|{'type':'function_call','call_id':'c','name':'f','arguments':'{\\\"a\\\":1}'}"
            + "|{'type':'function_call','call_id':'c','name':'f','arguments':'{\\\"a\\\":1.0}'}",
        "user|[{'type':'video_url','video_url':{'b':1,'a':2}}]"
            + "|[{'type':'video_url','video_url':{ 'a':2,'b':1},'cache_control':{}}]",
      })
  void equalWhereTheSameIsSaid(String role, String one, String other) {
    assertThat(atoms(role, other)).isEqualTo(atoms(role, one)).isNotEmpty();
  }

  @ParameterizedTest(name = "{1} /= {2}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "user|'hi'|'Hi'",
        "user|'hi '|'hi'",
        "user|'1'|'1.0'",
        "user|['a','b']|'ab'",
        "assistant|'a'|'b'",
        "assistant|{'type':'function_call','call_id':'c','name':'f','arguments':'{\\\"a\\\":1}'}"
            + "|{'type':'function_call','call_id':'c','name':'f','arguments':'{\\\"a\\\":2}'}",
        "assistant|{'type':'function_call','call_id':'c','name':'f','arguments':'{}'}"
            + "|{'type':'function_call','call_id':'d','name':'f','arguments':'{}'}",
        "user|[{'type':'input_image','image_url':'http://x'}]|[{'type':'input_image','image_url':'http://y'}]",
      })
  void differentWhereItIsNot(String role, String one, String other) {
    assertThat(atoms(role, other)).isNotEqualTo(atoms(role, one));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "system|'be kind'",
        "developer|'be kind'",
        "assistant|null",
        "assistant|{'type':'reasoning','id':'r','summary':[]}",
        "user|''",
        "user|[]",
      })
  void emptyWhereNothingIsSaidThatCounts(String role, String content) {
    assertThat(atoms(role, content)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "null",
        "1",
        "true",
        "not json",
        "{}",
        "[[]]",
        "[null,1,{}]",
        "{'parts':1}",
        "{'content':{}}",
        "{'tool_calls':[1,{'function':3}]}",
        "[{'type':'image'}]",
        "[{'type':'file'}]",
        "[{'type':'document','source':3}]",
        "[{'type':'tool_result'}]",
        "[{'type':'tool-invocation'}]",
        "[{'type':7}]",
        "{'type':'message'}",
        "[{'type':'image','source':{'type':'content'}}]",
        "[{'type':'image_url','image_url':5}]",
        "{'tool_call_id':{},'content':{}}",
      })
  void neverFails(String content) {
    for (String role : new String[] {"user", "assistant", "tool", "system"}) {
      atoms(role, content);
      StoredMessage.of(role, content.replace('\'', '"'));
    }
  }

  @Test
  void oneMessageOfAllThatSeveralSayJoinsThem() {
    String rules = "be brief ".repeat(100);
    NormalForm joined = form("user", "'" + rules + "\\n\\n" + "why?'");
    NormalForm first = form("user", "'" + rules + "'");
    NormalForm why = form("user", "[{'type':'text','text':'why?'}]");

    assertThat(joined.joins(List.of(first, why))).isTrue();
    assertThat(joined.joins(List.of(why, first))).isFalse();
    assertThat(joined.joins(List.of(first, form("user", "'who?'")))).isFalse();
    assertThat(joined.joins(List.of(first, form("assistant", "'why?'")))).isFalse();
    assertThat(joined.joins(List.of(first, why, form("user", "[{'type':'x'}]")))).isFalse();
    assertThat(why.joins(List.of(why))).as("it is no other").isFalse();
  }

  private static List<Atom> atoms(String role, String content) {
    return form(role, content).atoms();
  }

  private static NormalForm form(String role, String content) {
    String json = content.replace('\'', '"');
    return NormalForm.of(new StoredMessage(role, json, "text"));
  }
}

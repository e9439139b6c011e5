package io.memorygateway.format.chat;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.call.ProviderTraits;
import io.memorygateway.format.call.UpstreamModel;
import io.memorygateway.json.JsonValue;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §7: a request is not an answer; what only answers have is kept and not sent. */
class ChatEchoTest {
  private static final String CALL =
      "{'id':'c','type':'function','function':{'name':'f','arguments':'{}'}}";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      nullValues = "nothing",
      value = {
        "{'content':'a','refusal':null,'annotations':[{}],'x':1} | 'content':'a'",
        "{'content':'a','name':'n','reasoning_content':'t','reasoning':'t'} | 'content':'a','name':'n'",
        "{'content':'a','reasoning_details':[{'type':'x'}],'logprobs':{}} | 'content':'a'",
        "{'content':null,'refusal':'No.','annotations':[]} | 'content':null,'refusal':'No.'",
        "{'content':null,'tool_calls':[CALL],'refusal':null} | 'content':null,'tool_calls':[CALL]",
        "{'content':null,'reasoning_content':'t'} | nothing",
        "{'content':'a','tool_calls':[]} | 'content':'a'",
        "{'content':'','tool_calls':[CALL]} | 'content':'','tool_calls':[CALL]",
        "{'content':[{'type':'thinking','thinking':[]},{'type':'text','text':'a'}]} |"
            + " 'content':[{'type':'text','text':'a'}]",
        "{'content':[{'type':'thinking','thinking':[]}]} | nothing",
        "{'content':null,'audio':{'id':'i','data':'A','transcript':'a'}} | 'content':'a'",
        "{'content':'b','audio':{'id':'i','transcript':'a'}} | 'content':'b'",
        "{'audio':{'id':'i'}} | nothing",
        "{'content':null,'function_call':{'name':'f','arguments':'{}'}} |"
            + " 'content':null,'function_call':{'name':'f','arguments':'{}'}",
      })
  void onlyWhatRequestsHaveGoesToAProviderThatTakesNothing(String answer, String members) {
    assertThat(members(answer)).isEqualTo(members);
  }

  @Test
  void whatIsTranslatedHasTheTranscriptOfAnAudio() {
    String answer = "{\"content\":null,\"audio\":{\"id\":\"i\",\"transcript\":\"a\"}}";
    UpstreamModel model = new UpstreamModel("m", ProviderTraits.ALL, 100, "p", true);
    assertThat(new ChatEcho(model).members(JsonValue.of(answer), false))
        .isEqualTo("\"content\":\"a\"");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'content':'a','reasoning_content':'t','refusal':null} | 'content':'a','reasoning_content':'t'",
        "{'content':'a','reasoning':'t'} | 'content':'a','reasoning':'t'",
        "{'content':'a','reasoning_details':[{'index':0}]} | 'content':'a','reasoning_details':[{'index':0}]",
        "{'content':[{'type':'thinking','thinking':[]},{'type':'text','text':'a'}]} |"
            + " 'content':[{'type':'thinking','thinking':[]},{'type':'text','text':'a'}]",
        "{'content':null,'audio':{'id':'i','data':'A','expires_at':101,'transcript':'a'}} |"
            + " 'content':null,'audio':{'id':'i'}",
        "{'content':null,'audio':{'id':'i','data':'A','expires_at':100,'transcript':'a'}} |"
            + " 'content':'a'",
        "{'content':'a','annotations':[{}],'logprobs':{},'newest':1.0} | 'content':'a','newest':1.0",
      })
  void whatTheMakerTakesBackGoesToIt(String answer, String members) {
    assertThat(members(answer, ProviderTraits.ALL.reasoning().toArray(String[]::new)))
        .isEqualTo(members);
  }

  @Test
  void aSignatureOfACallGoesWhereItIsTaken() {
    String signed = CALL.substring(0, CALL.length() - 1) + ",'extra_content':{'s':1}}";
    String answer = "{'tool_calls':[" + signed.replace("'type'", "'index':0,'type'") + "]}";

    assertThat(members(answer)).isEqualTo("'tool_calls':[CALL]");
    assertThat(members(answer, "extra_content")).isEqualTo("'tool_calls':[" + signed + "]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"prefix", "partial"})
  void anAnswerIsBegunAtTheEndAlone(String mark) {
    JsonValue begun = JsonValue.of("{\"content\":\"a\",\"" + mark + "\":true}");
    ChatEcho echo = new ChatEcho(new UpstreamModel("m", ProviderTraits.ALL, 100));

    assertThat(echo.members(begun, true)).contains(mark);
    assertThat(echo.members(begun, false)).isEqualTo("\"content\":\"a\"");
  }

  @Test
  void argumentsThatAreNoObjectGoInOne() {
    String broken = "{'tool_calls':[" + CALL.replace("{}'", "{ cut'") + "]}";

    assertThat(members(broken).replace("\\'", "^"))
        .isEqualTo(
            "'tool_calls':[{'id':'c','type':'function','function':{'name':'f','arguments':'{^arguments^:^{ cut^}'}}]");
  }

  private static String members(String answer, String... taken) {
    ProviderTraits traits = new ProviderTraits(Set.of(taken), false, true);
    String json = answer.replace("CALL", CALL).replace('\'', '"');
    String members =
        new ChatEcho(new UpstreamModel("m", traits, 100)).members(JsonValue.of(json), false);
    return members == null ? null : members.replace('"', '\'').replace(CALL, "CALL");
  }
}

package io.memorygateway.format.responses;

import static io.memorygateway.format.Calls.render;
import static io.memorygateway.format.Calls.stored;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.Format;
import io.memorygateway.format.Talk;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §7: what only answers have is kept and not sent; JSON in single quotes. */
class ResponsesEchoTest {
  private static final String SAID =
      "{'type':'message','id':'msg_1','role':'assistant','content':[{'type':'output_text','text':'b'}]}";

  private final Format responses = new ResponsesFormat();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "'type':'image_generation_call','id':'ig_1','action':'edit','result':'A','size':'1x1'|'type':'image_generation_call','id':'ig_1','result':'A'",
        "'type':'image_generation_call','id':'ig_1','status':'failed','result':null|",
        "'type':'web_search_call','id':'ws_1','status':'failed','action':{}|'type':'web_search_call','id':'ws_1','status':'failed','action':{}",
        "'type':'compaction','id':'cmp_1','created_by':'u','encrypted_content':'e'|'type':'compaction','id':'cmp_1','encrypted_content':'e'",
        "'type':'reasoning','id':'rs_1','status':null,'summary':[],'content':[{'text':'t'}],'encrypted_content':'e'|'type':'reasoning','id':'rs_1','summary':[],'encrypted_content':'e'",
        "'type':'reasoning','id':'item_1','summary':[],'encrypted_content':'e'|'type':'reasoning','summary':[],'encrypted_content':'e'",
      })
  void sendsOfAnItemOnlyWhatARequestHas(String item, String sent) {
    String up = render(responses, stored("assistant", "{" + item + "}"), stored("assistant", SAID));

    assertThat(up).isEqualTo((sent == null ? "" : "{" + sent + "},") + SAID + ",");
  }

  @Test
  void sendsOfCallsAndResultsOnlyWhatARequestHas() {
    String made = ",'created_by':'u'";
    String shell = "{'type':'shell_call','id':'sh_1','call_id':'c'%s,'action':{}}";
    String printed = "{'stdout':'a'%s}";
    String result = "{'type':'shell_call_output','call_id':'c','output':[%s]%s}";
    String looks = "{'type':'computer_call','id':'cu_1','call_id':'d','actions':[]%s}";
    String screen =
        "{'type':'computer_call_output','call_id':'d','output':{'type':'computer_screenshot'}%s}";
    String up =
        render(
            responses,
            Talk.user("a"),
            stored("assistant", shell.formatted(made)),
            stored("assistant", result.formatted(printed.formatted(made), made)),
            stored("assistant", looks.formatted(",'pending_safety_checks':[]")),
            stored("tool", screen.formatted(",'acknowledged_safety_checks':[]")));

    assertThat(up)
        .isEqualTo(
            "{'role':'user','content':'a'},"
                + shell.formatted("")
                + ","
                + result.formatted(printed.formatted(""), "")
                + ","
                + looks.formatted("")
                + ","
                + screen.formatted("")
                + ",");
  }

  /** Those of other servers, of which a thread may be; nothing else is told by them. */
  @ParameterizedTest
  @CsvSource({
    "msg_1,true",
    "item_1,false",
    "fc_1,false",
    "msg_0123456789012345678901234567890123456789012345678901234567890123,false"
  })
  void sendsNoIdThatOpenAiRefuses(String id, boolean sent) {
    String up = render(responses, Talk.user("a"), stored("assistant", SAID.replace("msg_1", id)));

    assertThat(up).contains("'text':'b'");
    assertThat(up.contains("'id'")).isEqualTo(sent);
  }

  @Test
  void safetyChecksThatArePendingAreSent() {
    String looks =
        "{'type':'computer_call','id':'cu_1','call_id':'d','pending_safety_checks':[{'id':'s'}]}";
    String screen = "{'type':'computer_call_output','call_id':'d','output':{'type':'x'}}";

    assertThat(render(responses, stored("assistant", looks), stored("tool", screen)))
        .isEqualTo(looks + "," + screen + ",");
  }
}

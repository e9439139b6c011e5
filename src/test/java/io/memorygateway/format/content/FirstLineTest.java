package io.memorygateway.format.content;

import static io.memorygateway.format.Calls.json;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.json.JsonValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A line before a stored message's text, in single quotes; all else stays verbatim. */
class FirstLineTest {
  @Test
  void ofATextItIsItsFirstLine() {
    assertThat(added("'b\\u0063'")).isEqualTo("'line\\nbc'");
  }

  @Test
  void ofPartsItIsAPartBeforeTheFirstText() {
    assertThat(added("[{'type':'text','text': 'b'}]"))
        .isEqualTo("[{'type':'text','text':'line'},{'type':'text','text': 'b'}]");
    assertThat(added("[{'type':'image'},{'type':'text','text':'b'},{'type':'text','text':'c'}]"))
        .isEqualTo(
            "[{'type':'image'},{'type':'text','text':'line'},"
                + "{'type':'text','text':'b'},{'type':'text','text':'c'}]");
    assertThat(added("['b','c']")).isEqualTo("['line','b','c']");
  }

  @Test
  void ofPartsOfResponsesItIsOfTheirType() {
    assertThat(added("[{'type':'input_image'},{'type':'input_text','text':'b'}]"))
        .isEqualTo(
            "[{'type':'input_image'},{'type':'input_text','text':'line'},"
                + "{'type':'input_text','text':'b'}]");
    assertThat(added("{'type':'message','content':[{'type':'newest'}]}"))
        .isEqualTo(
            "{'type':'message','content':[{'type':'input_text','text':'line'},{'type':'newest'}]}");
  }

  @Test
  void ofPartsWithoutTextItIsTheFirst() {
    assertThat(added("[{'type':'image'},{'type':'file'}]"))
        .isEqualTo("[{'type':'text','text':'line'},{'type':'image'},{'type':'file'}]");
  }

  @Test
  void ofAMessageWithMembersItIsInItsPartsOrElseItsContent() {
    assertThat(added("{'parts':['b'],'content':'c','x':1}"))
        .isEqualTo("{'parts':['line','b'],'content':'c','x':1}");
    assertThat(added("{'content':'c','x':1}")).isEqualTo("{'content':'line\\nc','x':1}");
    assertThat(added("{'parts':[],'content':'c'}")).isEqualTo("{'parts':[],'content':'line\\nc'}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1",
        "null",
        "[]",
        "{}",
        "{'content':{'content':'c'}}",
        "{'tool_call_id':'t','content':'c'}"
      })
  void whatCannotHoldALineHasNone(String content) {
    assertThat(FirstLine.add(JsonValue.of(json(content)), "line")).isNull();
  }

  private static String added(String content) {
    String added = FirstLine.add(JsonValue.of(json(content)), "line");
    return added == null ? "" : added.replace('"', '\'');
  }
}

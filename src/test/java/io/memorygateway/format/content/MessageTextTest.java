package io.memorygateway.format.content;

import static io.memorygateway.format.Calls.json;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What of a stored message can be found by its words. */
class MessageTextTest {
  @Test
  void textsAreEachOnALine() {
    assertThat(text("'a b'")).isEqualTo("a b\n");
    assertThat(text("[{'type':'text','text':'a'},{'type':'text','text':'b'}]")).isEqualTo("a\nb\n");
  }

  @Test
  void nameAndArgumentsOfAToolAndItsResultAreSearchable() {
    assertThat(text("[{'type':'tool_use','id':'t','name':'weather','input':{'city':'Bern'}}]"))
        .contains("weather\n")
        .contains("Bern");
    assertThat(text("[{'type':'tool_result','tool_use_id':'t','content':'sunny'}]"))
        .contains("sunny\n");
  }

  @Test
  void anAttachmentIsSearchableByItsNameAndItsText() {
    assertThat(
            text(
                "[{'type':'document','title':'report','source':{'type':'text',"
                    + "'media_type':'text/plain','data':'the figures'}}]"))
        .contains("report\n")
        .contains("the figures\n");
    assertThat(
            text(
                "[{'type':'image_url','image_url':"
                    + "{'url':'https://example.com/a/cat.png?size=1'}}]"))
        .isEqualTo("cat.png\n");
  }

  @Test
  void ofAPartThatOneProviderKnowsItsDataIsNotSearchable() {
    String data = "iVBORw0KGgo".repeat(100);
    String chinese = "画一只猫".repeat(200);
    assertThat(
            text(
                "[{'type':'image_generation_call','result':'%s\\/','said':'%s','revised_prompt':'a \\\"cat\\\"'}]"
                    .formatted(data, chinese)))
        .isEqualTo(
            json(
                "{'type':'image_generation_call','result':'…','said':'%s','revised_prompt':'a \\\"cat\\\"'}\n"
                    .formatted(chinese)));
  }

  @Test
  void linesAndEscapedLettersOfAPartThatOneProviderKnowsAreSearchable() {
    String lines = "row,0\\n".repeat(200);
    String letters = "\\u4f60".repeat(100);
    assertThat(text("[{'type':'new','logs':'%s','said':'%s'}]".formatted(lines, letters)))
        .isEqualTo(json("{'type':'new','logs':'%s','said':'%s'}\n".formatted(lines, letters)));
  }

  @Test
  void onlyTheBeginningOfALargeMessageIsSearchable() {
    String half = "a".repeat(MessageText.MAX_CHARACTERS / 2 + 10);
    String parts =
        "[{'type':'text','text':'%s'},{'type':'text','text':'%s'},{'type':'text','text':'c'}]"
            .formatted(half, half.replace('a', 'b'));
    assertThat(text(parts))
        .hasSize(MessageText.MAX_CHARACTERS + 1)
        .startsWith(half + "\nb")
        .endsWith("b\n");
  }

  private static String text(String content) {
    return MessageText.of(json(content));
  }
}

package io.memorygateway.format.content;

import static io.memorygateway.format.Calls.json;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.content.MessagePiece.Attachment;
import io.memorygateway.format.content.MessagePiece.Other;
import io.memorygateway.format.content.MessagePiece.Reasoning;
import io.memorygateway.format.content.MessagePiece.Text;
import io.memorygateway.format.content.MessagePiece.ToolCall;
import io.memorygateway.format.content.MessagePiece.ToolResult;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What readers that count or describe a message see of it. */
class MessagePieceTest {
  @Test
  void aMessageIsTextsCallsResultsAndReasoningInTheirOrder() {
    String thought = "{'type':'thinking','thinking':'hm','signature':'s'}";
    assertThat(
            pieces(
                "["
                    + thought
                    + ",{'type':'text','text':'a'},"
                    + "{'type':'tool_use','id':'c','name':'f','input':{'n':1.0}},"
                    + "{'type':'new_thing','y':1e2}]"))
        .containsExactly(
            new Reasoning(json(thought)),
            new Text("a"),
            new ToolCall("c", "f", json("{'n':1.0}")),
            new Other(json("{'type':'new_thing','y':1e2}")));
    assertThat(
            pieces(
                "[{'type':'tool_result','tool_use_id':'c','is_error':true,"
                    + "'content':[{'type':'text','text':'x'}]}]"))
        .containsExactly(new ToolResult("c", List.of(new Text("x")), true));
    assertThat(pieces("null")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{'type':'image_url','image_url':{'url':'https://x/a/cat.png?size=1#top'}}|true |cat.png",
        "{'type':'image_url','image_url':{'url':'https://x/a/b//'}}              |true |b",
        "{'type':'image_url','image_url':{'url':'data:image/gif;base64,AA'}}     |true |image/gif",
        "{'type':'input_image','file_id':'file-1'}                               |true |file-1",
        "{'type':'image','source':{'type':'base64','data':'AA'}}                 |true |image",
        "{'type':'input_file','filename':'a.pdf','file_id':'file-1'}             |false|a.pdf",
        "{'type':'input_file','filename':' ','file_id':'file-1'}                 |false|file-1",
        "{'type':'document','source':{'type':'base64','data':'AA'}}              |false|file",
      })
  void anAttachmentHasTheNameOfItsFileOrOfItsUrlOrElseOfItsType(
      String part, boolean image, String name) {
    assertThat(pieces("[" + part + "]"))
        .singleElement()
        .isInstanceOfSatisfying(
            Attachment.class,
            attachment -> {
              assertThat(attachment.image()).isEqualTo(image);
              assertThat(attachment.name()).isEqualTo(name);
              assertThat(attachment.text()).isNull();
            });
  }

  @Test
  void contentOfMoreThan50000ValuesIsOnePieceVerbatim() {
    String fits = "[" + "0,".repeat(49_998) + "0]";
    assertThat(MessagePiece.of(fits)).hasSize(49_999);
    String more = "[" + "0,".repeat(49_999) + "0]";
    assertThat(MessagePiece.of(more)).containsExactly(new Other(more));
  }

  private static List<MessagePiece> pieces(String content) {
    return MessagePiece.of(json(content));
  }
}

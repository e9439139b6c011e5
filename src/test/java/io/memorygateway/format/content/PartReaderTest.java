package io.memorygateway.format.content;

import static io.memorygateway.format.Calls.json;
import static io.memorygateway.format.Calls.render;
import static io.memorygateway.format.Calls.stored;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.Calls;
import io.memorygateway.format.Format;
import io.memorygateway.format.Talk;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.responses.ResponsesFormat;
import io.memorygateway.json.JsonValue;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A part knows the endpoint that it came by; JSON in single quotes. */
class PartReaderTest {
  private static final String NEWEST = "{'type':'newest','state':{'a':1.0}}";

  private final Format chat = new ChatFormat();
  private final Format messages = new MessagesFormat();
  private final Format responses = new ResponsesFormat();

  /** By the form of the content alone: nothing else is stored with a message. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "[{'type':'newest'}] | MESSAGES",
        "{'content':[{'type':'newest'}]} | CHAT",
        "{'type':'newest'} | RESPONSES",
        "{'type':'message','role':'user','content':[{'type':'newest'}]} | RESPONSES",
        "{'parts':[{'type':'newest'}]} | FOREIGN",
        "[{'type':'newest'},{'type':'image_url','image_url':{'url':'a'}}] | CHAT",
        "[{'type':'newest'},{'type':'input_text','text':'a'}] | RESPONSES",
        "{'content':[{'type':'newest'},{'type':'tool_use','id':'t','name':'f'}],'id':'m'} | MESSAGES",
        "[{'type':'video_url','video_url':{}}] | CHAT",
        "[{'type':'data-weather','data':1}] | FOREIGN",
        "[{'type':'newest','sourceType':'url'}] | FOREIGN",
        "{'type':'data-weather','data':1} | FOREIGN",
        "{'content':[{'type':'data-weather','isNew':1}]} | CHAT",
        "[{'state':1}] | FOREIGN",
        "[{'type':'tool_result','tool_use_id':'t','content':[{'type':'newest'}]}] | MESSAGES",
        "{'tool_call_id':'t','content':[{'type':'newest'}]} | CHAT",
        "{'type':'function_call_output','call_id':'t','output':[{'type':'newest'}]} | RESPONSES",
      })
  void anUnknownPartIsOfTheEndpointWhoseFormItsContentHas(String content, Shape shape) {
    Part part = PartReader.read(JsonValue.of(json(content))).get(0);
    Part unknown = part instanceof Part.ToolResult result ? result.content().get(0) : part;

    assertThat(unknown).isInstanceOf(Part.Other.class);
    assertThat(unknown.shape()).isEqualTo(shape);
  }

  @Test
  void aThoughtInAMessageOfChatIsItsMakers() {
    String thought = "{'type':'thinking','thinking':[{'type':'text','text':'So.'}]}";
    String content = "{'content':[" + thought + ",{'type':'text','text':'Yes.'}]}";

    assertThat(render(chat, Talk.user("a"), stored("assistant", content))).contains(thought);
    assertThat(render(messages, Talk.user("a"), stored("assistant", content)))
        .doesNotContain("thinking")
        .contains("Yes.");
  }

  @Test
  void aNewPartOfACallerGoesBackInItsPlaceByTheEndpointThatItCameBy() {
    String parts = "[{'type':'text','text':'a'}," + NEWEST + ",{'type':'text','text':'b'}]";
    String input = parts.replace("'text','text'", "'input_text','text'");

    for (Format format : List.of(chat, messages)) {
      assertThat(again(format, "messages", parts)).containsOnlyOnce(parts);
    }
    assertThat(again(responses, "input", input)).containsOnlyOnce(input);
    assertThat(again(responses, "input", "[" + NEWEST + "]")).containsOnlyOnce(NEWEST);
  }

  @ParameterizedTest
  @ValueSource(strings = {"assistant", "user"})
  void anUnknownPartDoesNotGoToAnotherEndpoint(String role) {
    String said = "{'type':'text','text':'a'}";
    String ofChat = "{'content':[" + said + "," + NEWEST + "]}";
    String ofMessages = "[" + said + "," + NEWEST + "]";
    String ofResponses = "{'type':'message','role':'" + role + "','content':" + ofMessages + "}";

    assertThat(render(messages, stored(role, ofChat), Talk.user("b"))).doesNotContain("newest");
    assertThat(render(responses, stored(role, ofChat), Talk.user("b"))).doesNotContain("newest");
    assertThat(render(chat, stored(role, ofMessages), Talk.user("b"))).doesNotContain("newest");
    assertThat(render(responses, stored(role, ofMessages), Talk.user("b")))
        .doesNotContain("newest");
    assertThat(render(chat, stored(role, ofResponses), Talk.user("b"))).doesNotContain("newest");
    assertThat(render(messages, stored(role, ofResponses), Talk.user("b")))
        .doesNotContain("newest");
  }

  @Test
  void partsThatAreKnownByTheirNamesAreStoredBare() {
    String ofChat =
        "[{'type':'text','text':'a'},{'type':'image_url','image_url':{'url':'u'}},"
            + "{'type':'input_audio','input_audio':{'data':'x','format':'wav'}}]";
    String ofResponses = "[{'type':'input_text','text':'a'}]";

    assertThat(message(ofChat, Shape.CHAT)).isEqualTo(ofChat);
    assertThat(message(ofResponses, Shape.RESPONSES)).isEqualTo(ofResponses);
    assertThat(message("[" + NEWEST + "]", Shape.MESSAGES)).isEqualTo("[" + NEWEST + "]");
    assertThat(message("[" + NEWEST + "]", Shape.CHAT)).isEqualTo("{'content':[" + NEWEST + "]}");
    assertThat(message("[" + NEWEST + "]", Shape.RESPONSES))
        .isEqualTo("{'type':'message','role':'user','content':[" + NEWEST + "]}");
  }

  /** What goes up in the next call of a message with such content. */
  private static String again(Format format, String member, String content) {
    String message = "[{'role':'user','content':" + content + "}]";
    String list = content.equals("[" + NEWEST + "]") ? content : message;
    String body = "{'model':'m','" + member + "':" + list + "}";
    List<StoredMessage> thread = Calls.read(format, json(body)).messages();
    StoredMessage[] more = {thread.get(0), Talk.answer("Well.")};
    return render(format, more);
  }

  private static String message(String content, Shape endpoint) {
    JsonValue message = JsonValue.of(json("{'role':'user','content':" + content + "}"));
    return StoredMessage.ofMessage(message, endpoint).content().replace('"', '\'');
  }
}

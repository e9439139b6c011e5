package io.memorygateway.format.translation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.format.Calls;
import io.memorygateway.format.Format;
import io.memorygateway.format.StrictProvider;
import io.memorygateway.format.call.Conversation;
import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.call.MemoryContext;
import io.memorygateway.format.call.ProviderTraits;
import io.memorygateway.format.call.UpstreamModel;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.content.Shape;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.responses.ResponsesFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Contract §14: a thread may go on from any format to any target. Whatever was stored, a call of
 * any format that says but a text is taken, and the text of what the thread has goes up.
 */
class StoredPartsTest {
  private static final Pattern WORD = Pattern.compile("W\\d~");

  private static final UpstreamModel MODEL =
      new UpstreamModel("m", ProviderTraits.ALL, 0, "", true);

  private static final Terms TERMS = new Terms(MODEL, "maker", 100, "max_tokens", false, "key");

  private static final Map<Shape, Format> FORMATS =
      Map.of(
          Shape.CHAT, new ChatFormat(),
          Shape.MESSAGES, new MessagesFormat(),
          Shape.RESPONSES, new ResponsesFormat());

  private static final Map<Shape, String> PATHS =
      Map.of(
          Shape.CHAT, "/chat/completions",
          Shape.MESSAGES, "/messages",
          Shape.RESPONSES, "/responses");

  private static final String CHAT_CALL =
      "assistant {'content':null,'tool_calls':[{'id':'c','type':'function','function':{'name':'f','arguments':'{}'}}]} | ";
  private static final String MESSAGES_CALL =
      "assistant [{'type':'tool_use','id':'c','name':'f','input':{}}] | ";
  private static final String RESPONSES_CALL =
      "assistant {'type':'function_call','call_id':'c','name':'f','arguments':'{}'} | ";
  private static final String AUDIO =
      "{'type':'input_audio','input_audio':{'data':'AAAA','format':'wav'}}";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "user [{'type':'text','text':'W1~'}," + AUDIO + "]",
        "user [" + AUDIO + "]",
        "user [{'type':'text','text':'W1~'},{'type':'file','file':{'file_id':'file-1'}}]",
        "user [{'type':'file','file':{'file_id':'file-1'}}]",
        "user {'type':'text','text':'W1~'}",
        "user {'odd':'x'}",
        "user {'content':5}",
        "assistant {'content':{'odd':1}}",
        "assistant {'content':null,'audio':{'id':'a1','transcript':'W1~','data':'AA'}}",
        "assistant {'content':null,'refusal':'W1~'}",
        "assistant {'content':[{'type':'refusal','refusal':'W1~'}]}",
        "assistant {'content':null,'function_call':{'name':'f','arguments':'{}'}} | tool {'name':'f','content':'W1~'}",
        CHAT_CALL + "tool {'tool_call_id':'c','content':{'odd':'W1~'}}",
        CHAT_CALL + "tool {'tool_call_id':'c','content':5}",
        CHAT_CALL + "tool {'tool_call_id':'c','content':[{'odd':'W1~'}]}",
        CHAT_CALL
            + "tool {'tool_call_id':'c','content':[{'type':'text','text':'W1~'},"
            + AUDIO
            + "]}",
        "user [{'type':'text','text':'W1~'},{'type':'document','source':{'type':'file','file_id':'f'},'title':'W2~','context':'W3~'}]",
        "user [{'type':'image','source':{'type':'file','file_id':'f'}}]",
        "user [{'type':'document','source':{'type':'content','content':[{'type':'text','text':'W1~'},{'type':'image','source':{'type':'file','file_id':'f'}}]},'context':'W2~'}]",
        "user [{'type':'document','source':{'type':'text','media_type':'text/plain','data':'W1~'},'title':'W2~','context':'W3~'}]",
        "user [{'type':'search_result','title':'W1~','source':'W2~','content':[{'type':'text','text':'W3~'}]}]",
        "user [{'type':'text','text':'W1~'},{'type':'container_upload','file_id':'f'}]",
        "assistant [{'type':'compaction','content':'W1~'}]",
        "assistant [{'type':'mcp_tool_use','id':'s','name':'m','server_name':'s','input':{}},{'type':'mcp_tool_result','tool_use_id':'s','content':[{'type':'text','text':'W1~'}]},{'type':'text','text':'W2~'}]",
        "assistant [{'type':'mcp_tool_use','id':'s','name':'m','server_name':'s','input':{}},{'type':'mcp_tool_result','tool_use_id':'s','content':'W1~'},{'type':'text','text':'W2~'}]",
        "assistant [{'type':'server_tool_use','id':'s','name':'web_search','input':{}},{'type':'web_search_tool_result','tool_use_id':'s','content':[{'type':'web_search_result','title':'t','url':'u','encrypted_content':'E'}]},{'type':'text','text':'W1~'}]",
        MESSAGES_CALL
            + "user [{'type':'tool_result','tool_use_id':'c','content':[{'type':'search_result','title':'W1~','source':'W2~','content':[{'type':'text','text':'W3~'}]}]}]",
        MESSAGES_CALL
            + "user [{'type':'tool_result','tool_use_id':'c','content':[{'type':'text','text':'W1~'},{'type':'document','source':{'type':'file','file_id':'f'},'context':'W2~'}]}]",
        MESSAGES_CALL + "user [{'type':'tool_result','tool_use_id':'c','content':{'odd':'W1~'}}]",
        "user [{'type':'input_text','text':'W1~'},{'type':'input_file','file_id':'file-1'}]",
        "user [{'type':'input_text','text':'W1~'}," + AUDIO + "]",
        "user [{'type':'input_image','file_id':'file-1'}]",
        "user {'type':'message','role':'user','content':5}",
        "user {'type':'agent_message','author':'a','recipient':'b','content':[{'type':'input_text','text':'W1~'}]}",
        "assistant {'type':'message','role':'assistant','content':[{'type':'refusal','refusal':'W1~'}]}",
        "assistant {'type':'odd','content':[{'type':'output_text','text':'W1~'}]}",
        "assistant {'type':'item_reference','id':'msg_1'}",
        "assistant {'type':'compaction','encrypted_content':'E'}",
        "user {'type':'compaction_trigger'}",
        "assistant {'type':'mcp_call','id':'mcp_1','name':'m','server_label':'s','arguments':'{}','output':'x'}",
        "assistant {'type':'web_search_call','id':'ws_1','status':'completed','action':{'type':'search','query':'x'}}",
        "assistant {'type':'custom_tool_call','call_id':'c','name':'f','input':'W1~'} | tool {'type':'custom_tool_call_output','call_id':'c','output':[{'type':'input_text','text':'W2~'},{'type':'input_file','file_id':'file-1'}]}",
        "assistant {'type':'local_shell_call','call_id':'c','action':{'type':'exec','command':['W1~']}} | tool {'type':'local_shell_call_output','id':'c','output':'W2~'}",
        "assistant {'type':'computer_call','call_id':'c','action':{'type':'W1~'}} | tool {'type':'computer_call_output','call_id':'c','output':{'type':'computer_screenshot','file_id':'file-1'}}",
        RESPONSES_CALL
            + "tool {'type':'function_call_output','call_id':'c','output':[{'type':'input_text','text':'W1~'},{'type':'input_image','file_id':'file-1'}]}",
        RESPONSES_CALL
            + "tool {'type':'function_call_output','call_id':'c','output':{'odd':'W1~'}}",
        "user {'parts':[{'type':'text','text':'W1~'},{'type':'file','mediaType':'application/pdf','url':'https://x/a.pdf'}]}",
      })
  void aThreadGoesOnWithAllThatItSays(String thread) throws Exception {
    for (Shape called : FORMATS.keySet()) {
      byte[] call = call(called, "'next'");
      byte[] body = written(called, call, thread);
      for (Shape target : FORMATS.keySet()) {
        boolean own = called == target;
        byte[] sent = own ? body : translation(called, target, body, call).body();

        String text = new String(sent, UTF_8);
        assertThat(text).as(called + " to " + target).contains(words(thread));
        // What its own server took in silence it takes again.
        assertThat(own ? List.of() : StrictProvider.faults(PATHS.get(target), text))
            .as(text)
            .isEmpty();
      }
    }
  }

  private static List<String> words(String thread) {
    List<String> words = new ArrayList<>(List.of("next"));
    Matcher each = WORD.matcher(thread);
    while (each.find()) {
      words.add(each.group());
    }
    return words;
  }

  /** What a target does not have is left out of a thread, and refused to a caller that sends it. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "CHAT      | MESSAGES  | [{'type':'file','file':{'file_id':'file-1'}}]                 | messages.file        | file",
        "CHAT      | MESSAGES  | [{'type':'input_audio','input_audio':{'data':'A'}}]            | messages.input_audio | input_audio",
        "CHAT      | RESPONSES | [{'type':'input_audio','input_audio':{'data':'A'}}]            | messages.input_audio | input_audio",
        "RESPONSES | MESSAGES  | [{'type':'input_image','file_id':'file-1'}]                    | input.input_image    | input.file_id",
        "RESPONSES | CHAT      | [{'type':'input_image','file_id':'file-1'}]                    | input.input_image    | input.file_id",
        "RESPONSES | MESSAGES  | [{'type':'input_file','file_id':'file-1'}]                     | input.input_file     | input.file_id",
        "MESSAGES  | CHAT      | [{'type':'document','source':{'type':'file','file_id':'f'}}]   | messages.document    | messages.source.file_id",
        "MESSAGES  | RESPONSES | [{'type':'image','source':{'type':'file','file_id':'f'}}]      | messages.image       | messages.source.file_id",
        "MESSAGES  | CHAT      | [{'type':'document','source':{'type':'content','content':[{'type':'image','source':{'type':'file','file_id':'f'}}]}}] | messages.image | messages.source.file_id",
      })
  void whatATargetDoesNotHaveIsRefusedToItsCallerAlone(
      Shape called, Shape target, String content, String left, String refused) throws Exception {
    String thread = "assistant 'yes' | user " + content;
    byte[] next = call(called, "'next'");
    Translation translation = translation(called, target, written(called, next, thread), next);

    assertThat(translation.dropped().names()).containsExactly(left);
    assertThat(new String(translation.body(), UTF_8)).containsPattern("\\[(image|file|audio)]");

    byte[] again = call(called, content);
    assertRefused(called, target, again, again, refused);
    assertRefused(called, target, written(called, again, thread), again, refused);
  }

  /** Vercel's AI SDK refers to items of its provider, unless it is told not to store them. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'id':'msg_1'}                         | item_reference     | With \"store\": false",
        "{'type':null,'id':'msg_1'}             | item_reference     | With \"store\": false",
        "{'type':'item_reference','id':'msg_1'} | item_reference     | With \"store\": false",
        "{'type':'compaction_trigger'}          | compaction_trigger | ask for a summary",
      })
  void anItemThatOnlyItsProviderReadsIsRefusedToItsCallerAlone(
      String item, String type, String help) throws Exception {
    byte[] next = call(Shape.RESPONSES, "'next'");
    String reference = "assistant {'type':'item_reference','id':'msg_1'}";
    byte[] body =
        written(Shape.RESPONSES, next, reference + " | user {'type':'compaction_trigger'}");
    byte[] again = Calls.json("{'model':'m','input':[" + item + "]}").getBytes(UTF_8);

    assertThat(translation(Shape.RESPONSES, Shape.CHAT, body, next).dropped().names())
        .containsExactly("input.compaction_trigger", "input.item_reference");
    assertRefused(Shape.RESPONSES, Shape.CHAT, body, again, type);
    assertThatThrownBy(() -> translation(Shape.RESPONSES, Shape.CHAT, again, again))
        .hasMessageContaining(help);
  }

  /** Some servers take any JSON as a result; a thread has it as a text. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'role':'user','content':5}",
        "{'role':'tool','tool_call_id':'c','content':{'odd':1}}",
        "{'role':'function','name':'f','content':{'odd':1}}",
      })
  void aContentThatIsNoTextIsRefusedToItsCaller(String message) {
    byte[] call = Calls.json("{'model':'m','messages':[%s]}".formatted(message)).getBytes(UTF_8);

    assertThatThrownBy(() -> translation(Shape.CHAT, Shape.MESSAGES, call, call))
        .isInstanceOf(MalformedBodyException.class)
        .hasMessageStartingWith("messages.content must be");
  }

  private static void assertRefused(
      Shape called, Shape target, byte[] body, byte[] received, String member) {
    assertThatThrownBy(() -> translation(called, target, body, received))
        .isInstanceOf(MalformedBodyException.class)
        .hasMessageStartingWith(member + " cannot be asked of this model");
  }

  private static Translation translation(Shape called, Shape target, byte[] body, byte[] received)
      throws Exception {
    return Translation.of(
        FORMATS.get(called).translator(),
        FORMATS.get(target).translator(),
        body,
        () -> received,
        TERMS,
        null,
        () -> 7,
        String::length);
  }

  private static byte[] call(Shape called, String content) {
    String member = called == Shape.RESPONSES ? "input" : "messages";
    return Calls.json(
            "{'model':'m','%s':[{'role':'user','content':%s}]}".formatted(member, content))
        .getBytes(UTF_8);
  }

  /** The call as it goes up behind a thread; its messages are new. */
  private static byte[] written(Shape called, byte[] call, String thread) {
    List<StoredMessage> stored = new ArrayList<>();
    for (String message : ("user 'first' | " + thread + " | assistant 'said'").split(" \\| ", -1)) {
      String[] roleAndContent = message.split(" ", 2);
      stored.add(Calls.stored(roleAndContent[0], roleAndContent[1]));
    }
    Conversation read = Calls.read(FORMATS.get(called), new String(call, UTF_8));
    return FORMATS.get(called).write(read, MODEL, new MemoryContext(null, stored));
  }
}

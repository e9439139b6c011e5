package io.memorygateway.format;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.align.Alignment;
import io.memorygateway.format.call.Conversation;
import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.call.MemoryContext;
import io.memorygateway.format.call.RequestBody;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.responses.ResponsesFormat;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/**
 * A thread whose turns were written by callers of all three endpoints goes up over any of them; a
 * caller that sends back what went up, and says something more, has said only that.
 */
class EchoPropertyTest {
  private static final List<Format> DIALECTS =
      List.of(new ChatFormat(), new MessagesFormat(), new ResponsesFormat());

  @RepeatedTest(100)
  void knowsTheThreadAgainOverAnyEndpoint(RepetitionInfo repetition) throws Exception {
    Random random = new Random(repetition.getCurrentRepetition());
    List<StoredMessage> thread = new ArrayList<>();
    int turns = 1 + random.nextInt(6);
    for (int turn = 0; turn < turns; turn++) {
      addTurn(thread, turn, random);
    }
    for (Format format : DIALECTS) {
      Conversation echo = echo(format, thread);

      Alignment alignment = Talk.align(Talk.forms(echo.messages()), Talk.forms(thread));

      assertThat(Calls.fresh(echo, alignment).messages())
          .as("%s: %s on %s", format, echo.messages(), thread)
          .extracting(StoredMessage::content)
          .containsExactly("\"more\"");
      assertThat(alignment.storedTo()).isEqualTo(thread.size());
    }
  }

  private static Conversation echo(Format format, List<StoredMessage> thread)
      throws MalformedBodyException, IOException {
    String member = format instanceof ResponsesFormat ? "input" : "messages";
    Conversation call =
        Calls.read(
            format,
            "{'model':'m','tools':[{}],'" + member + "':[{'role':'user','content':'more'}]}");
    byte[] upstream = format.write(call, Calls.model("m"), new MemoryContext("observed", thread));
    return format.read(RequestBody.parse(upstream));
  }

  private static void addTurn(List<StoredMessage> thread, int turn, Random random) {
    int format = random.nextInt(3);
    String said = "question " + random.nextInt(3);
    thread.add(
        switch (random.nextInt(4)) {
          case 0 -> Talk.user(said);
          case 1 ->
              Calls.stored(
                  "user",
                  "[{'type':'text','text':'"
                      + said
                      + "','cache_control':{'type':'ephemeral'}},"
                      + "{'type':'image','source':{'type':'base64','media_type':'image/png','data':'A"
                      + turn
                      + "'}}]");
          case 2 ->
              Calls.stored(
                  "user",
                  "[{'type':'input_text','text':'"
                      + said
                      + "'},{'type':'input_image',"
                      + "'image_url':'http://x/"
                      + turn
                      + "','detail':'low'}]");
          default -> Calls.stored("user", "[{'type':'text','text':'" + said + "'}]");
        });
    int calls = random.nextInt(3);
    for (int call = 0; call < calls; call++) {
      addStep(thread, format, "call_" + turn + "_" + call + (random.nextInt(3) == 0 ? ":/" : ""));
    }
    thread.add(answer(format, "answer " + random.nextInt(3)));
  }

  private static StoredMessage answer(int format, String text) {
    return switch (format) {
      case 0 -> Talk.answer(text);
      case 1 ->
          Calls.stored(
              "assistant",
              "[{'type':'thinking','thinking':'t','signature':'s'},{'type':'text','text':'"
                  + text
                  + " '},{'type':'text','text':'and more'}]");
      default ->
          Calls.stored(
              "assistant",
              "{'type':'message','id':'m','role':'assistant','status':'completed','content':"
                  + "[{'type':'output_text','text':'"
                  + text
                  + "','annotations':[]}]}");
    };
  }

  private static void addStep(List<StoredMessage> thread, int format, String id) {
    if (format == 0) {
      thread.add(Talk.call(id));
      thread.add(Talk.result(id, "x"));
    } else if (format == 1) {
      thread.add(
          Calls.stored(
              "assistant",
              "[{'type':'text','text':'let me'},{'type':'tool_use','id':'"
                  + id
                  + "','name':'f',"
                  + "'input':{'b':1.10,'a':[]}}]"));
      thread.add(
          Calls.stored(
              "user",
              "[{'type':'tool_result','tool_use_id':'"
                  + id
                  + "','content':"
                  + "[{'type':'text','text':'x'}]}]"));
    } else {
      thread.add(Calls.stored("assistant", "{'type':'reasoning','id':'rs','summary':[]}"));
      thread.add(
          Calls.stored(
              "assistant",
              "{'type':'function_call','id':'fc','call_id':'"
                  + id
                  + "','name':'f',"
                  + "'arguments':'{}'}"));
      thread.add(
          Calls.stored(
              "assistant",
              "{'type':'function_call','id':'fd','call_id':'"
                  + id
                  + "_d','name':'g',"
                  + "'arguments':'{}'}"));
      thread.add(
          Calls.stored(
              "tool", "{'type':'function_call_output','call_id':'" + id + "','output':'x'}"));
      thread.add(
          Calls.stored(
              "tool", "{'type':'function_call_output','call_id':'" + id + "_d','output':'y'}"));
    }
  }
}

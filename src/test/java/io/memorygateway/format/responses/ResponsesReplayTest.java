package io.memorygateway.format.responses;

import static io.memorygateway.format.Calls.json;
import static io.memorygateway.format.Calls.stored;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.answer.AnswerReplay;
import io.memorygateway.format.content.StoredMessage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The events in which a stored answer of Responses is streamed again, each with its number. */
class ResponsesReplayTest {
  private static final String METADATA = "{'id':'r','model':'m','status':'%s'}";

  @Test
  void aTextIsBegunPutInPiecesAndDone() throws IOException {
    String message =
        "{'id':'i','type':'message','role':'assistant','status':'completed','content':[%s]}";
    String text = "{'type':'output_text','text':'a b','annotations':[1]}";
    String refusal = "{'type':'refusal','refusal':'no'}";
    String begun = message.replace("completed", "in_progress").formatted("");
    String first = "'item_id':'i','output_index':0,'content_index':0,";
    String second = "'item_id':'i','output_index':0,'content_index':1,";
    assertThat(itemEvents(stored("assistant", message.formatted(text + "," + refusal))))
        .containsExactly(
            "response.output_item.added 2 'output_index':0,'item':" + begun,
            "response.content_part.added 3 " + first + "'part':" + text.replace("a b", ""),
            "response.output_text.delta 4 " + first + "'delta':'a b','logprobs':[]",
            "response.output_text.done 5 " + first + "'text':'a b','logprobs':[]",
            "response.content_part.done 6 " + first + "'part':" + text,
            "response.content_part.added 7 " + second + "'part':" + refusal.replace("no", ""),
            "response.refusal.delta 8 " + second + "'delta':'no'",
            "response.refusal.done 9 " + second + "'refusal':'no'",
            "response.content_part.done 10 " + second + "'part':" + refusal,
            "response.output_item.done 11 'output_index':0,'item':"
                + message.formatted(text + "," + refusal));
  }

  @Test
  void theArgumentsOfACallComeInOnePiece() throws IOException {
    String call =
        "{'id':'i','type':'function_call','call_id':'c','name':'f','arguments':'{}','status':'completed'}";
    String begun = call.replace("completed", "in_progress").replace("{}", "");
    String at = "'item_id':'i','output_index':0,";
    assertThat(itemEvents(stored("assistant", call)))
        .containsExactly(
            "response.output_item.added 2 'output_index':0,'item':" + begun,
            "response.function_call_arguments.delta 3 " + at + "'delta':'{}'",
            "response.function_call_arguments.done 4 " + at + "'arguments':'{}'",
            "response.output_item.done 5 'output_index':0,'item':" + call);
  }

  @Test
  void thoughtsComeInPieces() throws IOException {
    String part = "{'type':'summary_text','text':'hm'}";
    String reasoning =
        "{'id':'i','type':'reasoning','status':'completed','summary':[%s],'content':[%s]}";
    String thought = "{'type':'reasoning_text','text':'m'}";
    String item = reasoning.formatted(part, thought);
    String at = "'item_id':'i','output_index':0,";
    assertThat(itemEvents(stored("assistant", item)))
        .containsExactly(
            "response.output_item.added 2 'output_index':0,'item':"
                + reasoning.formatted("", "").replace("completed", "in_progress"),
            "response.reasoning_summary_part.added 3 "
                + at
                + "'summary_index':0,'part':"
                + part.replace("hm", ""),
            "response.reasoning_summary_text.delta 4 " + at + "'summary_index':0,'delta':'hm'",
            "response.reasoning_summary_text.done 5 " + at + "'summary_index':0,'text':'hm'",
            "response.reasoning_summary_part.done 6 " + at + "'summary_index':0,'part':" + part,
            "response.content_part.added 7 "
                + at
                + "'content_index':0,'part':"
                + thought.replace("'m'", "''"),
            "response.reasoning_text.delta 8 " + at + "'content_index':0,'delta':'m'",
            "response.reasoning_text.done 9 " + at + "'content_index':0,'text':'m'",
            "response.content_part.done 10 " + at + "'content_index':0,'part':" + thought,
            "response.output_item.done 11 'output_index':0,'item':" + item);
  }

  @Test
  void itemsOfOtherTypesAreOnlyBegunAndDone() throws IOException {
    String search = "{'id':'i','type':'web_search_call','status':'completed'}";
    String reasoning =
        "{'id':'j','type':'reasoning','status':'completed','content':["
            + "{'type':'reasoning_text','text':'a'},{'type':'text','text':'b'}]}";
    assertThat(itemEvents(stored("assistant", search), stored("assistant", reasoning)))
        .containsExactly(
            "response.output_item.added 2 'output_index':0,'item':"
                + search.replace("completed", "in_progress"),
            "response.output_item.done 3 'output_index':0,'item':" + search,
            "response.output_item.added 4 'output_index':1,'item':"
                + reasoning.replace("completed", "in_progress"),
            "response.output_item.done 5 'output_index':1,'item':" + reasoning);
  }

  @Test
  void theResponseIsBegunEmptyAndEndsWithItsStatusAndAllItems() throws IOException {
    String item = "{'id':'i','type':'web_search_call','status':'completed'}";
    List<String> events = events("incomplete", stored("assistant", item));
    String begun = "'status':'in_progress','output':[],'usage':null}";
    assertThat(events).hasSize(5);
    assertThat(events.get(0)).startsWith("response.created 0 'response':{").endsWith(begun);
    assertThat(events.get(1)).startsWith("response.in_progress 1 'response':{").endsWith(begun);
    assertThat(events.get(4))
        .startsWith("response.incomplete 4 'response':{'id':'r','model':'m','object':'response',")
        .contains("'status':'incomplete','output':[" + item + "],'usage':null}");
    assertThat(events("unknown").get(2)).startsWith("response.completed 2 ");
  }

  @Test
  void contentThatIsNoItemIsStreamedAsAText() throws IOException {
    assertThat(itemEvents(stored("assistant", "'a b'")))
        .contains(
            "response.output_text.done 5 'item_id':'msg_changed','output_index':0,"
                + "'content_index':0,'text':'a b','logprobs':[]")
        .last()
        .asString()
        .contains("{'type':'output_text','text':'a b','annotations':[]}");
    assertThat(itemEvents(stored("assistant", "[1.0]")).get(3)).contains("'text':'[1.0]'");
  }

  /** The events between those of the response as a whole. */
  private static List<String> itemEvents(StoredMessage... messages) throws IOException {
    List<String> events = events("completed", messages);
    return events.subList(2, events.size() - 1);
  }

  /** Each event as its name, its number and its other members. */
  private static List<String> events(String status, StoredMessage... messages) throws IOException {
    AnswerReplay.Answered answered =
        new AnswerReplay.Answered(json(METADATA.formatted(status)), List.of(messages));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new ResponsesFormat().replay().stream(answered, out);
    return out.toString(UTF_8)
        .replace('"', '\'')
        .lines()
        .filter(line -> line.startsWith("data: "))
        .map(
            line ->
                line.replaceFirst(
                    "data: \\{'type':'(.*?)','sequence_number':(\\d+),(.*)\\}", "$1 $2 $3"))
        .toList();
  }
}

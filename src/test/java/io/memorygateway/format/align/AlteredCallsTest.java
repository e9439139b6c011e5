package io.memorygateway.format.align;

import static io.memorygateway.format.Calls.json;
import static io.memorygateway.format.Talk.forms;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.memorygateway.format.Answers;
import io.memorygateway.format.Calls;
import io.memorygateway.format.Format;
import io.memorygateway.format.Talk;
import io.memorygateway.format.call.Conversation;
import io.memorygateway.format.call.MemoryContext;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.format.responses.ResponsesFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A call with the thread's id is the thread's, also if its client has altered the arguments. */
class AlteredCallsTest {
  private static final Format RESPONSES = new ResponsesFormat();

  /**
   * As of Vercel's clients, which keep the last step and put nothing in the place of broken
   * arguments.
   */
  @ParameterizedTest(name = "[{0}] on [{1}]")
  @CsvSource(
      delimiter = '|',
      value = {
        "u a 2: =2 n |u a 1:1 =1 a 2:2 |u a 1:1 =1 a 2:2 =2 n",
        "u 2: =2 n   |u 1:1 =1 2:2     |u 1:1 =1 2:2 =2 n",
        "u 1: =1 n   |u 1:1 =1 2:2 =2 a|u 1:1 =1 2:2 =2 a n",
      })
  void whatGoesUp(String call, String thread, String expected) {
    List<StoredMessage> stored = read(thread).messages();
    Conversation.Aligned aligned = read(call).align(forms(stored), List.of());
    assertThat(aligned.own().changed()).isEmpty();
    String up =
        Answers.text(
            RESPONSES.write(aligned.fresh(), Calls.model("m"), new MemoryContext(null, stored)));

    assertThat(up).isEqualTo("{\"model\":\"m\",\"input\":[" + items(expected) + "]}");
  }

  /** With other ids, too, or where it is another answer. */
  @ParameterizedTest(name = "[{0}] on [{1}]")
  @CsvSource(
      delimiter = '|',
      value = {
        "u:a c:9 r:9=x            |u:a c:1            |1/1!",
        "u:a b:+8+9 r:8=x r:9=y   |u:a b:+1+2         |1/1!",
        "u:a a:b u:n c:9 r:9=x    |u:a a:b u:n c:1    |3/3!",
        "u:a c:1 r:1=x c:9 r:9=y  |u:a c:1 r:1=x c:2  |3/3!",
        "u:a c:9 r:9=x            |u:a c:1 r:1=x      |0/3",
      })
  void anotherCallTakesThePlaceOfOneThatNobodyAnswered(
      String incoming, String stored, String expected) {
    assertThat(Talk.branch(incoming, stored)).isEqualTo(expected);
  }

  /** Some models number their calls, so that an answer that is asked for again has the same ids. */
  @Test
  void aCallOfABranchThatWasLeftIsItsOwn() {
    List<Left> left =
        forms(read("1:1 =1 a").messages()).stream().map(form -> new Left(form, 1)).toList();
    Conversation.Aligned aligned =
        read("u 1:1 =1 a n").align(forms(read("u 1:2 =1 a").messages()), left);

    Alignment.Branch branch = aligned.alignment().branch();
    assertThat(branch).isNotNull();
    assertThat(branch.revived()).containsExactly(0, 1, 2);
  }

  /** Of several choices the caller goes on with another than the first, which the thread has. */
  @Test
  void theCallOfAnotherChoiceIsItsOwn() {
    List<NormalForm> stored = forms(read("u 1:2").messages());
    Aligner aligner = new Aligner(forms(read("u 1:1 =1").messages()), stored, List.of());

    assertThat(aligner.ownWords(aligner.align(), true).changed()).containsExactly(entry(1, 1));
  }

  private static Conversation read(String items) {
    return Calls.read(RESPONSES, "{\"model\":\"m\",\"input\":[" + items(items) + "]}");
  }

  private static String items(String words) {
    StringBuilder items = new StringBuilder();
    for (String word : words.trim().split(" +", -1)) {
      items.append(items.isEmpty() ? "" : ",").append(json(item(word)));
    }
    return items.toString();
  }

  private static String item(String word) {
    return switch (word.charAt(0)) {
      case 'u', 'n' -> "{'role':'user','content':'" + word + "'}";
      case 'a' ->
          "{'type':'message','role':'assistant','content':[{'type':'output_text','text':'a'}]}";
      case '=' ->
          "{'type':'function_call_output','call_id':'call_%s','output':'x'}"
              .formatted(word.substring(1));
      default ->
          "{'type':'function_call','call_id':'call_%s','name':'f','arguments':'{%s}'}"
              .formatted(word.charAt(0), arguments(word.substring(2)));
    };
  }

  private static String arguments(String number) {
    return number.isEmpty() ? "" : "\\\"n\\\":" + number;
  }
}

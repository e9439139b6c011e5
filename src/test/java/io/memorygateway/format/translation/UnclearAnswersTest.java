package io.memorygateway.format.translation;

import static io.memorygateway.format.translation.OddAnswersTest.json;
import static io.memorygateway.format.translation.OddAnswersTest.others;
import static io.memorygateway.format.translation.TranslatedStreams.check;
import static io.memorygateway.format.translation.TranslatedStreams.gathered;
import static io.memorygateway.format.translation.TranslatedStreams.open;
import static io.memorygateway.format.translation.TranslatedStreams.translated;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Contract §14: answers that say nothing. */
class UnclearAnswersTest {
  private static final Translator CHAT = TranslationPairsTest.ALL.get(0);

  private static final List<String> NOTHING =
      List.of("{}", "{'choices':[]}", "{'choices':[{'message':{'role':'assistant'}}]}");

  /** Events of streams in which nothing is said, by target; some come to their end. */
  private static final List<List<List<String>>> SILENT =
      List.of(
          List.of(
              List.of("[DONE]"),
              List.of("{'choices':[{'delta':{'role':'assistant'}}]}", "[DONE]"),
              List.of("{}")),
          List.of(
              List.of("{'type':'message_stop'}"),
              List.of(
                  "{'type':'message_start','message':{'usage':{'input_tokens':0}}}",
                  "{'type':'message_stop'}"),
              List.of("{'type':'ping'}")),
          List.of(
              List.of("{'type':'response.completed','response':{}}"),
              List.of(
                  "{'type':'response.created','response':{'id':'a'}}",
                  "{'type':'response.completed','response':{'output':[]}}"),
              List.of("{'type':'keepalive'}")));

  @Test
  void anAnswerThatSaysNothingIsNone() throws Exception {
    for (Translator target : TranslationPairsTest.ALL) {
      for (Translator called : others(target)) {
        for (String answer : target == CHAT ? NOTHING : List.<String>of()) {
          assertThat(open(called, target).read(json(answer).getBytes(UTF_8)).saysNothing())
              .as(answer)
              .isTrue();
        }
        for (List<String> events : SILENT.get(TranslationPairsTest.ALL.indexOf(target))) {
          String stream = "data: " + String.join("\n\ndata: ", events) + "\n\n";
          byte[] bytes = json(stream).getBytes(UTF_8);
          byte[] told = translated(open(called, target), bytes, bytes.length, null);

          assertThat(check(called, told) || new String(told, UTF_8).contains("event: error"))
              .as(stream + " " + new String(told, UTF_8))
              .isTrue();
          Fault fault = gathered(open(called, target), bytes).fault();
          assertThat(fault != null && fault.isBroken()).as(stream).isTrue();
        }
      }
    }
  }

  @Test
  void anEmptyAnswerIsGood() throws Exception {
    List<String> answers =
        List.of("{'choices':[{'finish_reason':'stop'}]}", "{'content':[]}", "{'output':[]}");
    for (Translator target : TranslationPairsTest.ALL) {
      String answer = json(answers.get(TranslationPairsTest.ALL.indexOf(target)));
      for (Translator called : others(target)) {
        assertThat(open(called, target).read(answer.getBytes(UTF_8)).saysNothing()).isFalse();
      }
    }
  }
}

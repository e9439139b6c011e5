package io.memorygateway.format.answer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.figures.Figure;
import io.memorygateway.format.Format;
import io.memorygateway.format.chat.ChatFormat;
import io.memorygateway.format.messages.MessagesFormat;
import io.memorygateway.format.responses.ResponsesFormat;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §10: what counts as an answer, and what as a failure of a target. */
class WholeAnswerTest {
  private final Format chat = new ChatFormat();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'choices':[{}]} | ANSWER",
        "{'choices':[{'error':0},[2],3],'error':null} | ANSWER",
        "{'choices':[{'index':1,'error':1}]} | ANSWER",
        "{'choices':[{'index':0,'error':{'message':'m'},'message':{'content':'a'}}]} | ERROR",
        "{'choices':[{'finish_reason':'error','message':{'content':'a'}}]} | ERROR",
        "{'content':[]} | ANSWER",
        "{'input_tokens':3} | ANSWER",
        "{'error':{},'output':[{}]} | ANSWER",
        "{'error':{},'content':'text'} | ANSWER",
        "{'data':[[1,2],[3]],'error':{}} | ANSWER",
        "{'error':{'message':'m'}} | ERROR",
        "{'error':{},'choices':[]} | ERROR",
        "{'error':'text','choices':null} | ERROR",
        "{'error':1,'input_tokens':3} | ERROR",
        "{'error':'','choices':[]} | ANSWER",
        "{'error':false} | NEITHER",
        "{'status':'ok','nested':{'choices':[1],'error':2}} | NEITHER",
        "{'error':null,'choices':null} | NEITHER",
        "{} | NEITHER"
      },
      quoteCharacter = '"')
  void whatAnAnswerContains(String answer, WholeAnswer.Content content) throws Exception {
    assertThat(read(answer).content()).isEqualTo(content);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'choices':[{'usage':1}],'usage':{'prompt_tokens':3,'completion_tokens':2}} | 3",
        "{'usage':{'prompt_tokens':4},'choices':[[],{}],'error':{'usage':[]}} | 4",
        "{'choices':[{}]} | -1"
      },
      quoteCharacter = '"')
  void usageIsReadWhateverStandsBesideIt(String answer, long tokens) throws Exception {
    assertThat(read(answer).usage().get(Figure.INPUT_TOKENS)).isEqualTo(tokens);
  }

  /** Gemini's and xAI's thoughts are in the total alone. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'prompt_tokens':10,'completion_tokens':20,'total_tokens':1030 | 1020",
        "'total_tokens':1030,'completion_tokens':20,'prompt_tokens':10 | 1020",
        "'prompt_tokens':10,'completion_tokens':20,'total_tokens':30 | 20",
        "'prompt_tokens':10,'completion_tokens':20,'total_tokens':0 | 20",
        "'prompt_tokens':10,'completion_tokens':20,'x':{'total_tokens':99} | 20",
        "'completion_tokens':20,'total_tokens':1030 | 20",
        "'prompt_tokens':10,'total_tokens':1030 | 1020"
      },
      quoteCharacter = '"')
  void thoughtsThatTheTotalAloneCountsAreOutput(String usage, long output) throws Exception {
    assertThat(read("{'choices':[],'usage':{" + usage + "}}").usage().get(Figure.OUTPUT_TOKENS))
        .isEqualTo(output);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "no json", "[]", "{'choices':[", "{'choices':[1}", "{'choices':[1]", "{} {}"})
  void whatIsNotOneObjectIsNoAnswer(String answer) {
    assertThatThrownBy(() -> read(answer)).isInstanceOf(MalformedAnswerException.class);
  }

  /** Contract §7: as servers made with Python write them. */
  @Test
  void numbersThatJsonDoesNotHaveAreReadInEveryFormat() throws Exception {
    Map<Format, String> answers =
        Map.of(
            chat,
            "{'choices':[{'index':0,'message':{'content':'a NaN','x':NaN},'logprobs':[-Infinity],"
                + "'error':null}],'usage':{'prompt_tokens':3}}",
            new MessagesFormat(),
            "{'x':NaN,'content':[{'type':'text','text':'a NaN','x':Infinity}],"
                + "'usage':{'input_tokens':3}}",
            new ResponsesFormat(),
            "{'output':[{'type':'message','role':'assistant','content':[{'type':'output_text',"
                + "'text':'a NaN','logprobs':[NaN]}]}],'usage':{'input_tokens':3}}");
    for (var answer : answers.entrySet()) {
      Format format = answer.getKey();
      byte[] json = answer.getValue().replace('\'', '"').getBytes(UTF_8);
      WholeAnswer read = format.wholeAnswer(json);
      assertThat(read.content()).isEqualTo(WholeAnswer.Content.ANSWER);
      assertThat(read.usage().get(Figure.INPUT_TOKENS)).isEqualTo(3);
      assertThat(format.answer(json))
          .singleElement()
          .satisfies(message -> assertThat(message.content()).contains("\"a NaN\""));
      assertThat(format.completion(json).text()).isEqualTo("a NaN");
    }
  }

  private WholeAnswer read(String answer) throws MalformedAnswerException {
    return chat.wholeAnswer(answer.replace('\'', '"').getBytes(UTF_8));
  }
}

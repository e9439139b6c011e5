package io.memorygateway.secret;

import static io.memorygateway.format.Answers.bytes;
import static io.memorygateway.format.Calls.json;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which events of a stream go on with the same text, written with single quotes. */
class TextPlaceTest {
  private static final String CHAT = "{'choices':[{'index':%s,'delta':{'content':'%s'}}]}";

  @Test
  void theEventsOfOneTextHaveOnePlaceWhateverTheySay() {
    int id = place(CHAT.formatted("0", "a")).id();
    assertThat(place(CHAT.formatted("0", "another part of it")).id()).isEqualTo(id);
    assertThat(place(CHAT.formatted("0", "\\'content\\': 1, \\\\")).id()).isEqualTo(id);
    assertThat(place(CHAT.formatted(" \t0", "a")).id()).as("with blanks").isEqualTo(id);
    assertThat(place(CHAT.replace("'index'", "'index' \t").formatted("0", "a")).id()).isEqualTo(id);
  }

  @Test
  void theTextsOfChoicesCallsAndItemsHaveEachTheirOwn() {
    assertThat(
            Stream.of(
                    CHAT.formatted("0", "a"),
                    CHAT.formatted("1", "a"),
                    CHAT.formatted("9", "a"),
                    CHAT.formatted("10", "a"),
                    CHAT.formatted("12", "a"),
                    CHAT.formatted("19", "a"),
                    CHAT.formatted("0", "a").replace("content", "reasoning"),
                    CHAT.formatted("0", "a").replace("content", "refusal"),
                    "{'index':1,'delta':{'type':'text_delta','text':'a'}}",
                    "{'output_index':1,'content_index':0,'delta':'a'}",
                    "{'output_index':0,'content_index':1,'delta':'a'}",
                    "{'output_index':1,'content_index':1,'delta':'a'}")
                .map(event -> place(event).id()))
        .doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'choices':[{'index':0,'delta':{'content':'a'}}]}",
        "{'content' \t: \t'ab'}",
        "{'delta':{'partial_json':'{'}}",
        "{'content':'\\\\'}",
        "{'content':'unfinished",
      })
  void anEventHoldsTextBeItOneCharacter(String event) {
    assertThat(place(event).isText()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{}",
        "{'content':''}",
        "{'content':null,'role':'assistant'}",
        "{'type':'content'}",
        "{'type':'content','x':'a'}",
        "{'contents':'a'}",
        "{'conten':'a'}",
        "{'index':0,'x':'delta'}",
      })
  void anEventWithoutTheTextOfADeltaHoldsNone(String event) {
    assertThat(place(event).isText()).isFalse();
  }

  @Test
  void theRangeAloneCounts() {
    byte[] event = bytes(json("{'x':'y'}{'content':'a'}{'text':'b'}"));
    assertThat(TextPlace.of(event, 0, 9).isText()).isFalse();
    TextPlace place = TextPlace.of(event, 9, 24);
    assertThat(place.isText()).isTrue();
    assertThat(place.id()).isEqualTo(place("{'content':'c'}").id());
  }

  @Test
  void aNameIsAStringBeforeAColon() {
    byte[] event = bytes(json("{'a' \t:'b' , 'c'"));
    assertThat(TextPlace.isName(event, 3, event.length)).isTrue();
    assertThat(TextPlace.isName(event, 3, 4)).as("cut before the colon").isFalse();
    assertThat(TextPlace.isName(event, 9, event.length)).isFalse();
    assertThat(TextPlace.isName(event, event.length - 1, event.length)).isFalse();
  }

  private static TextPlace place(String event) {
    byte[] bytes = bytes(json(event));
    return TextPlace.of(bytes, 0, bytes.length);
  }
}

package io.memorygateway.sse;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.json.JsonValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SseEventTest {

  @ParameterizedTest
  @ValueSource(strings = {"\n", "\r", "\r\n"})
  void readsNameAndDataWhateverEndsALine(String eol) {
    SseEvent event =
        event(
            String.join(
                eol, ": c", "id: 1", "event: name", "retry: 5", "data: é{", "data:}", "", ""));

    assertThat(event.name()).isEqualTo("name");
    assertThat(event.data()).asString(UTF_8).isEqualTo("é{\n}");
  }

  @Test
  void joinsMoreThanTwoDataLines() {
    assertThat(event("data: 1\ndata\ndata:  3\n\n").data()).asString(UTF_8).isEqualTo("1\n\n 3");
  }

  @Test
  void takesTheLastOfSeveralNames() {
    assertThat(event("event: a\nevent:b\ndata: x\n\n").name()).isEqualTo("b");
  }

  @Test
  void skipsAByteOrderMark() {
    assertThat(event("\ufeffdata: x\n\n").data()).asString(UTF_8).isEqualTo("x");
  }

  @ParameterizedTest
  @CsvSource({"datax: 1", "Data: 1", "' data: 1'", "eventually: 1", ": data: 1", "dat", "''"})
  void readsNothingFromOtherLines(String line) {
    SseEvent event = event(line + "\n\n");

    assertThat(event.name()).isNull();
    assertThat(event.data()).isEmpty();
  }

  @Test
  void readsNothingFromALaterPieceOfAnEvent() {
    byte[] bytes = "data: x\n\n".getBytes(UTF_8);
    SseEvent event = new SseEvent();
    event.set(bytes, 0, bytes.length, false, true);

    assertThat(event.data()).isEmpty();
  }

  @Test
  void locatesTheDataWhicheverOfItsBoundsIsAskedFirst() {
    assertThat(event("data: 0\n\n").dataEnd()).isEqualTo(7);
    assertThat(event("data: 0\n\n").dataStart()).isEqualTo(6);
    assertThat(event("data: 0\n\n").dataArray()).startsWith('d');
  }

  @Test
  void forgetsTheEventBefore() {
    SseEvent event = event("event: a\ndata: 1\ndata: 2\n\n");
    assertThat(event.name()).isEqualTo("a");

    byte[] next = "xx: c\n\nxx".getBytes(UTF_8);
    event.set(next, 2, 7, true, true);
    assertThat(event.name()).isNull();
    assertThat(event.data()).isEmpty();
  }

  @Test
  void readsNothingBeyondItsBytes() {
    byte[] bytes = "data: 0\n\nevent: a\ndata: 12345\n\ndata: 6".getBytes(UTF_8);
    SseEvent event = new SseEvent();
    event.set(bytes, 9, 26, true, false);
    assertThat(event.offset()).isEqualTo(9);
    assertThat(event.length()).isEqualTo(17);
    assertThat(event.name()).isEqualTo("a");
    assertThat(event.data()).asString(UTF_8).isEqualTo("12");

    byte[] spaced = "data: x".getBytes(UTF_8);
    event.set(spaced, 0, 5, true, false);
    assertThat(event.data()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"data: {\"a\":1}\n\n", "id: 1\ndata: {\"a\"\ndata: :1}\n\n"})
  void givesTheArrayThatHasTheData(String text) {
    SseEvent event = event("data: 0\n\n");
    assertThat(event.dataStart()).isEqualTo(6);
    assertThat(event.dataEnd()).isEqualTo(7);

    byte[] bytes = text.getBytes(UTF_8);
    event.set(bytes, 0, bytes.length, true, true);
    byte[] array = event.dataArray();
    assertThat(new String(array, event.dataStart(), event.dataEnd() - event.dataStart(), UTF_8))
        .isEqualToIgnoringNewLines("{\"a\":1}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"a\":[1]} ",
        "[]",
        "\"x\"",
        "true",
        "null",
        "[DONE]",
        " [DONE] ",
        "[1,\n2]"
      })
  void knowsWholeData(String data) {
    assertThat(event(dataLines(data)).hasWholeData()).isTrue();
  }

  /** A number at the end may have had more digits. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "{",
        "{\"a\":1",
        "[1",
        "\"x",
        "tru",
        "12",
        "-1.5",
        "[DON",
        "{} {}",
        "x",
        "{}1"
      })
  void knowsDataThatAreNotWhole(String data) {
    assertThat(event(dataLines(data)).hasWholeData()).isFalse();
  }

  @Test
  void isParsedOnceForAllWhoAsk() {
    SseEvent event = event("data: {\"a\":NaN,\ndata: \"b\":1}\n\n");
    JsonValue json = event.json();

    assertThat(json).isNotNull();
    assertThat(json.raw()).isEqualTo("{\"a\":null,\n\"b\":1}");
    assertThat(event.json()).isSameAs(json);
  }

  @Test
  void holdsNothingOfAnEventBefore() {
    SseEvent event = event("data: {}\n\n");
    JsonValue json = event.json();
    event.release();
    assertThat(event.json()).isNotNull().isNotSameAs(json);

    byte[] next = "data: [1]\n\n".getBytes(UTF_8);
    event.set(next, 0, next.length, true, true);
    assertThat(event.json()).isNotNull().extracting(JsonValue::raw).isEqualTo("[1]");
  }

  @ParameterizedTest
  @ValueSource(strings = {": c", "data", "data: [DONE]", "data: {", "data: {} {}"})
  void whatIsNoJsonHasNone(String line) {
    assertThat(event(line + "\n\n").json()).isNull();
  }

  /** Parsing them would take a hundred times their length. */
  @Test
  void anEventOfVeryManyValuesIsNotParsed() {
    String data = "data: [" + "0,".repeat(SseEvent.MAX_VALUES - 2);

    assertThat(event(data + "0]\n\n").json()).isNotNull();
    assertThat(event(data + "0,0]\n\n").json()).isNull();
    assertThat(event(data + "0,0]").hasWholeData()).isTrue();
  }

  private static String dataLines(String data) {
    return "event: e\ndata: " + data.replace("\n", "\ndata: ") + "\n";
  }

  private static SseEvent event(String text) {
    byte[] bytes = text.getBytes(UTF_8);
    SseEvent event = new SseEvent();
    event.set(bytes, 0, bytes.length, true, true);
    return event;
  }
}

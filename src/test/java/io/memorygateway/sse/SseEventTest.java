package io.memorygateway.sse;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

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
  void forgetsTheEventBefore() {
    SseEvent event = event("event: a\ndata: 1\ndata: 2\n\n");
    assertThat(event.name()).isEqualTo("a");

    byte[] next = "xx: c\n\nxx".getBytes(UTF_8);
    event.set(next, 2, 7, true, true);
    assertThat(event.name()).isNull();
    assertThat(event.data()).isEmpty();
  }

  private static SseEvent event(String text) {
    byte[] bytes = text.getBytes(UTF_8);
    SseEvent event = new SseEvent();
    event.set(bytes, 0, bytes.length, true, true);
    return event;
  }
}

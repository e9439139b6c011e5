package io.memorygateway.format.chat;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.figures.Figure;
import io.memorygateway.figures.Figures;
import io.memorygateway.format.translation.CountedStream;
import io.memorygateway.format.translation.Usage;
import io.memorygateway.json.JsonValue;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The end of a stream of Chat whose output is counted. */
class CountedChunksTest {
  private final CountedStream stream = new ChatFormat().openCounted(String::length);

  private static JsonValue chunk(String choices) {
    return JsonValue.of("{\"id\":\"c\",\"model\":\"m\",\"choices\":[%s]}".formatted(choices));
  }

  private static JsonValue said(int index, String text) {
    return chunk("{\"index\":%d,\"delta\":{\"content\":\"%s\"}}".formatted(index, text));
  }

  private String end() {
    Figures tokens = Figures.NONE.with(Figure.INPUT_TOKENS, 1).with(Figure.OUTPUT_TOKENS, 2);
    return new String(stream.end(new Usage(tokens)), StandardCharsets.UTF_8);
  }

  @Test
  void onlyChoicesThatWerePassedOnEnd() {
    assertThat(stream.read("", said(1, "one"))).isEqualTo(3);
    stream.take("", said(1, "one"), true);
    assertThat(stream.read("", said(2, "more"))).isEqualTo(4);

    assertThat(end()).contains("\"index\":1").doesNotContain("\"index\":2", "\"index\":0");
  }

  @Test
  void theHeadOfALongChunkIsRepeatedToo() {
    assertThat(stream.read("", said(0, "a".repeat(9000)))).isEqualTo(9000);

    assertThat(end()).startsWith("data: {\"id\":\"c\",\"model\":\"m\",\"choices\":[{\"index\":0,");
  }
}

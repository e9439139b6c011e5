package io.memorygateway.proxy.count;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.content.Media;
import io.memorygateway.format.content.Part;
import io.memorygateway.format.content.Shape;
import io.memorygateway.json.JsonValue;
import java.nio.ByteBuffer;
import java.util.Base64;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §14: an image counts by its size, as the documents of the called format say. */
class ImageTokensTest {
  /** Anthropic scales an image whose long side is over 1568 pixels, and counts 1600 at most. */
  @ParameterizedTest
  @CsvSource({
    "200, 200, 53",
    "1000, 1000, 1333",
    "4000, 100, 81",
    "100, 4000, 81",
    "8000, 8000, 1600",
    "1, 1, 1",
  })
  void anImageOfMessages(int width, int height, int tokens) {
    assertThat(ImageTokens.of(png(width, height).media(), null, false, false)).isEqualTo(tokens);
  }

  /** OpenAI fits an image into 2048 pixels, its short side into 768, and counts tiles of 512. */
  @ParameterizedTest
  @CsvSource({"512, 512, 255", "1024, 1024, 765", "2048, 4096, 1105", "4096, 100, 765"})
  void anImageOfOpenAi(int width, int height, int tokens) {
    assertThat(ImageTokens.of(png(width, height).media(), null, true, false)).isEqualTo(tokens);
  }

  /** Newer models count squares of 32 pixels, up to 2.46 tokens each. */
  @ParameterizedTest
  @CsvSource({
    "true, , 200, 200, 255",
    "true, high, 1000, 1000, 2520",
    "false, , 1000, 1000, 2520",
    "false, low, 8000, 8000, 4800",
    "true, original, 8000, 8000, 12000",
    "true, low, 8000, 8000, 308",
  })
  void theMostOfAnImage(boolean inTiles, String detail, int width, int height, int tokens) {
    assertThat(ImageTokens.of(png(width, height).media(), detail, inTiles, true)).isEqualTo(tokens);
  }

  private static Part.Image png(int width, int height) {
    byte[] head =
        ByteBuffer.allocate(24)
            .putLong(0x89504E470D0A1A0AL)
            .putInt(13)
            .putInt(0x49484452)
            .putInt(width)
            .putInt(height)
            .array();
    Media media = Media.ofData("image/png", Base64.getEncoder().encodeToString(head));
    return new Part.Image(JsonValue.of("{}"), Shape.MESSAGES, media, null);
  }
}

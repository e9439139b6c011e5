package io.memorygateway.observation.text;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingType;
import io.memorygateway.format.content.Media;
import io.memorygateway.format.content.MessagePiece;
import io.memorygateway.testing.TestTimeout;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TokenCounterTest {
  private static final TokenCounter COUNTER = new TokenCounter();
  private static final Encoding WHOLE =
      Encodings.newLazyEncodingRegistry().getEncoding(EncodingType.O200K_BASE);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"hello world\"|2",
        "\"\"|0",
        "null|0",
        "[{\"type\":\"text\",\"text\":\"hello world\"}]|2",
        "[{\"type\":\"input_text\",\"text\":\"hello\"},{\"type\":\"text\",\"text\":\" world\"}]|2",
        "[{\"type\":\"tool_use\",\"id\":\"c\",\"name\":\"search\",\"input\":{\"q\":\"tea\"}}]|6",
        "{\"tool_call_id\":\"c\",\"content\":\"hello world\"}|2",
        "{\"type\":\"function_call_output\",\"call_id\":\"c\",\"output\":\"hello world\"}|2",
      })
  void countsWhatAMessageSays(String content, int tokens) {
    assertThat(COUNTER.countContent(content)).isEqualTo(tokens);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[{\"type\":\"image_url\",\"image_url\":{\"url\":\"https://example.com/a.png\"}}]",
        "[{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"AAAA\"}}]",
        "[{\"type\":\"file\",\"file\":{\"file_id\":\"f\"}}]"
      })
  void anImageOrFileHasOnePrice(String content) {
    assertThat(COUNTER.countContent(content)).isEqualTo(TokenCounter.ATTACHMENT_TOKENS);
  }

  @Test
  void aLongTextCountsAsIfItWereNotCut() {
    String text =
        "The quick brown fox, who lives at 12 Baker Street, jumped over 3 lazy dogs.\nIt didn't stop. "
            .repeat(400);
    assertThat(COUNTER.count(text)).isEqualTo(WHOLE.countTokensOrdinary(text));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[{\"type\":\"thinking\",\"thinking\":\"hello world\",\"signature\":\"s\"}]",
        "[{\"type\":\"something_new\",\"x\":\"hello world\"}]",
      })
  void whatOnlyOneProviderKnowsCountsAsItsJson(String content) {
    String part = content.substring(1, content.length() - 1);
    assertThat(COUNTER.countContent(content)).isEqualTo(COUNTER.count(part)).isPositive();
  }

  @Test
  void theTextOfAFileCountsInPlaceOfThePrice() {
    MessagePiece file =
        new MessagePiece.Attachment(
            false, "a.txt", new Media(null, null, null, null, "hello world"), null);
    assertThat(COUNTER.count(List.of(file, new MessagePiece.Text("hello world")))).isEqualTo(4);
  }

  /** Wherever the words are, the cut is between two of them. */
  @Test
  void cutsChangeNoCountOfWords() {
    for (int shift = 0; shift < 12; shift++) {
      String text = "x".repeat(shift) + " lazy dogs, 3 in number".repeat(600);
      assertThat(COUNTER.count(text)).isEqualTo(WHOLE.countTokensOrdinary(text));
    }
  }

  @Test
  void aTextWithoutSpacesIsCutBetweenCharacters() {
    String text = "x" + "😀".repeat(4096);
    assertThat(COUNTER.count(text)).isCloseTo(WHOLE.countTokensOrdinary(text), within(8));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "hello world",
        "Überstraße, 3 € für ½ l",
        "東京都の天気",
        "x😀😀\n\t\u0001",
        "===  ---"
      })
  void noTextHasMoreTokensThanBytes(String text) {
    TokenCounter bytes = TokenCounter.ofBytes();
    assertThat(bytes.count(text))
        .isEqualTo(text.getBytes(UTF_8).length)
        .isGreaterThanOrEqualTo(COUNTER.count(text));
    List<MessagePiece> image =
        List.of(
            new MessagePiece.Attachment(
                true, "a.png", new Media(null, "https://a", null, null, null), null));
    assertThat(bytes.count(image)).isEqualTo(COUNTER.count(image));
  }

  @Test
  void noTextTakesTimeOutOfProportion() {
    String random =
        new Random(1)
            .ints(500_000, 'a', 'z' + 1)
            .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
            .toString();
    for (String text :
        new String[] {
          "a".repeat(500_000),
          " ".repeat(500_000),
          "\n".repeat(500_000),
          "=".repeat(500_000),
          "汉字".repeat(250_000),
          "😀".repeat(250_000),
          random
        }) {
      int tokens =
          Assertions.assertTimeoutPreemptively(
              TestTimeout.DEFAULT, () -> COUNTER.count(text), "does not end");
      assertThat(tokens).isBetween(1, 2 * text.length());
    }
  }
}

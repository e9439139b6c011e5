package io.memorygateway.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Utf8Test {
  /** Bytes at both sides of every bound in RFC 3629's table of sequences. */
  private static final int[] BOUNDS = {
    0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC,
    0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF
  };

  @Test
  void judgesEverySequenceAsTheStrictDecoderDoes() {
    int sequences = BOUNDS.length * BOUNDS.length * BOUNDS.length * BOUNDS.length;
    for (int sequence = 0; sequence < sequences; sequence++) {
      byte[] bytes = new byte[4];
      for (int i = 0, rest = sequence; i < bytes.length; i++, rest /= BOUNDS.length) {
        bytes[i] = (byte) BOUNDS[rest % BOUNDS.length];
      }
      assertJudged(bytes);
    }
  }

  @Test
  void judgesASequenceWhereverItIs() {
    Random random = new Random(20261123);
    for (int round = 0; round < 20_000; round++) {
      byte[] bytes = new byte[random.nextInt(40)];
      Arrays.fill(bytes, (byte) 'a');
      byte[] inner = new byte[random.nextInt(5)];
      for (int i = 0; i < inner.length; i++) {
        inner[i] = (byte) BOUNDS[random.nextInt(BOUNDS.length)];
      }
      int length = Math.min(inner.length, bytes.length);
      System.arraycopy(inner, 0, bytes, random.nextInt(bytes.length - length + 1), length);
      assertJudged(bytes);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"\u00e9", "\u20ac", "\ud83d\ude00"})
  void aSequenceThatIsCutIsNotValid(String character) {
    byte[] whole = ("aaaaaaaa" + character).getBytes(UTF_8);
    for (int length = 9; length < whole.length; length++) {
      assertThat(Utf8.isValid(Arrays.copyOf(whole, length))).isFalse();
    }
    assertThat(Utf8.isValid(whole)).isTrue();
  }

  @Test
  void onlyAWholeByteOrderMarkAtTheStartIsRemoved() {
    assertThat(Utf8.withoutByteOrderMark("\ufeff".getBytes(UTF_8))).isEmpty();
    assertThat(Utf8.withoutByteOrderMark("\ufeff{}".getBytes(UTF_8)))
        .asString(UTF_8)
        .isEqualTo("{}");
    for (String without : new String[] {"", "{}", "{\ufeff}", "\ufefe{}", "\uff3f{}", "\uefff{}"}) {
      byte[] bytes = without.getBytes(UTF_8);
      assertThat(Utf8.withoutByteOrderMark(bytes)).isSameAs(bytes);
    }
    byte[] cut = {(byte) 0xEF, (byte) 0xBB};
    assertThat(Utf8.withoutByteOrderMark(cut)).isSameAs(cut);
  }

  private static void assertJudged(byte[] bytes) {
    if (Utf8.isValid(bytes) != isDecoded(bytes)) {
      assertThat(Utf8.isValid(bytes)).as(Arrays.toString(bytes)).isEqualTo(isDecoded(bytes));
    }
  }

  private static boolean isDecoded(byte[] bytes) {
    return !UTF_8
        .newDecoder()
        .decode(ByteBuffer.wrap(bytes), CharBuffer.allocate(bytes.length), true)
        .isError();
  }
}

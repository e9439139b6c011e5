package io.memorygateway.http.arrival;

import static com.google.common.primitives.Bytes.concat;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDictTrainer;
import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import io.memorygateway.http.errors.ApiException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §3: a body that was cut off, or damaged, is malformed. */
class UnzstdInputStreamTest {
  private static final String TEXT = "{\"a\":\"" + "lorem ipsum ".repeat(3000) + "\"}";
  private static final byte[] SKIPPABLE = {0x50, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3};

  @Test
  void whatWasCompressedComesBack() throws IOException {
    byte[] random = random((1 << 20) + 100_000); // more than the window

    assertThat(unzstd(zstd(TEXT.getBytes(UTF_8)))).isEqualTo(TEXT.getBytes(UTF_8));
    assertThat(unzstd(zstd(random))).isEqualTo(random);
    assertThat(unzstd(streamed(random, 20))).isEqualTo(random);
    assertThat(unzstd(zstd(new byte[0]))).isEmpty();
    assertThat(unzstd(new byte[0])).isEmpty();
  }

  @Test
  void framesAreJoined() throws IOException {
    byte[] all =
        concat(
            SKIPPABLE,
            zstd("a".getBytes(UTF_8)),
            zstd(new byte[0]),
            SKIPPABLE,
            streamed("bc".getBytes(UTF_8), 20),
            SKIPPABLE);

    assertThat(unzstd(all)).isEqualTo("abc".getBytes(UTF_8));
  }

  @Test
  void aBodyThatIsCutOffAnywhereIsRefused() throws IOException {
    byte[] first = zstd("first".getBytes(UTF_8));
    byte[] second = concat(first, streamed("second".getBytes(UTF_8), 20));
    byte[] whole = concat(second, SKIPPABLE);
    for (int length = 1; length < whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      if (length == first.length) {
        assertThat(unzstd(cut)).isEqualTo("first".getBytes(UTF_8));
      } else if (length == second.length) {
        assertThat(unzstd(cut)).isEqualTo("firstsecond".getBytes(UTF_8));
      } else {
        assertThatThrownBy(() -> unzstd(cut)).as("%d", length).isInstanceOf(IOException.class);
      }
    }
  }

  @Test
  void aBodyThatIsDamagedIsRefused() throws IOException {
    byte[] damaged = streamed(TEXT.getBytes(UTF_8), 20);
    damaged[damaged.length - 1] ^= 1;
    assertThatThrownBy(() -> unzstd(damaged)).isInstanceOf(IOException.class);
    for (int length = 1; length < 10; length++) {
      byte[] junk = concat(zstd("something".getBytes(UTF_8)), new byte[length]);
      assertThatThrownBy(() -> unzstd(junk)).as("%d", length).isInstanceOf(IOException.class);
    }
  }

  @Test
  @Tag("heavy")
  void aWindowOfUpTo8MbIsTaken() throws IOException {
    byte[] random = random(9 << 20);

    assertThat(unzstd(streamed(random, 23))).isEqualTo(random);
  }

  @ParameterizedTest
  @ValueSource(ints = {24, 27})
  void aLargerWindowIsRefusedBeforeItIsFilled(int log) throws IOException {
    byte[] few = streamed("few".getBytes(UTF_8), log);

    assertThatThrownBy(() -> unzstd(few))
        .isInstanceOf(ApiException.class)
        .hasMessageContaining("window");
  }

  @Test
  void aBodyThatNeedsADictionaryIsRefused() {
    ZstdDictTrainer trainer = new ZstdDictTrainer(1 << 20, 4096);
    for (int i = 0; i < 2000; i++) {
      trainer.addSample(("{\"name\":\"user" + i + "\",\"id\":" + i * 7 + "}").getBytes(UTF_8));
    }
    byte[] body = Zstd.compressUsingDict("{\"name\":1}".getBytes(UTF_8), trainer.trainSamples(), 3);

    assertThatThrownBy(() -> unzstd(body))
        .isInstanceOf(ApiException.class)
        .hasMessageContaining("dictionary");
  }

  private static byte[] zstd(byte[] bytes) {
    return Zstd.compress(bytes);
  }

  /** As a client compresses that does not know the length in advance. */
  private static byte[] streamed(byte[] bytes, int windowLog) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (ZstdOutputStreamNoFinalizer zstd = new ZstdOutputStreamNoFinalizer(out)) {
      zstd.setLong(windowLog);
      zstd.setChecksum(true);
      zstd.write(bytes);
    }
    return out.toByteArray();
  }

  private static byte[] random(int length) {
    byte[] random = new byte[length];
    new Random(3).nextBytes(random);
    return random;
  }

  private static byte[] unzstd(byte[] bytes) throws IOException {
    return Decoded.of(bytes, UnzstdInputStream::new);
  }
}

package io.memorygateway.http.arrival;

import static com.google.common.primitives.Bytes.concat;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipException;
import org.junit.jupiter.api.Test;

/** Contract §3: a body that was cut off, or damaged, is malformed. */
class GunzipInputStreamTest {
  private static final String TEXT = "{\"a\":\"" + "lorem ipsum ".repeat(3000) + "\"}";

  @Test
  void whatWasCompressedComesBack() throws IOException {
    byte[] random = new byte[100_000];
    new Random(3).nextBytes(random);

    assertThat(gunzip(gzip(TEXT.getBytes(UTF_8)))).isEqualTo(TEXT.getBytes(UTF_8));
    assertThat(gunzip(gzip(random))).isEqualTo(random);
    assertThat(gunzip(gzip(new byte[0]))).isEmpty();
    assertThat(gunzip(new byte[0])).isEmpty();
  }

  @Test
  void membersAreJoined() throws IOException {
    byte[] all = concat(gzip("a".getBytes(UTF_8)), gzip(new byte[0]), gzip("bc".getBytes(UTF_8)));

    assertThat(gunzip(all)).isEqualTo("abc".getBytes(UTF_8));
  }

  @Test
  void aBodyThatIsCutOffAnywhereIsRefused() throws IOException {
    byte[] whole = concat(gzip("first".getBytes(UTF_8)), gzip("second".getBytes(UTF_8)));
    int first = gzip("first".getBytes(UTF_8)).length;
    for (int length = 1; length < whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      if (length == first) {
        assertThat(gunzip(cut)).isEqualTo("first".getBytes(UTF_8));
      } else {
        assertThatThrownBy(() -> gunzip(cut)).as("%d", length).isInstanceOf(ZipException.class);
      }
    }
  }

  @Test
  void aBodyThatIsDamagedIsRefused() throws IOException {
    byte[] whole = gzip("something".getBytes(UTF_8));
    // Of the header, time, level and system say nothing that matters, nor does a flag for text.
    for (int at = 0; at < whole.length; at = at == 3 ? 10 : at + 1) {
      byte[] damaged = whole.clone();
      damaged[at] ^= (byte) (at == 3 ? 0x80 : 0x01);
      assertThatThrownBy(() -> gunzip(damaged)).as("%d", at).isInstanceOf(ZipException.class);
    }
    assertThatThrownBy(() -> gunzip(concat(whole, "garbage".getBytes(UTF_8))))
        .isInstanceOf(ZipException.class);
    assertThatThrownBy(() -> gunzip(concat(whole, new byte[3]))).isInstanceOf(ZipException.class);
  }

  @Test
  void everyPartOfAHeaderIsUnderstood() throws IOException {
    byte[] plain = gzip("x".getBytes(UTF_8));
    ByteArrayOutputStream header = new ByteArrayOutputStream();
    header.writeBytes(new byte[] {0x1F, (byte) 0x8B, 8, 2 | 4 | 8 | 16, 1, 2, 3, 4, 0, 3});
    header.writeBytes(new byte[] {2, 0, 'e', 'x'});
    header.writeBytes("name\0comment\0".getBytes(UTF_8));
    CRC32 checksum = new CRC32();
    checksum.update(header.toByteArray());
    header.write((int) checksum.getValue());
    header.write((int) (checksum.getValue() >> 8));
    header.write(plain, 10, plain.length - 10);

    assertThat(gunzip(header.toByteArray())).isEqualTo("x".getBytes(UTF_8));
  }

  private static byte[] gzip(byte[] bytes) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(bytes);
    }
    return out.toByteArray();
  }

  private static byte[] gunzip(byte[] bytes) throws IOException {
    return Decoded.of(bytes, GunzipInputStream::new);
  }
}

package io.memorygateway.proxy.upstream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipException;
import org.junit.jupiter.api.Test;

class PackedAnswerTest {
  /** Java's own reader takes stack for each member without data. */
  @Test
  void membersWithoutDataTakeNoStack() throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    byte[] none = gzip("");
    for (int i = 0; i < 20_000; i++) {
      all.writeBytes(none);
    }
    all.writeBytes(gzip("{}"));

    assertThat(unpacked(all.toByteArray(), 2)).asString(UTF_8).isEqualTo("{}");
  }

  @Test
  void whatIsNoGzipOrTooLargeIsRefused() throws IOException {
    byte[] packed = gzip("{}");

    assertThat(unpacked(new byte[0], 2)).isEmpty();
    assertThatThrownBy(() -> unpacked(packed, 1)).isInstanceOf(ZipException.class);
    assertThatThrownBy(() -> unpacked("{}".getBytes(UTF_8), 2)).isInstanceOf(ZipException.class);
  }

  private static byte[] unpacked(byte[] packed, int maxBytes) throws IOException {
    return PackedAnswer.unpacked(packed, maxBytes, bytes -> true);
  }

  private static byte[] gzip(String text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      out.write(text.getBytes(UTF_8));
    }
    return bytes.toByteArray();
  }
}

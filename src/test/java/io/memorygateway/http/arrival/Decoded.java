package io.memorygateway.http.arrival;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** What a stream decodes, read in one piece and byte by byte: both have to be the same. */
final class Decoded {
  private Decoded() {}

  /** Opens a stream that decodes another. */
  interface Decoder {
    InputStream open(InputStream coded) throws IOException;
  }

  static byte[] of(byte[] coded, Decoder decoder) throws IOException {
    InputStream slow =
        new FilterInputStream(new ByteArrayInputStream(coded)) {
          @Override
          public int read(byte[] to, int offset, int length) throws IOException {
            return super.read(to, offset, Math.min(length, 1));
          }

          @Override
          public int available() {
            return 0;
          }
        };
    try (InputStream in = decoder.open(new ByteArrayInputStream(coded));
        InputStream slowly = decoder.open(slow)) {
      byte[] all = in.readAllBytes();
      assertThat(slowly.readAllBytes()).isEqualTo(all);
      return all;
    }
  }
}

package io.memorygateway.proxy.upstream;

import io.memorygateway.http.arrival.GunzipInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.zip.ZipException;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;

/** An answer that was compressed, although nobody asked for it. */
final class PackedAnswer {
  private static final Set<String> KNOWN = Set.of("gzip", "x-gzip");
  private static final int BUFFER = 16 << 10;

  private PackedAnswer() {}

  static boolean isPacked(Response head) {
    String coding = coding(head);
    boolean isEmpty =
        head.getStatus() == HttpStatus.NO_CONTENT_204
            || head.getStatus() == HttpStatus.NOT_MODIFIED_304
            || head.getHeaders().getLongField(HttpHeader.CONTENT_LENGTH) == 0;
    return !isEmpty && !coding.isEmpty() && !coding.equals("identity");
  }

  /** Whether it can be unpacked. */
  static boolean isKnown(Response head) {
    return KNOWN.contains(coding(head));
  }

  private static String coding(Response head) {
    String coding = head.getHeaders().get(HttpHeader.CONTENT_ENCODING);
    return coding == null ? "" : coding.strip().toLowerCase(Locale.ROOT);
  }

  /**
   * The bytes of a whole answer in gzip.
   *
   * @param heap whether there is heap for so many of them
   * @throws ZipException if they are damaged, end too early, or are too many
   */
  static byte[] unpacked(byte[] packed, int maxBytes, LongPredicate heap) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    byte[] buffer = new byte[BUFFER];
    try (InputStream in = new GunzipInputStream(new ByteArrayInputStream(packed))) {
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        all.write(buffer, 0, read);
        if (all.size() > maxBytes || !heap.test(all.size())) {
          throw new ZipException("there is no room for all of it");
        }
      }
    }
    return all.toByteArray();
  }
}

package io.memorygateway.proxy.upstream;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Locale;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.http.HttpHeader;

/** An answer that was compressed, although nobody asked for it. */
final class PackedAnswer {
  private static final Set<String> KNOWN = Set.of("gzip", "x-gzip");
  private static final int BUFFER = 16 << 10;

  private PackedAnswer() {}

  static boolean isPacked(Response head) {
    String coding = coding(head);
    return !coding.isEmpty() && !coding.equals("identity");
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
    try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(packed))) {
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        all.write(buffer, 0, read);
        if (all.size() > maxBytes || !heap.test(all.size())) {
          throw new ZipException("there is no room for all of it");
        }
      }
    } catch (IOException e) {
      throw new ZipException(String.valueOf(e.getMessage()));
    }
    return all.toByteArray();
  }
}

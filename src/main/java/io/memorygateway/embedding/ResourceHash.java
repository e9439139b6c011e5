package io.memorygateway.embedding;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/** The hash of a resource's id, under which its vectors are stored together. */
final class ResourceHash {
  private static final int BYTES = 16;

  /** The same hash in SQL, of the column {@code resource_id} of {@code thread_heads h}. */
  static final String SQL = "LEFT(UNHEX(SHA2(h.resource_id, 256)), " + BYTES + ")";

  private ResourceHash() {}

  static byte[] of(String resourceId) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(resourceId.getBytes(StandardCharsets.UTF_8));
      return Arrays.copyOf(digest, BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}

package io.memorygateway.embedding;

import io.memorygateway.json.Sha256;
import java.util.Arrays;

/** The hash of a resource's id, under which its vectors are stored together. */
final class ResourceHash {
  private static final int BYTES = 16;

  /** The same hash in SQL, of the column {@code resource_id} of {@code thread_heads h}. */
  static final String SQL = "LEFT(UNHEX(SHA2(h.resource_id, 256)), " + BYTES + ")";

  private ResourceHash() {}

  static byte[] of(String resourceId) {
    return Arrays.copyOf(Sha256.of(resourceId), BYTES);
  }
}

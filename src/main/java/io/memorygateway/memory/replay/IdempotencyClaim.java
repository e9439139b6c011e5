package io.memorygateway.memory.replay;

import io.memorygateway.auth.Caller;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.json.Characters;
import io.memorygateway.json.Sha256;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Claim of a write on its Idempotency-Key.
 *
 * @param requestHash hex SHA-256 of method, path, query and body; the same key with another hash
 *     belongs to another request
 */
public record IdempotencyClaim(Key key, String requestHash) {
  /** The header that makes a write safe to send again. */
  public static final String HEADER = "Idempotency-Key";

  private static final int MAX_KEY_LENGTH = 255;

  /**
   * An Idempotency-Key, scoped to its project.
   *
   * @param hash hex SHA-256 of the Idempotency-Key
   */
  public record Key(long projectId, String hash) {}

  public record WithResponse(IdempotencyClaim claim, StoredResponse.Content response) {}

  /**
   * Returns the claim of a request; null if it has no Idempotency-Key.
   *
   * @throws ApiException 400 if the key is invalid
   */
  public static @Nullable IdempotencyClaim of(
      Caller caller, @Nullable String key, String method, URI uri, byte[] body) {
    if (key == null) {
      return null;
    }
    check(key);
    MessageDigest request = Sha256.begin();
    request.update((method + " " + uri.getRawPath() + "?").getBytes(StandardCharsets.UTF_8));
    String query = uri.getRawQuery();
    request.update((query == null ? "" : query).getBytes(StandardCharsets.UTF_8));
    request.update((byte) 0);
    request.update(body);
    return of(caller, key, request.digest());
  }

  /**
   * Returns the claim of a proxied call.
   *
   * @param request SHA-256 of everything that identifies the call
   * @throws ApiException 400 if the key is invalid
   */
  public static IdempotencyClaim ofCall(Caller caller, String key, byte[] request) {
    check(key);
    return of(caller, key, request);
  }

  private static IdempotencyClaim of(Caller caller, String key, byte[] request) {
    return new IdempotencyClaim(
        new Key(caller.projectId(), Sha256.hex(key)), HexFormat.of().formatHex(request));
  }

  private static void check(String key) {
    if (key.isBlank()
        || key.length() > MAX_KEY_LENGTH
        || key.chars().anyMatch(Character::isISOControl)
        || !Characters.areStorable(key)) {
      throw ApiException.invalidRequest(
          "Idempotency-Key must have 1 to 255 characters, none of them a control character.");
    }
  }
}

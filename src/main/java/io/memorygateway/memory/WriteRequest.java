package io.memorygateway.memory;

import io.memorygateway.auth.Caller;
import io.memorygateway.http.ApiError;
import io.memorygateway.http.ApiException;
import io.memorygateway.json.Characters;
import jakarta.ws.rs.core.UriInfo;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Who asks for a write, and what tells it from another one.
 *
 * @param claim null if the request has no Idempotency-Key
 */
record WriteRequest(Caller caller, @Nullable IdempotencyClaim claim) {
  /** The header that makes a write safe to send again. */
  static final String IDEMPOTENCY_KEY = "Idempotency-Key";

  private static final int MAX_KEY_LENGTH = 255;

  /**
   * The write that a request stands for.
   *
   * @throws ApiException 400 if the key is not one
   */
  static WriteRequest of(
      Caller caller, @Nullable String key, String method, UriInfo uri, byte[] body) {
    if (key == null) {
      return new WriteRequest(caller, null);
    }
    if (key.isBlank()
        || key.length() > MAX_KEY_LENGTH
        || key.chars().anyMatch(Character::isISOControl)
        || !Characters.areStorable(key)) {
      throw new ApiException(
          ApiError.invalidRequest(
              "Idempotency-Key must have 1 to 255 characters, none of them a control character."));
    }
    MessageDigest request = sha256();
    request.update(
        (method + " " + uri.getRequestUri().getRawPath() + "?").getBytes(StandardCharsets.UTF_8));
    String query = uri.getRequestUri().getRawQuery();
    request.update((query == null ? "" : query).getBytes(StandardCharsets.UTF_8));
    request.update((byte) 0);
    request.update(body);
    String hash = hex(sha256().digest(key.getBytes(StandardCharsets.UTF_8)));
    return new WriteRequest(
        caller,
        new IdempotencyClaim(
            new IdempotencyClaim.Key(caller.projectId(), hash), hex(request.digest())));
  }

  private static String hex(byte[] hash) {
    return HexFormat.of().formatHex(hash);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }
}

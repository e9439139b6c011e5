package io.memorygateway.turn;

import io.memorygateway.auth.Caller;
import io.memorygateway.format.call.RequestBody;
import io.memorygateway.json.Sha256;
import io.memorygateway.memory.replay.IdempotencyClaim;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The identity by which a call is recognised as the same as an earlier one: an id that its caller
 * gave it, and its whole content.
 *
 * @param key its Idempotency-Key; null if it has none
 * @param seed of the ids of its messages, the same for a call that is sent again with its {@code
 *     X-Request-Id}; null if the caller gave neither, or gave a key, which takes precedence
 */
record CallIdentity(@Nullable IdempotencyClaim key, @Nullable String seed) {
  static final CallIdentity NONE = new CallIdentity(null, null);

  static CallIdentity of(Caller caller, MemoryRequest request, RequestBody body) {
    if (request.idempotencyKey() == null && request.requestId() == null) {
      return NONE;
    }
    MessageDigest call = Sha256.begin();
    add(call, request.target());
    add(call, request.threadId());
    add(call, request.resourceId());
    call.update(body.bytes());
    byte[] hash = call.digest();
    if (request.idempotencyKey() != null) {
      return new CallIdentity(
          IdempotencyClaim.ofCall(caller, request.idempotencyKey(), hash), null);
    }
    MessageDigest seed = Sha256.begin();
    add(seed, request.requestId());
    seed.update(hash);
    return new CallIdentity(null, HexFormat.of().formatHex(seed.digest()));
  }

  private static void add(MessageDigest digest, @Nullable String text) {
    digest.update((text == null ? "" : text).getBytes(StandardCharsets.UTF_8));
    digest.update((byte) 0);
  }
}

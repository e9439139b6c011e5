package io.memorygateway.turn;

import io.memorygateway.auth.Caller;
import io.memorygateway.format.call.RequestBody;
import io.memorygateway.json.Sha256;
import io.memorygateway.memory.replay.IdempotencyClaim;
import io.memorygateway.memory.rows.LastCall;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The identity by which a call is recognised as the same as an earlier one.
 *
 * @param key its Idempotency-Key; null if it has none
 * @param hash hex SHA-256 of its target, thread and body
 */
record CallIdentity(@Nullable IdempotencyClaim key, String hash) {
  static CallIdentity of(Caller caller, MemoryRequest request, RequestBody body) {
    MessageDigest call = Sha256.begin();
    add(call, request.target());
    add(call, request.threadId());
    add(call, request.resourceId());
    new TreeMap<>(body.kept().replaced())
        .forEach(
            (name, text) -> {
              add(call, name);
              add(call, text);
            });
    call.update(body.bytes());
    byte[] hash = call.digest();
    String key = request.idempotencyKey();
    return new CallIdentity(
        key == null ? null : IdempotencyClaim.ofCall(caller, key, hash),
        HexFormat.of().formatHex(hash));
  }

  /** Whether a thread ends with the answer to the same call. */
  boolean is(LastCall last) {
    return !last.isUnanswered() && last.hash().equals(hash);
  }

  private static void add(MessageDigest digest, @Nullable String text) {
    digest.update((text == null ? "" : text).getBytes(StandardCharsets.UTF_8));
    digest.update((byte) 0);
  }
}

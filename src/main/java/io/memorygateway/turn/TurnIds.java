package io.memorygateway.turn;

import io.memorygateway.json.Sha256;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The ids of the messages of one turn. For a call that can be sent again with the same {@code
 * X-Request-Id} they are derived from what identifies the call (UUIDs of version 8, RFC 9562): a
 * turn that a node stored before it died is found by them in the thread, on any node, and the
 * unique key of messages keeps it from being stored twice. They depend on the time too, so that
 * after some minutes the same id and content are a new call.
 */
final class TurnIds {
  private static final Duration PERIOD = Duration.ofMinutes(5);

  private static final long VERSION_8 = 0x8000L;
  private static final long VARIANT = 0x8000_0000_0000_0000L;

  private final Supplier<String> newId;
  private final long thread;
  private final long period;
  private final @Nullable String seed;

  private TurnIds(Supplier<String> newId, long thread, long period, @Nullable String seed) {
    this.newId = newId;
    this.thread = thread;
    this.period = period;
    this.seed = seed;
  }

  /**
   * The ids for a call.
   *
   * @param newId for a call that cannot be recognised
   * @param thread {@code threads.id}
   * @param now when the call was opened
   */
  static TurnIds of(CallIdentity identity, Supplier<String> newId, long thread, Instant now) {
    return new TurnIds(newId, thread, now.getEpochSecond() / PERIOD.toSeconds(), identity.seed());
  }

  /** The ids under which the same call may have been stored, the likeliest first. */
  List<TurnIds> candidates() {
    return seed == null ? List.of() : List.of(this, new TurnIds(newId, thread, period - 1, seed));
  }

  /** Id of a message of the call. */
  String questionId(int index) {
    return id("asked", index);
  }

  /** Id of a message of the answer. */
  String answerId(int index) {
    return id("said", index);
  }

  /** Whether another attempt of the same call has the same ids. */
  boolean isShared() {
    return seed != null;
  }

  /** Random ids, which no other attempt has. */
  TurnIds unshared() {
    return new TurnIds(newId, thread, period, null);
  }

  private String id(String kind, int index) {
    if (seed == null) {
      return newId.get();
    }
    MessageDigest digest = Sha256.begin();
    digest.update(ByteBuffer.allocate(20).putLong(thread).putLong(period).putInt(index).array());
    digest.update((seed + kind).getBytes(StandardCharsets.US_ASCII));
    ByteBuffer hash = ByteBuffer.wrap(digest.digest());
    long high = (hash.getLong() & ~0xf000L) | VERSION_8;
    long low = (hash.getLong() >>> 2) | VARIANT;
    return new UUID(high, low).toString();
  }
}

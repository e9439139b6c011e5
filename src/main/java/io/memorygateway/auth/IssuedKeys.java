package io.memorygateway.auth;

import io.memorygateway.database.FailuresInARow;
import io.memorygateway.database.RowPages;
import java.util.Arrays;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.jdbi.v3.core.Jdbi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fingerprints of all keys that are not revoked, in memory: they tell a key that is new to this
 * node from a guess without a look-up, however many guesses come from its address (contract §2).
 * They are loaded in the background while somebody guesses, and never otherwise; a fingerprint
 * admits nobody, but lets the key be looked up.
 */
final class IssuedKeys {
  private static final Logger LOGGER = LoggerFactory.getLogger(IssuedKeys.class);

  private static final long RELOAD_AFTER_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Loading takes this part of the time at most, however many keys there are. */
  private static final int PAUSE_FACTOR = 20;

  /** Hexadecimal digits of a hash that are its fingerprint. */
  private static final int FINGERPRINT_DIGITS = 16;

  private final Supplier<LongStream> source;
  private final Executor background;
  private final LongSupplier nanoTime;
  private final FailuresInARow failures = new FailuresInARow();
  private final AtomicBoolean loading = new AtomicBoolean();
  private volatile long[] fingerprints = {};
  private volatile long loadAt;

  /**
   * Creates an empty set, which is loaded once it is asked for the first time.
   *
   * @param source loads the fingerprints of all keys, in any order
   * @param background runs it
   * @param nanoTime as {@link System#nanoTime()}
   */
  IssuedKeys(Supplier<LongStream> source, Executor background, LongSupplier nanoTime) {
    this.source = source;
    this.background = background;
    this.nanoTime = nanoTime;
    this.loadAt = nanoTime.getAsLong();
  }

  /**
   * Whether a well-formed secret is that of a key, as of about a second ago. Has the fingerprints
   * loaded anew if they are older; does not wait for them.
   */
  boolean contain(String secret) {
    long[] known = fingerprints;
    if (nanoTime.getAsLong() - loadAt >= 0 && loading.compareAndSet(false, true)) {
      background.execute(this::load);
    }
    return Arrays.binarySearch(known, fingerprint(IssuedSecret.hash(secret))) >= 0;
  }

  private void load() {
    long begun = nanoTime.getAsLong();
    try {
      fingerprints = source.get().sorted().toArray();
      failures.end();
    } catch (RuntimeException e) {
      if (failures.isWorthALine()) {
        LOGGER.warn("The fingerprints of API keys could not be loaded: {}", e.toString());
      }
    } finally {
      long now = nanoTime.getAsLong();
      loadAt = now + Math.max(RELOAD_AFTER_NANOS, (now - begun) * PAUSE_FACTOR);
      loading.set(false);
    }
  }

  /** The fingerprint of a hash, which is lower-case hex. */
  static long fingerprint(String hash) {
    return Long.parseUnsignedLong(hash, 0, FINGERPRINT_DIGITS, 16);
  }

  /** Loads the fingerprints of all keys that are not revoked. */
  static LongStream loadAll(Jdbi jdbi) {
    return RowPages.read(
            KeyFingerprint::id,
            after -> jdbi.withExtension(ApiKeyDao.class, dao -> dao.fingerprintsAfter(after)))
        .stream()
        .mapToLong(key -> fingerprint(key.digits()));
  }

  /**
   * Fingerprint of one key.
   *
   * @param digits the first {@value #FINGERPRINT_DIGITS} digits of its hash
   */
  public record KeyFingerprint(long id, String digits) {}
}

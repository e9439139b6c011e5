package io.memorygateway.proxy.call;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Whether a provider accepts the gateway's own key (contract §10). One refused call says little:
 * its model may be out of the account's reach. It has the provider asked about the key itself;
 * where that leads to nothing, several refusals without a good answer in between decide.
 * Thread-safe.
 */
public final class ProviderKeyState {
  /** Statuses by which a provider refuses a key: unknown, unpaid or not permitted. */
  public static final Set<Integer> REFUSALS = Set.of(401, 402, 403);

  private static final int UNKNOWN_KEY = 401;
  private static final int MIN_REFUSALS = 3;
  private static final Duration LOOK_UP_INTERVAL = Duration.ofMinutes(1);

  /** A refusal that is neither repeated nor confirmed for so long is forgotten. */
  private static final Duration KEPT = Duration.ofMinutes(10);

  private final InstantSource clock;
  private volatile boolean suspected;
  private int refusals;
  private int unknownKey;
  private long firstKey;
  private boolean ofTwoKeys;
  private boolean confirmed;
  private Instant lookedUpAt = Instant.EPOCH;
  private Instant since = Instant.EPOCH;
  private Instant last = Instant.EPOCH;

  /** What a provider says of a key that is sent without a model. */
  public enum LookUp {
    REFUSED,
    ACCEPTED,
    /** It does not say, or would have said the same to anybody. */
    UNKNOWN
  }

  ProviderKeyState(InstantSource clock) {
    this.clock = clock;
  }

  /**
   * Records an answer to a call with the gateway's own key.
   *
   * @param caller id of the API key that the call was made with
   */
  public void answered(int status, long caller) {
    if (REFUSALS.contains(status)) {
      refused(status, caller);
    } else if (status < 400 && suspected) {
      forget();
    }
  }

  private synchronized void refused(int status, long caller) {
    begin();
    if (refusals == 0) {
      firstKey = caller;
    }
    refusals++;
    unknownKey += status == UNKNOWN_KEY ? 1 : 0;
    ofTwoKeys |= caller != firstKey;
  }

  private void begin() {
    Instant now = clock.instant();
    forgetIfOld();
    if (!suspected) {
      suspected = true;
      since = now;
    }
    last = now;
  }

  private void forgetIfOld() {
    if (suspected && last.isBefore(clock.instant().minus(KEPT))) {
      forget();
    }
  }

  private synchronized void forget() {
    suspected = false;
    refusals = 0;
    unknownKey = 0;
    ofTwoKeys = false;
    confirmed = false;
  }

  /** Whether the provider is to be asked about the key now. */
  public synchronized boolean isLookUpDue() {
    forgetIfOld();
    return suspected && !clock.instant().isBefore(lookedUpAt.plus(LOOK_UP_INTERVAL));
  }

  public synchronized void lookedUp(LookUp outcome) {
    lookedUpAt = clock.instant();
    if (outcome == LookUp.REFUSED) {
      begin();
      confirmed = true;
    } else if (outcome == LookUp.ACCEPTED && (confirmed || !ofTwoKeys)) {
      forget();
    }
  }

  /** Time since which the provider refuses the key; null while it does not. */
  public synchronized @Nullable Instant refusedSince() {
    forgetIfOld();
    boolean repeated = refusals >= MIN_REFUSALS && (ofTwoKeys || unknownKey == refusals);
    return suspected && (confirmed || repeated) ? since : null;
  }
}

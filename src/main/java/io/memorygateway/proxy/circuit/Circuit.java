package io.memorygateway.proxy.circuit;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Circuit breaker of one target (contract §10). Each key that calls it has a circuit of its own, so
 * that what one caller provokes keeps the target from that caller alone; a circuit for all keys
 * opens when those of two projects' keys are open at the same time, or of two keys while no other
 * project calls the target. Thread-safe.
 */
public final class Circuit {
  private static final int MAX_KEYS = 1_000;
  private static final long NO_PROJECT = 0;

  /** What a key has not used for so long is forgotten. */
  private static final Duration KEPT = Duration.ofMinutes(10);

  private final InstantSource clock;
  private final int maxKeys;
  private final Map<Long, KeyCircuit> keys = new ConcurrentHashMap<>();
  private final KeyCircuit forAll;

  public enum State {
    /** Calls go through. */
    CLOSED,
    /** Calls are refused. */
    OPEN,
    /** One call at a time is let through as a probe of the target. */
    HALF_OPEN,
    /** Calls are refused until an operator closes it. */
    FORCED_OPEN
  }

  /**
   * What operators see.
   *
   * @param state for all keys; if that is closed, of the key whose circuit is most open
   * @param openSince null while it is closed for everybody
   * @param openUntil when the next call is let through as a probe; null if it is not open, or was
   *     opened by an operator
   * @param failures among the calls that count at present
   * @param openForKeys keys whose own circuits are not closed
   */
  public record View(
      State state,
      @Nullable Instant openSince,
      @Nullable Instant openUntil,
      int failures,
      int openForKeys,
      boolean openForAll) {}

  public Circuit(InstantSource clock) {
    this(clock, MAX_KEYS);
  }

  /** Creates a closed circuit that remembers so many keys. */
  public Circuit(InstantSource clock, int maxKeys) {
    this.clock = clock;
    this.maxKeys = maxKeys;
    this.forAll = new KeyCircuit(clock, NO_PROJECT);
  }

  /** Permission for a call with this key of a project; null while the circuit is open for it. */
  public @Nullable Permit tryAcquire(long key, long project) {
    KeyCircuit own = of(key, project);
    KeyCircuit.Permit ofKey = own.tryAcquire();
    if (ofKey == null) {
      return null;
    }
    KeyCircuit.Permit ofAll = acquireForAll();
    if (ofAll == null) {
      own.released(ofKey);
      return null;
    }
    return new Permit(own, ofKey, ofAll);
  }

  /** Permission for a call that has no other target, whatever the state. */
  public Permit acquireWhileOpen(long key, long project) {
    KeyCircuit own = of(key, project);
    KeyCircuit.Permit ofKey = own.tryAcquire();
    KeyCircuit.Permit ofAll = acquireForAll();
    return new Permit(
        own,
        ofKey == null ? KeyCircuit.Permit.DESPITE : ofKey,
        ofAll == null ? KeyCircuit.Permit.DESPITE : ofAll);
  }

  private KeyCircuit.@Nullable Permit acquireForAll() {
    // Without a lock across keys as long as it is closed.
    return forAll.state() == State.CLOSED ? KeyCircuit.Permit.CALL : forAll.tryAcquire();
  }

  private KeyCircuit of(long key, long project) {
    KeyCircuit known = keys.get(key);
    if (known != null) {
      return known;
    }
    if (keys.size() >= maxKeys) {
      forgetIdle();
      if (keys.size() >= maxKeys) {
        keys.entrySet().stream()
            .min(
                Comparator.<Map.Entry<Long, KeyCircuit>, Boolean>comparing(
                        entry -> !entry.getValue().isClean())
                    .thenComparing(entry -> entry.getValue().idleSince()))
            .ifPresent(entry -> keys.remove(entry.getKey()));
      }
    }
    if (forAll.state() != State.FORCED_OPEN && isOfOtherProject(project)) {
      // What two keys of one project met there is no evidence for another one.
      forAll.reset();
    }
    return keys.computeIfAbsent(key, unknown -> new KeyCircuit(clock, project));
  }

  /** Whether all keys so far are of one project, and it is another one. */
  private boolean isOfOtherProject(long project) {
    long[] projects = keys.values().stream().mapToLong(KeyCircuit::project).distinct().toArray();
    return projects.length == 1 && projects[0] != project;
  }

  private void forgetIdle() {
    Instant before = clock.instant().minus(KEPT);
    keys.values().removeIf(circuit -> circuit.idleSince().isBefore(before));
    if (forAll.idleSince().isBefore(before) && forAll.state() != State.FORCED_OPEN) {
      forAll.reset();
    }
  }

  /** Opens it for all keys if it is open for this one and for another, of another project. */
  private void openForAll(KeyCircuit own) {
    Instant mine = own.provenUntil();
    if (mine != null && forAll.state() == State.CLOSED) {
      boolean alone = keys.values().stream().allMatch(each -> each.project() == own.project());
      instants(
              keys.values().stream()
                  .filter(each -> alone ? each != own : each.project() != own.project()),
              KeyCircuit::provenUntil)
          .max(Comparator.naturalOrder())
          .ifPresent(other -> forAll.openUntil(other.isBefore(mine) ? other : mine));
    }
  }

  private static Stream<Instant> instants(
      Stream<KeyCircuit> circuits, Function<KeyCircuit, @Nullable Instant> time) {
    return circuits.flatMap(circuit -> Stream.ofNullable(time.apply(circuit)));
  }

  /** Opens the circuit for all keys until {@link #close}; for operators. */
  public void open() {
    forAll.forceOpen();
  }

  /** Closes the circuit for all keys and forgets failures; for operators. */
  public void close() {
    keys.clear();
    forAll.reset();
  }

  /** Time at which it opened for this key; null while it is closed. */
  public @Nullable Instant openSince(long key) {
    return instants(
            Stream.concat(Stream.ofNullable(keys.get(key)), Stream.of(forAll)),
            KeyCircuit::openSince)
        .min(Comparator.naturalOrder())
        .orElse(null);
  }

  public View view() {
    forgetIdle();
    boolean all = forAll.state() != State.CLOSED;
    State state = forAll.state();
    int open = 0;
    int failures = 0;
    for (KeyCircuit key : keys.values()) {
      State ofKey = key.state();
      failures += key.failures();
      open += ofKey == State.CLOSED ? 0 : 1;
      if (!all && ofKey != State.CLOSED) {
        state = ofKey == State.OPEN || state == State.OPEN ? State.OPEN : State.HALF_OPEN;
      }
    }
    KeyCircuit[] shown = all ? new KeyCircuit[] {forAll} : keys.values().toArray(KeyCircuit[]::new);
    return new View(
        state,
        first(shown, KeyCircuit::openSince),
        first(shown, KeyCircuit::openUntil),
        failures,
        open,
        all);
  }

  private static @Nullable Instant first(
      KeyCircuit[] circuits, Function<KeyCircuit, @Nullable Instant> time) {
    return instants(Stream.of(circuits), time).min(Comparator.naturalOrder()).orElse(null);
  }

  /** Permission for one call; its outcome is reported to it, at most once. */
  public final class Permit {
    private final KeyCircuit own;
    private KeyCircuit.Permit ofKey;
    private KeyCircuit.Permit ofAll;

    private Permit(KeyCircuit own, KeyCircuit.Permit ofKey, KeyCircuit.Permit ofAll) {
      this.own = own;
      this.ofKey = ofKey;
      this.ofAll = ofAll;
    }

    /** Whether the call finds out whether the circuit may close. */
    public boolean isProbe() {
      return ofKey == KeyCircuit.Permit.PROBE || ofAll == KeyCircuit.Permit.PROBE;
    }

    public boolean isRefused() {
      return isOpen(own.state()) || isOpen(forAll.state());
    }

    private static boolean isOpen(State state) {
      return state == State.OPEN || state == State.FORCED_OPEN;
    }

    /** Reports that the answer has begun: it ends a probe, though the answer may take long. */
    public void answering() {
      if (isProbe()) {
        succeeded();
        ofKey = KeyCircuit.Permit.CALL;
        ofAll = KeyCircuit.Permit.CALL;
      }
    }

    /** Reports that the call was answered. */
    public void succeeded() {
      own.succeeded(ofKey);
      if (ofAll != KeyCircuit.Permit.CALL) {
        forAll.succeeded(ofAll);
      }
    }

    /**
     * Reports that the call failed because of the target.
     *
     * @param retryAfter the wait that the target asked for; null if it did not
     */
    public void failed(@Nullable Duration retryAfter) {
      own.failed(ofKey, retryAfter, true);
      if (ofAll != KeyCircuit.Permit.CALL && forAll.state() != State.CLOSED) {
        forAll.failed(ofAll, null, true);
      }
      openForAll(own);
    }

    /**
     * Reports that the target took all the time that the call had: it keeps the caller's own calls
     * from a target that hangs, and is no evidence for other keys, which may have more time.
     */
    public void late() {
      own.failed(ofKey, null, false);
      releaseForAll();
    }

    /** Reports that the call ended without evidence about the target. */
    public void released() {
      own.released(ofKey);
      releaseForAll();
    }

    private void releaseForAll() {
      if (ofAll != KeyCircuit.Permit.CALL) {
        forAll.released(ofAll);
      }
    }
  }
}

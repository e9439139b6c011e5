package io.memorygateway.budget.hold;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.memorygateway.budget.Ahead;
import io.memorygateway.budget.Hold;
import io.memorygateway.database.Home;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What a node holds ahead for calls that come fast (see {@code decisions/budgets-ahead.md}), a
 * second's need at a time. Thread-safe.
 */
public final class Aheads {
  /** How long calls take from an amount, and how fast they have to come for one. */
  private static final long LIFE_MILLIS = 1000;

  private static final int CALLS_IN_A_LIFE = 40;

  /** Before the end of a window, the database decides by its own clock. */
  private static final long MARGIN_MILLIS = 1000;

  /** Characters of the names in all lines, which callers choose, with some for each line. */
  private static final long MAX_CHARACTERS = 2 << 20;

  private static final int CHARACTERS_OF_LINE = 200;

  /** Calls that took of it and are not settled; further ones wait for the log, as it is slower. */
  private static final int MAX_OPEN = 4096;

  private static final long MAX_WAIT_MILLIS = 5000;
  private static final long MOST_COPIES = 8192;

  private final InstantSource clock;
  private final LongSupplier nanoTime;
  private final Cache<Key, Line> lines =
      Caffeine.newBuilder()
          .maximumWeight(MAX_CHARACTERS)
          .weigher((Key key, Line line) -> key.characters())
          .build();
  private final Semaphore room = new Semaphore(MAX_OPEN);
  private final Queue<Given> all = new ConcurrentLinkedQueue<>();

  /**
   * @param nanoTime as {@link System#nanoTime()}
   */
  Aheads(InstantSource clock, LongSupplier nanoTime) {
    this.clock = clock;
    this.nanoTime = nanoTime;
  }

  /** Calls of one key that have the same budgets, about. */
  private record Key(long keyId, String endpoint, List<String> targets) {
    int characters() {
      return CHARACTERS_OF_LINE + targets.stream().mapToInt(String::length).sum();
    }
  }

  /** An amount, and what the database said of its budgets. */
  record Given(
      Ahead ahead,
      List<HoldItem.Need> needs,
      List<HoldItem.Standing> standings,
      Demand demand,
      long nanos,
      long millis) {

    private boolean isOf(Home home) {
      return Home.of(demand.caller().projectId()).equals(home);
    }

    private boolean isOld(Instant now) {
      return !now.isBefore(ahead.hold().startedAt().plusMillis(LIFE_MILLIS));
    }

    /** Whether a call of it will never be settled by this node, which then lets it run out. */
    private boolean isForgotten(Instant now) {
      return now.isAfter(ahead.hold().startedAt().plusMillis(10 * HoldBatch.LEASE_MILLIS));
    }

    private boolean isLate(Instant now) {
      return standings.stream()
          .anyMatch(each -> each.window().end() - now.toEpochMilli() < MARGIN_MILLIS);
    }
  }

  /** The calls of a key to the same targets. */
  private static final class Line {
    private final Object opening = new Object();
    private long second;
    private int calls;
    private int before;
    private long copies = HoldBatch.LEAST_COPIES;
    private long deniedUntil;
    private volatile @Nullable Given given;

    private synchronized void called(long now) {
      if (now / LIFE_MILLIS != second) {
        before = now / LIFE_MILLIS == second + 1 ? calls : 0;
        calls = 0;
        second = now / LIFE_MILLIS;
      }
      calls++;
    }

    private synchronized boolean isBusy() {
      return Math.max(before, calls) > CALLS_IN_A_LIFE;
    }
  }

  /** What a call took, and what is told of its budgets. */
  record Taken(Hold hold, List<HoldItem.Standing> standings) {}

  /** Takes what a call may need, without a wait; null if nothing is held for it. */
  @Nullable Taken take(Demand demand, List<HoldItem.Need> needs) {
    Line line = lines.get(key(demand), unused -> new Line());
    line.called(nowMillis());
    return line.isBusy() && room.tryAcquire() ? inRoom(take(line.given, demand, needs)) : null;
  }

  /** Gives back a permit once the call is settled, or now if it took nothing. */
  private @Nullable Taken inRoom(@Nullable Taken taken) {
    if (taken == null) {
      room.release();
    } else {
      var unused = taken.hold.settled().whenComplete((done, failure) -> room.release());
    }
    return taken;
  }

  private boolean awaitRoom() {
    try {
      return room.tryAcquire(MAX_WAIT_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Waits for the log if it is behind; returns false if it was not, or still is. */
  public boolean awaitLog() {
    boolean waited = room.availablePermits() == 0 && awaitRoom();
    if (waited) {
      room.release();
    }
    return waited;
  }

  private static Key key(Demand demand) {
    return key(demand.caller().keyId(), demand.call().endpoint(), demand.route(), demand.offers());
  }

  private static Key key(
      long keyId, String endpoint, @Nullable String route, List<Demand.Offer> offers) {
    return new Key(
        keyId,
        endpoint,
        route == null ? offers.stream().map(Demand.Offer::target).toList() : List.of(route));
  }

  /** Whether something is held for calls of a key that is not old. */
  public boolean has(
      long keyId, String endpoint, @Nullable String route, List<Demand.Offer> offers) {
    Line line = lines.getIfPresent(key(keyId, endpoint, route, offers));
    Given given = line == null ? null : line.given;
    return given != null && !given.isOld(now(given));
  }

  private long nowMillis() {
    return TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong());
  }

  /** The database's time, by the clock that tells more. */
  private Instant now(Given given) {
    long elapsed = TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - given.nanos);
    long told = clock.millis() - given.millis;
    return given.ahead.hold().startedAt().plusMillis(Math.max(elapsed, told));
  }

  private @Nullable Taken take(@Nullable Given given, Demand demand, List<HoldItem.Need> needs) {
    Ahead.Amount amount = demand.most();
    if (given == null || amount == null || !isLike(demand, needs) || !given.needs.equals(needs)) {
      return null;
    }
    Instant now = now(given);
    if (given.isOld(now) || given.isLate(now)) {
      return null;
    }
    Ahead.Amount gone = given.ahead.gone();
    Hold hold = given.ahead.take(demand.newCallId(), now, amount, demand.seen(0));
    if (hold == null) {
      return null;
    }
    List<HoldItem.Standing> standings = new ArrayList<>();
    for (HoldItem.Standing each : given.standings) {
      long others = each.others() + gone.in(each.need().budget().unit());
      standings.add(
          new HoldItem.Standing(
              each.need(), each.window(), each.settled(), others, each.reserved()));
    }
    return new Taken(hold, standings);
  }

  /** Whether all budgets allow and count all targets, so that all count the same. */
  private static boolean isLike(Demand demand, List<HoldItem.Need> needs) {
    return needs.stream()
        .allMatch(need -> !need.refusesUnpriced() && need.offers().equals(demand.offers()));
  }

  /**
   * Takes what a call may need, and before that holds more ahead if there is too little and calls
   * come fast.
   *
   * @param decide asks the database
   */
  @Nullable Taken open(Demand demand, List<HoldItem.Need> needs, UnaryOperator<HoldItem> decide) {
    Line line = lines.getIfPresent(key(demand));
    Ahead.Amount one = demand.most();
    if (line == null || one == null || !line.isBusy() || !isLike(demand, needs) || !awaitRoom()) {
      return null;
    }
    Taken taken = null;
    try {
      taken = open(line, one, demand, needs, decide);
      return taken;
    } finally {
      Taken unused = inRoom(taken);
    }
  }

  private @Nullable Taken open(
      Line line,
      Ahead.Amount one,
      Demand demand,
      List<HoldItem.Need> needs,
      UnaryOperator<HoldItem> decide) {
    // Calls that come meanwhile wait for the same.
    synchronized (line.opening) {
      Taken taken = take(line.given, demand, needs);
      if (taken != null || nowMillis() < line.deniedUntil) {
        return taken;
      }
      try {
        taken = take(next(line, one, demand, needs, decide), demand, needs);
        return taken;
      } finally {
        // A database that is slow or away is not asked by one call after another.
        line.deniedUntil = taken == null ? nowMillis() + LIFE_MILLIS : 0;
      }
    }
  }

  /** Holds the next amount of a line, and closes its last one; null if that cannot be. */
  private @Nullable Given next(
      Line line,
      Ahead.Amount one,
      Demand demand,
      List<HoldItem.Need> needs,
      UnaryOperator<HoldItem> decide) {
    Given last = line.given;
    if (last != null) {
      long used = last.ahead.gone().tokens() / Math.max(1, one.tokens());
      long factor = last.isOld(now(last)) ? 2 : 4;
      line.copies = Math.max(HoldBatch.LEAST_COPIES, Math.min(MOST_COPIES, factor * used));
    }
    // Before the database tells its own time, so that no window is taken to last longer than it
    // does.
    long nanos = nanoTime.getAsLong();
    long millis = clock.millis();
    HoldItem item = decide.apply(HoldItem.ahead(demand.newCallId(), demand, needs, line.copies));
    Hold hold = item.held;
    if (hold == null) {
      return null;
    }
    Ahead ahead = new Ahead(hold, item.amount);
    Given given = new Given(ahead, needs, item.standings, item.demand, nanos, millis);
    all.add(given);
    line.given = given;
    if (last != null) {
      last.ahead.close();
    }
    return given;
  }

  /** What the database has of it. */
  List<Hold> holds() {
    return all.stream().map(given -> given.ahead.hold()).toList();
  }

  /**
   * Closes what is old of a home, or all; returns that.
   *
   * @param evenNew whether no further calls come
   */
  Set<Ahead> close(Home home, boolean evenNew) {
    Set<Ahead> closed = new HashSet<>();
    for (Given given : all) {
      if (given.isOf(home) && (evenNew || given.isOld(now(given)))) {
        given.ahead.close();
        closed.add(given.ahead);
      }
    }
    return closed;
  }

  /** What is to be given back of a home: that of which all is settled. Each is returned once. */
  List<HoldItem> over(Home home) {
    List<HoldItem> over = new ArrayList<>();
    all.removeIf(
        given -> {
          boolean isOver = given.isOf(home) && given.ahead.isOver();
          if (isOver) {
            over.add(HoldItem.release(given.ahead.hold(), given.demand));
          }
          return isOver || (given.isOf(home) && given.isForgotten(now(given)));
        });
    return over;
  }
}

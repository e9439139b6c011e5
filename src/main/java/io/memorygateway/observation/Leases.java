package io.memorygateway.observation;

import io.memorygateway.database.Home;
import io.memorygateway.database.HomeLanes;
import io.memorygateway.database.Homes;
import io.memorygateway.http.api.Uuids;
import java.time.Clock;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;

/**
 * Takes jobs, each by one node at a time. A lease expires unless it is renewed, so the work of a
 * node that died is taken by another.
 */
final class Leases {
  private static final Duration MAX_PAUSE = Duration.ofMinutes(5);

  /** After how long other nodes take over the work of a node that died. */
  static final long LEASE_MILLIS = Duration.ofSeconds(30).toMillis();

  /** Times after which a home that does not answer is passed over, and asked again. */
  private static final long ASIDE_FROM_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The oldest jobs among which one of another project is looked for: some milliseconds. */
  private static final int MAX_LOOKED_AT = 2_000;

  /** How often another job is looked for when another worker has taken the one that was found. */
  private static final int MAX_TRIED = 4;

  /** No project, of a thread that is gone. */
  private static final long NONE = 0;

  private static final long ASIDE_UNTIL_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final Jdbi jdbi;
  private final Clock clock;
  private final RandomGenerator random;
  private final Homes homes;
  private final AtomicInteger turn = new AtomicInteger();

  /** What this node works at, with the project that it is of. */
  private final Map<Lease, Long> held = new ConcurrentHashMap<>();

  private final HomeLanes lanes;

  /** Since when homes are asked that have not answered. */
  private final Map<Home, Long> asked = new ConcurrentHashMap<>();

  Leases(Jdbi jdbi, Clock clock, RandomGenerator random, HomeLanes lanes) {
    this.jdbi = jdbi;
    this.lanes = lanes;
    this.homes = new Homes(jdbi);
    this.clock = clock;
    this.random = random;
  }

  /**
   * Takes the job of a home that has been due for longest, if there is one, of a project that this
   * node does not work for before others: one project's jobs hold one worker of a node, about,
   * while others are among the oldest of a home. Homes take turns, and what fails for one is thrown
   * if no other has a job.
   */
  Optional<Lease> take() {
    List<Home> all = homes.known();
    int first = turn.getAndIncrement();
    RuntimeException failure = null;
    for (int i = 0; i < all.size(); i++) {
      Home home = all.get(Math.floorMod(first + i, all.size()));
      if (all.size() > 1 && isAside(home)) {
        continue;
      }
      long begun = System.nanoTime();
      try {
        Optional<Lease> lease = take(home);
        asked.remove(home);
        if (lease.isPresent()) {
          return lease;
        }
      } catch (RuntimeException e) {
        if (System.nanoTime() - begun < ASIDE_FROM_NANOS) {
          asked.remove(home);
        }
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
    return Optional.empty();
  }

  /** Whether another worker waits for the home's answer, or one has in vain; else it is asked. */
  private boolean isAside(Home home) {
    long now = System.nanoTime();
    Long since = asked.putIfAbsent(home, now);
    if (since != null && now - since > ASIDE_UNTIL_NANOS) {
      // One worker asks again, and is waited for.
      return !asked.replace(home, since, now - ASIDE_FROM_NANOS - 1);
    }
    return since != null && now - since > ASIDE_FROM_NANOS;
  }

  private Optional<Lease> take(Home home) {
    // At a higher isolation level the search would lock the gaps that new jobs are inserted into.
    Optional<Taken> taken =
        jdbi.inTransaction(
            TransactionIsolationLevel.READ_COMMITTED,
            handle -> {
              JobDao dao = handle.attach(JobDao.class);
              Optional<Taken> ofOthers = takeOfOthers(dao, home);
              return ofOthers.isPresent()
                  ? ofOthers
                  : dao.lockDue(home.first(), home.last()).flatMap(due -> take(dao, due));
            });
    taken.ifPresent(one -> held.put(one.lease(), one.project()));
    return taken.map(Taken::lease);
  }

  /** Takes a job of a project that this node does not work for, if one is among the oldest. */
  private Optional<Taken> takeOfOthers(JobDao dao, Home home) {
    Optional<Taken> taken = Optional.empty();
    for (int tried = 0; tried < MAX_TRIED && taken.isEmpty(); tried++) {
      Set<Long> projects = new HashSet<>(held.values());
      if (projects.isEmpty()) {
        return taken;
      }
      LocalDateTime until = dao.dueBehind(home.first(), home.last(), MAX_LOOKED_AT).orElse(null);
      Optional<JobDao.Due> due = dao.findDueOfOthers(home.first(), home.last(), until, projects);
      if (due.isEmpty()) {
        return taken;
      }
      taken = take(dao, due.get()); // empty if another worker was faster
    }
    return taken;
  }

  private record Taken(Lease lease, long project) {}

  private Optional<Taken> take(JobDao dao, JobDao.Due due) {
    String owner = Uuids.version7(clock, random).toString();
    if (dao.take(due.threadId(), owner, LEASE_MILLIS) == 0) {
      return Optional.empty();
    }
    Lease lease = new Lease(due.threadId(), owner, due.attempts(), due.urgent());
    return Optional.of(new Taken(lease, dao.project(due.threadId()).orElse(NONE)));
  }

  /** Renews all leases that this node holds, again and again. */
  Future<?> keep(ScheduledExecutorService clock) {
    return lanes.repeat(
        clock,
        LEASE_MILLIS / 3,
        () -> lanes.begin(held.keySet(), Lease::threadId, leases -> leases.forEach(this::renew)));
  }

  private void renew(Lease lease) {
    int renewed =
        jdbi.withExtension(
            JobDao.class, dao -> dao.renew(lease.threadId(), lease.owner(), LEASE_MILLIS));
    if (renewed == 1) {
      jdbi.useExtension(StateDao.class, dao -> dao.prolong(lease.threadId(), LEASE_MILLIS));
    }
  }

  /** Stops renewing a lease, whether its work is done or not. */
  void forget(Lease lease) {
    held.remove(lease);
  }

  /** Releases a lease, so that another node can take the job immediately. */
  void release(Lease lease) {
    release(lease, 0, 0);
  }

  /**
   * Releases a lease after a failure: the job can be taken after a pause that grows with each
   * failure.
   */
  void failed(Lease lease) {
    long pause = Math.min(MAX_PAUSE.toMillis(), 1000L << Math.min(lease.attempts(), 20));
    long spread = pause / 2 + random.nextLong(pause / 2 + 1);
    release(lease, 1, spread);
  }

  private void release(Lease lease, int failures, long pauseMillis) {
    int given =
        jdbi.withExtension(
            JobDao.class,
            dao -> dao.release(lease.threadId(), lease.owner(), failures, pauseMillis));
    if (given == 1) {
      jdbi.useExtension(StateDao.class, dao -> dao.end(lease.threadId()));
    }
  }
}

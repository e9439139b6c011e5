package io.memorygateway.move;

import io.dropwizard.lifecycle.Managed;
import io.dropwizard.lifecycle.setup.LifecycleEnvironment;
import io.memorygateway.database.NodeLease;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import org.jdbi.v3.core.Jdbi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node says of projects that are closed: while calls of one are in flight on it, or not
 * logged yet, it holds a lease for that. Who moves the project waits for the leases of all nodes;
 * one that is dead loses its own.
 */
public final class CallsInFlight {
  /** Nodes look this often, and by when they have looked. */
  private static final long LOOK_MILLIS = 2000;

  static final int SEEN_SECONDS = 10;

  private static final Logger LOGGER = LoggerFactory.getLogger(CallsInFlight.class);

  private final Jdbi jdbi;
  private final LongPredicate inFlight;
  private boolean failing;
  private final Map<Long, NodeLease> held = new HashMap<>();
  private final Set<Long> seen = new HashSet<>();

  CallsInFlight(Jdbi jdbi, LongPredicate inFlight) {
    this.jdbi = jdbi;
    this.inFlight = inFlight;
  }

  /**
   * Has a node say it.
   *
   * @param inFlight whether calls of a project are in flight, or not logged yet
   */
  public static void install(Jdbi jdbi, LongPredicate inFlight, LifecycleEnvironment lifecycle) {
    CallsInFlight calls = new CallsInFlight(jdbi, inFlight);
    ScheduledExecutorService executor =
        lifecycle.scheduledExecutorService("calls-in-flight", true).build();
    lifecycle.manage(
        new Managed() {
          @Override
          public void start() {
            var unused =
                executor.scheduleWithFixedDelay(
                    calls::lookAndLog, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
          }
        });
  }

  private void lookAndLog() {
    try {
      look();
      failing = false;
    } catch (RuntimeException e) {
      if (!failing) {
        failing = true;
        LOGGER.warn("Projects that are moved cannot be looked for: {}", e.toString());
      }
    }
  }

  void look() {
    List<Long> closed =
        jdbi.withHandle(
            handle ->
                handle
                    .createQuery(
                        "SELECT id FROM id_moves WHERE owner = 'project' AND step = 'closed'")
                    .mapTo(Long.class)
                    .list());
    seen.retainAll(closed);
    held.entrySet()
        .removeIf(
            each -> {
              if (closed.contains(each.getKey())) {
                return false;
              }
              each.getValue().release();
              return true;
            });
    for (long project : closed) {
      // A call that has just ended is about to be logged.
      boolean now = inFlight.test(project);
      boolean before = now ? !seen.add(project) : seen.remove(project);
      if (now || before) {
        NodeLease lease = held.computeIfAbsent(project, this::lease);
        if (!lease.hold()) {
          // Its row cannot be renewed, and runs out.
          NodeLease another = lease(project);
          held.put(project, another);
          another.hold();
        }
      } else {
        NodeLease lease = held.remove(project);
        if (lease != null) {
          lease.release();
        }
      }
    }
  }

  private NodeLease lease(long project) {
    return new NodeLease(jdbi, name(project) + UUID.randomUUID());
  }

  /** The beginning of the names of leases for a project. */
  static String name(long project) {
    return "calls-" + project + "-";
  }
}

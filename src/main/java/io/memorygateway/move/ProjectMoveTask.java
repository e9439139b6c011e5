package io.memorygateway.move;

import static java.util.Objects.requireNonNull;

import io.memorygateway.audit.Act;
import io.memorygateway.database.Home;
import io.memorygateway.database.NodeLease;
import io.memorygateway.database.SqlText;
import io.memorygateway.database.Transactions;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.memory.write.RemovedThreads;
import io.memorygateway.move.IdMoves.Move;
import io.memorygateway.move.IdMoves.Project;
import io.memorygateway.move.IdMoves.Step;
import io.memorygateway.operator.Parameter;
import io.memorygateway.operator.ParameterValues;
import io.memorygateway.operator.RecordedTask;
import io.memorygateway.operator.Role;
import io.memorygateway.operator.TaskUsage;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Admin task {@code project-move}: moves a project to another home, with all that it has. The
 * project is closed meanwhile; a move that broke off goes on when it is asked for again.
 */
public final class ProjectMoveTask implements RecordedTask {
  public static final TaskUsage USAGE =
      TaskUsage.of(
          "project-move",
          "Move a project to another home, closed meanwhile; again: go on with a move that broke"
              + " off, or with its own home open it again while nothing is copied.",
          List.of(
              Parameter.required("project", "name of the project"),
              Parameter.required("home", "0 to 32767")),
          Role.OWNER);

  private static final long LOOK_MILLIS = 200;
  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(5);
  private static final long RENEW_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Jdbi jdbi;
  private final IdMoves moves;

  public ProjectMoveTask(Jdbi jdbi) {
    this.jdbi = jdbi;
    this.moves = new IdMoves(Transactions.ofOperators(jdbi));
  }

  /** Where a project is now. */
  record Moved(String id, int home) {}

  @Override
  public TaskUsage usage() {
    return USAGE;
  }

  @Override
  public Object run(ParameterValues values, Act act) {
    Home home = requireNonNull(values.home("home"));
    Project project = moves.project(values.required("project"));
    Home now = Home.of(project.id());
    Move move = moves.find(project).orElse(null);
    if (move == null) {
      if (home.equals(now)) {
        throw ApiException.conflict("The project has this home.");
      }
      move = moves.begin(project, home, act);
    } else if (move.project() == project.id() && home.equals(now)) {
      moves.cancel(project, act);
      return new Moved(project.publicId(), home.number());
    }
    if (!home.equals(Home.of(move.newProject()))) {
      throw ApiException.conflict(
          "A move of the project to home "
              + Home.of(move.newProject()).number()
              + " has not ended: it goes first.");
    }
    NodeLease lease = new NodeLease(jdbi, "project-move-" + move.project());
    Alive alive = new Alive(lease);
    alive.renew();
    try {
      move(project, move, alive, act);
    } finally {
      lease.release();
    }
    return new Moved(project.publicId(), home.number());
  }

  /** Keeps others from the same move. */
  private static final class Alive implements Runnable {
    private final NodeLease lease;
    private long renewedAt;

    Alive(NodeLease lease) {
      this.lease = lease;
    }

    @Override
    public void run() {
      if (System.nanoTime() - renewedAt > RENEW_NANOS) {
        renew();
      }
    }

    void renew() {
      renewedAt = System.nanoTime();
      if (!lease.hold()) {
        throw ApiException.conflict(
            "Somebody else moves the project, or did until a minute ago; try again then.");
      }
    }
  }

  private void move(Project project, Move move, Alive alive, Act act) {
    MovedThreads threads = new MovedThreads(jdbi, move, alive);
    MovedRows rows = new MovedRows(jdbi, move, threads, alive);
    Step step = move.step();
    if (step == Step.CLOSED) {
      awaitEndOfCalls(move, alive);
      moves.advance(move, Step.CLOSED, Step.COPYING);
      step = Step.COPYING;
    }
    if (step == Step.COPYING) {
      threads.take();
      MovedTable.ALL.forEach(rows::copy);
      threads.renameCalls();
      MovedTable.LAST.forEach(rows::copy);
      threads.count();
      moves.rename(move, project, act);
    }
    threads.leave();
    MovedTable.ALL.stream().filter(table -> !table.isOfThreads()).forEach(rows::delete);
    moves.advance(move, Step.MOVED, Step.DONE);
    RemovedThreads.remove(jdbi);
  }

  /** Waits until nodes have seen that the project is closed, and until what it had is over. */
  private void awaitEndOfCalls(Move move, Alive alive) {
    long begun = System.nanoTime();
    while (!jdbi.withHandle(handle -> isIdle(handle, move))) {
      alive.run();
      if (System.nanoTime() - begun > PATIENCE_NANOS || Thread.currentThread().isInterrupted()) {
        throw ApiException.conflict(
            "Calls of the project are still in flight, and it stays closed: move it again, or"
                + " to its own home to open it.");
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS));
    }
  }

  private static boolean isIdle(Handle handle, Move move) {
    boolean seen =
        handle
            .createQuery(
                """
                SELECT closed_at + INTERVAL :seconds SECOND <= UTC_TIMESTAMP(3)
                  AND NOT EXISTS (SELECT 1 FROM leases WHERE name LIKE :calls AND expires_at > UTC_TIMESTAMP(3))
                FROM id_moves WHERE owner = 'project' AND id = :project AND new_id = :newProject
                """)
            .bind("seconds", CallsInFlight.SEEN_SECONDS)
            .bind("calls", CallsInFlight.name(move.project()) + "%")
            .bind("project", move.project())
            .bind("newProject", move.newProject())
            .mapTo(Boolean.class)
            .findOne()
            .orElseThrow(IdMoves::ended);
    boolean held =
        handle
            .createQuery(
                "SELECT EXISTS (SELECT 1 FROM budget_calls WHERE project_id = :project AND id"
                    + " BETWEEN :first AND :last)")
            .bind("project", move.project())
            .bindMethods(Home.of(move.project()))
            .mapTo(Boolean.class)
            .one();
    return seen && !held && areCounted(handle, List.copyOf(move.keys().keySet()));
  }

  /** Has nodes return what they have counted ahead for keys; whether all have, or will not. */
  private static boolean areCounted(Handle handle, List<Long> keys) {
    if (keys.isEmpty()) {
      return true;
    }
    handle
        .createUpdate(
            "UPDATE rate_limit_holders SET recalled_at = "
                + SqlText.NOW_MILLIS
                + " WHERE key_id IN (<keys>) AND recalled_at = 0")
        .bindList("keys", keys)
        .execute();
    return !handle
        .createQuery(
            "SELECT EXISTS (SELECT 1 FROM rate_limit_holders WHERE key_id IN (<keys>) AND recalled_at > "
                + SqlText.NOW_MILLIS
                + " - :millis)")
        .bindList("keys", keys)
        .bind("millis", CallsInFlight.SEEN_SECONDS * 1000L)
        .mapTo(Boolean.class)
        .one();
  }
}

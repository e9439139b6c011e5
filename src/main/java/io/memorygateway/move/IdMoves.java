package io.memorygateway.move;

import io.memorygateway.audit.Act;
import io.memorygateway.database.Home;
import io.memorygateway.database.Ids;
import io.memorygateway.database.Transactions;
import io.memorygateway.http.errors.ApiException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Table {@code id_moves}: projects that are moved, how far that has come, and what becomes of the
 * ids of the project and its keys. A project that has a row by its id is closed on every node.
 */
final class IdMoves {
  private final Transactions transactions;
  private final Ids ids;

  IdMoves(Transactions transactions) {
    this.transactions = transactions;
    this.ids = new Ids(transactions);
  }

  /** How far a move has come. */
  enum Step {
    /** Nobody uses the project, and nothing of it is changed. */
    CLOSED,
    /** Its threads are no longer written where they were. */
    COPYING,
    /** The project has its new id; what it was made from is removed. */
    MOVED,
    DONE;

    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A project.
   *
   * @param id {@code projects.id}
   */
  record Project(long id, String publicId) {}

  /**
   * A move.
   *
   * @param keys new ids of keys by those before
   */
  record Move(long project, long newProject, Step step, Map<Long, Long> keys) {}

  /** What the audit log says of a project that is moved. */
  private record Shown(int home, String step) {}

  Project project(String name) {
    return transactions
        .read(
            handle ->
                handle
                    .createQuery("SELECT id, public_id FROM projects WHERE name = :name")
                    .bind("name", name)
                    .mapTo(Project.class)
                    .findOne())
        .orElseThrow(() -> ApiException.notFound("There is no such project."));
  }

  /** The move of a project that has begun and not ended. */
  Optional<Move> find(Project project) {
    return transactions.read(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT id, new_id, step FROM id_moves
                    WHERE owner = 'project' AND (id = :id OR new_id = :id) AND step <> 'done'
                    """)
                .bind("id", project.id)
                .map(
                    (row, context) ->
                        new Move(
                            row.getLong(1),
                            row.getLong(2),
                            Step.valueOf(row.getString(3).toUpperCase(Locale.ROOT)),
                            keys(handle, row.getLong(1))))
                .findOne());
  }

  private static Map<Long, Long> keys(Handle handle, long project) {
    Map<Long, Long> keys = new LinkedHashMap<>();
    handle
        .createQuery(
            "SELECT id, new_id FROM id_moves WHERE owner = 'key' AND project_id = :project")
        .bind("project", project)
        .map((row, context) -> keys.put(row.getLong(1), row.getLong(2)))
        .list();
    return keys;
  }

  /** Closes a project, and gives it and its keys ids of another home. */
  Move begin(Project project, Home home, Act act) {
    long newProject = ids.next(home);
    Map<Long, Long> keys = new LinkedHashMap<>();
    transactions
        .read(handle -> keysOf(handle, project))
        .forEach(key -> keys.put(key, ids.next(home)));
    return transactions.write(
        handle -> {
          // As the issue of a key does: from here on, there is no other one.
          lock(handle, project.id);
          if (!keys.keySet().equals(Set.copyOf(keysOf(handle, project)))) {
            throw ApiException.unavailable("A key has just been issued; try again.", 1);
          }
          add(handle, "project", project.id, project.id, newProject);
          keys.forEach((key, newKey) -> add(handle, "key", key, project.id, newKey));
          record(handle, project, Home.of(project.id), null, home, Step.CLOSED, act);
          return new Move(project.id, newProject, Step.CLOSED, keys);
        });
  }

  private static List<Long> keysOf(Handle handle, Project project) {
    return handle
        .createQuery("SELECT id FROM api_keys WHERE project_id = :project ORDER BY id")
        .bind("project", project.id)
        .mapTo(Long.class)
        .list();
  }

  private static void lock(Handle handle, long project) {
    handle.execute("SELECT id FROM projects WHERE id = ? FOR UPDATE", project);
  }

  private static void add(Handle handle, String owner, long id, long project, long newId) {
    handle.execute(
        "INSERT INTO id_moves (owner, id, project_id, new_id, step, closed_at)"
            + " VALUES (?, ?, ?, ?, 'closed', UTC_TIMESTAMP(3))",
        owner,
        id,
        project,
        newId);
  }

  /** Opens a project again of which nothing was copied. */
  void cancel(Project project, Act act) {
    transactions.write(
        handle -> {
          if (handle.execute(
                  "DELETE FROM id_moves WHERE owner = 'project' AND id = ? AND step = 'closed'",
                  project.id)
              == 0) {
            throw ApiException.conflict(
                "The project is being copied already: end the move, and move it back.");
          }
          handle.execute("DELETE FROM id_moves WHERE project_id = ?", project.id);
          forgetLeases(handle, project.id);
          act.record(handle, project.publicId, null, Map.of("home", Home.of(project.id).number()));
          return project;
        });
  }

  /** Records that a move has come to a step, from the one before. */
  void advance(Move move, Step from, Step to) {
    transactions.write(
        handle -> {
          forgetLeases(handle, move.project);
          return advance(handle, move, from, to);
        });
  }

  /** Forgets what nodes said of calls in flight, and did not take back. */
  private static void forgetLeases(Handle handle, long project) {
    handle.execute("DELETE FROM leases WHERE name LIKE ?", CallsInFlight.name(project) + "%");
  }

  private static Move advance(Handle handle, Move move, Step from, Step to) {
    if (handle.execute(
            "UPDATE id_moves SET step = ?"
                + " WHERE owner = 'project' AND id = ? AND new_id = ? AND step = ?",
            to.text(),
            move.project,
            move.newProject,
            from.text())
        == 0) {
      throw ended();
    }
    return move;
  }

  static ApiException ended() {
    return ApiException.conflict("The project was opened again meanwhile.");
  }

  /** Gives the project and its keys their new ids, which opens it. */
  void rename(Move move, Project project, Act act) {
    transactions.write(
        handle -> {
          lock(handle, move.project);
          advance(handle, move, Step.COPYING, Step.MOVED);
          String name =
              handle
                  .createQuery("SELECT name FROM projects WHERE id = :id")
                  .bind("id", move.project)
                  .mapTo(String.class)
                  .one();
          String meanwhile = UUID.randomUUID().toString();
          handle.execute(
              "INSERT INTO projects (id, public_id, name, created_at, budgets)"
                  + " SELECT ?, ?, ?, created_at, budgets FROM projects WHERE id = ?",
              move.newProject,
              meanwhile,
              meanwhile,
              move.project);
          for (Map.Entry<Long, Long> key : move.keys.entrySet()) {
            handle.execute(
                "UPDATE api_keys SET id = ?, project_id = ? WHERE id = ?",
                key.getValue(),
                move.newProject,
                key.getKey());
          }
          handle.execute("DELETE FROM projects WHERE id = ?", move.project);
          handle.execute(
              "UPDATE projects SET public_id = ?, name = ? WHERE id = ?",
              project.publicId,
              name,
              move.newProject);
          record(
              handle,
              project,
              Home.of(move.project),
              Step.CLOSED,
              Home.of(move.newProject),
              Step.MOVED,
              act);
          return move;
        });
  }

  private static void record(
      Handle handle,
      Project project,
      Home from,
      @Nullable Step before,
      Home to,
      Step after,
      Act act) {
    act.record(
        handle,
        project.publicId,
        new Shown(from.number(), before == null ? "open" : before.text()),
        new Shown(to.number(), after.text()));
  }
}

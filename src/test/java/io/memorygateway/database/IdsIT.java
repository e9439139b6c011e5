package io.memorygateway.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.http.errors.ApiException;
import io.memorygateway.testing.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** No id is given twice: by no number of nodes, and not after a restore. */
class IdsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final Home HOME = new Home(7);

  private Jdbi jdbi;

  @BeforeEach
  void noBlocks() {
    jdbi = Jdbi.create(DATABASE.url(), DATABASE.user(), DATABASE.password());
    for (String table : List.of("id_blocks", "removed_threads", "projects")) {
      DATABASE.jdbi().useHandle(handle -> handle.execute("DELETE FROM " + table));
    }
  }

  private Ids node() {
    return new Ids(Transactions.ofOperators(jdbi));
  }

  @Test
  void nodesThatTakeBlocksAtOnceGiveNoIdTwice() throws Exception {
    int each = 3_000;
    Set<Long> given = ConcurrentHashMap.newKeySet();
    List<Callable<Void>> callers = new ArrayList<>();
    for (int node = 0; node < 3; node++) {
      Ids ids = node();
      for (int thread = 0; thread < 2; thread++) {
        callers.add(
            () -> {
              for (int i = 0; i < each; i++) {
                long id = ids.next(HOME);
                assertThat(Home.of(id)).isEqualTo(HOME);
                assertThat(given.add(id)).as("%d is new", id).isTrue();
              }
              return null;
            });
      }
    }
    ExecutorService executor = Executors.newFixedThreadPool(callers.size());
    try {
      for (Future<Void> done : executor.invokeAll(callers)) {
        done.get();
      }
    } finally {
      executor.shutdown();
    }
    assertThat(given).hasSize(callers.size() * each);
  }

  @Test
  void aBlockServesManyAndEachHomeHasItsOwn() {
    Ids ids = node();
    long first = ids.next(HOME);
    assertThat(first).isEqualTo(HOME.firstGiven());
    assertThat(ids.next(Home.FIRST)).isEqualTo(Home.FIRST.firstGiven());
    long before = moved();
    for (int i = 1; i < 65_536; i++) {
      assertThat(ids.next(HOME)).isEqualTo(first + i);
    }
    assertThat(moved()).isEqualTo(before);
    assertThat(ids.next(HOME)).isEqualTo(first + 65_536);
  }

  private long moved() {
    return jdbi.withHandle(
        handle -> handle.createQuery("SELECT SUM(next_id) FROM id_blocks").mapTo(Long.class).one());
  }

  @Test
  void whatANodeDidNotGiveIsLost() {
    long first = node().next(HOME);
    assertThat(node().next(HOME)).isEqualTo(first + 65_536);
  }

  @Test
  void idsThatARestoredBackupHasAreNotGiven() {
    long there = HOME.firstGiven() + 5_000;
    jdbi.useHandle(
        handle ->
            handle.execute(
                "INSERT INTO removed_threads (thread_id, project_id, due_at) VALUES (?, 1,"
                    + " UTC_TIMESTAMP(3))",
                there));
    assertThat(node().next(HOME)).isEqualTo(there + 1);
  }

  @Test
  void anIdThatWasRestoredMeanwhileIsNotUsed() {
    Ids ids = node();
    long given = ids.next(Home.FIRST);
    assertThatThrownBy(() -> insertTwice(ids, given))
        .isInstanceOfSatisfying(
            ApiException.class, e -> assertThat(e.error().status()).isEqualTo(503));
    assertThat(ids.next(Home.FIRST)).isEqualTo(given + 65_536);
  }

  @Test
  void anotherKeyOfARowThatIsTakenIsNoTakenId() {
    Ids ids = node();
    long given = ids.next(Home.FIRST);
    jdbi.useHandle(
        handle ->
            assertThatThrownBy(
                    () -> {
                      ids.insert(handle, "projects", given, () -> insert(handle, given, "same"));
                      ids.insert(
                          handle, "projects", given + 1, () -> insert(handle, given + 1, "same"));
                    })
                .isInstanceOf(JdbiException.class));
    assertThat(ids.next(Home.FIRST)).isEqualTo(given + 1);
  }

  private void insertTwice(Ids ids, long id) {
    jdbi.useHandle(
        handle -> {
          ids.insert(handle, "projects", id, () -> insert(handle, id, "one"));
          ids.insert(handle, "projects", id, () -> insert(handle, id, "other"));
        });
  }

  private static void insert(Handle handle, long id, String name) {
    handle.execute(
        "INSERT INTO projects (id, public_id, name, created_at) VALUES (?, UUID(), ?,"
            + " UTC_TIMESTAMP(3))",
        id,
        name);
  }

  /** The version before counts on beside this one, in a part of home 0 that is not given here. */
  @Test
  void whatTheServerCountsIsNeverGiven() {
    long counted =
        jdbi.withHandle(
            handle ->
                handle
                    .createUpdate(
                        "INSERT INTO projects (public_id, name, created_at) VALUES (UUID(),"
                            + " 'counted', UTC_TIMESTAMP(3))")
                    .executeAndReturnGeneratedKeys("id")
                    .mapTo(Long.class)
                    .one());
    assertThat(counted).isGreaterThan(Home.FIRST.lastGiven());
    assertThat(Home.of(counted)).isEqualTo(Home.FIRST);
    assertThat(node().next(Home.FIRST)).isEqualTo(Home.FIRST.firstGiven());
  }
}

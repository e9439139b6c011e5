package io.memorygateway.observation;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.database.Home;
import io.memorygateway.database.HomeLanes;
import io.memorygateway.database.SqlObjects;
import io.memorygateway.testing.DatabaseRelay;
import io.memorygateway.testing.TestDatabase;
import java.time.Clock;
import java.util.Random;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Which jobs are taken: what one project or one shard does keeps nobody else waiting. */
@Tag("heavy")
class LeasesIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final int HOME = 16_384;
  private static final int JOBS = 4;

  @Test
  void aHomeThatDoesNotAnswerIsAskedOnceAndPassedOver() throws Exception {
    Jdbi direct = jdbi(DATABASE.url());
    direct.useHandle(
        handle -> {
          handle.execute(
              "INSERT INTO projects (id, public_id, name, created_at) VALUES (?, UUID(), 'far',"
                  + " UTC_TIMESTAMP(3))",
              new Home(HOME).first() + 1);
          for (int job = 1; job <= JOBS; job++) {
            handle.execute(
                "INSERT INTO observation_jobs (thread_id, due_at, requested_at) VALUES (?,"
                    + " UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))",
                job);
          }
        });
    try (DatabaseRelay relay = DatabaseRelay.to(DATABASE.port())) {
      relay.freeze(HOME);
      String url = DATABASE.url(relay).replace("PREFERRED", "DISABLED");
      Leases leases =
          new Leases(
              jdbi(url + "&socketTimeout=5000"),
              Clock.systemUTC(),
              new Random(),
              new HomeLanes("leases", "Leases were not prolonged"));

      for (int job = 0; job < JOBS; job++) {
        assertThat(leases.take()).isPresent();
      }
      assertThat(relay.held()).isEqualTo(1);
    }
  }

  @Test
  void whileOthersWaitTheJobsOfAProjectHoldOneWorker() {
    Jdbi jdbi = jdbi(DATABASE.url());
    long[] many = {1_000_001, 1_000_002, 1_000_003};
    long one = 1_000_004;
    DATABASE.jdbi().useHandle(handle -> handle.execute("DELETE FROM observation_jobs"));
    jdbi.useHandle(
        handle -> {
          for (long project = 1_000_001; project <= 1_000_002; project++) {
            handle.execute(
                "INSERT INTO projects (id, public_id, name, created_at) VALUES (?, UUID(), UUID(),"
                    + " UTC_TIMESTAMP(3))",
                project);
          }
          for (long thread : many) {
            insertJob(handle, thread, 1_000_001);
          }
          insertJob(handle, one, 1_000_002);
        });
    Leases leases =
        new Leases(
            jdbi,
            Clock.systemUTC(),
            new Random(),
            new HomeLanes("leases", "Leases were not prolonged"));

    assertThat(leases.take()).get().extracting(Lease::threadId).isEqualTo(many[0]);
    assertThat(leases.take()).get().extracting(Lease::threadId).isEqualTo(one);
    assertThat(leases.take()).get().extracting(Lease::threadId).isEqualTo(many[1]);
  }

  private static void insertJob(Handle handle, long thread, long project) {
    handle.execute(
        "INSERT INTO threads (id, project_id, public_id, resource_id, created_at) VALUES (?, ?,"
            + " UUID(), 'r', UTC_TIMESTAMP(3))",
        thread,
        project);
    handle.execute(
        "INSERT INTO observation_jobs (thread_id, due_at, requested_at) VALUES (?,"
            + " UTC_TIMESTAMP(3) - INTERVAL ? SECOND, UTC_TIMESTAMP(3))",
        thread,
        1_000_010 - thread);
  }

  private static Jdbi jdbi(String url) {
    return SqlObjects.install(Jdbi.create(url, DATABASE.user(), DATABASE.password()));
  }
}

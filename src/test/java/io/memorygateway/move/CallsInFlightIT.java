package io.memorygateway.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.testing.TestDatabase;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a node says of calls whose project is closed. */
class CallsInFlightIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private final Jdbi jdbi = DATABASE.jdbi();

  @Test
  void aNodeHasALeaseUntilCallsAreOverAndWereLogged() {
    AtomicBoolean inFlight = new AtomicBoolean(true);
    CallsInFlight calls = new CallsInFlight(jdbi, project -> project == 7 && inFlight.get());
    calls.look();
    assertThat(leases()).as("of a project that is open").isZero();

    jdbi.useHandle(
        handle ->
            handle.execute(
                "INSERT INTO id_moves (owner, id, project_id, new_id, step, closed_at) VALUES"
                    + " ('project', 7, 7, 8, 'closed', UTC_TIMESTAMP(3)),"
                    + " ('project', 9, 9, 10, 'closed', UTC_TIMESTAMP(3))"));
    calls.look();
    calls.look();
    assertThat(leases()).isOne();
    inFlight.set(false);
    calls.look();
    assertThat(leases()).as("its row may be about to be logged").isOne();
    calls.look();
    assertThat(leases()).isZero();

    inFlight.set(true);
    calls.look();
    assertThat(leases()).isOne();
    jdbi.useHandle(handle -> handle.execute("DELETE FROM id_moves"));
    calls.look();
    assertThat(leases()).as("once it is open again").isZero();
  }

  private long leases() {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery("SELECT COUNT(*) FROM leases WHERE name LIKE 'calls-7-%'")
                .mapTo(Long.class)
                .one());
  }
}

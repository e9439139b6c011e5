package io.memorygateway.budget.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.database.Home;
import io.memorygateway.testing.TestDatabase;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is shown where windows and the calls that hold of them do not agree. */
class BudgetDifferencesIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private final Jdbi jdbi = DATABASE.jdbi();

  @Test
  void whatWindowsHoldIsComparedWithTheirCalls() {
    assertThat(difference()).isZero();

    window(1, new Home(1), 8);
    hold(new Home(1).first() + 1, 1, 5);
    hold(new Home(1).first() + 2, 1, 3);
    window(2, new Home(16_384), 0);
    assertThat(difference()).isZero();

    window(3, new Home(16_384), -4);
    hold(new Home(16_384).first() + 1, 2, 11);
    assertThat(difference()).isEqualTo(4 + 11);
  }

  private void window(long id, Home home, long held) {
    jdbi.useHandle(
        handle ->
            handle.execute(
                "INSERT INTO budget_windows (id, owner, owner_id, name, unit, start_ms, end_ms,"
                    + " since_ms, max_amount, held) VALUES (?, 'key', ?, 'b', 'tokens', 0, 1, 0, 9, ?)",
                id,
                home.first() + 1,
                held));
  }

  private void hold(long call, long window, long amount) {
    jdbi.useHandle(
        handle ->
            handle.execute(
                "INSERT INTO budget_holds (call_id, window_id, amount, reserved) VALUES (?, ?, ?, 0)",
                call,
                window,
                amount));
  }

  private long difference() {
    return jdbi.withHandle(
        handle -> handle.createQuery(BudgetModule.DIFFERENCES).mapTo(Long.class).one());
  }
}

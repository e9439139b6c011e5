package io.memorygateway.usage;

import io.memorygateway.budget.Charge;
import io.memorygateway.budget.Hold;
import io.memorygateway.budget.Settlements;
import io.memorygateway.budget.Settlements.Reached;
import io.memorygateway.database.Home;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Writer of batches of calls: their rows in the request log, their share of the totals, and what
 * they come to in budgets. For one thread.
 */
final class LoggedBatch {
  private final TotalsModels models = new TotalsModels();

  /**
   * Writes a batch of calls of one home, in the transaction of the connection. A batch that an
   * earlier attempt committed, though its answer was lost, is not written or counted again; calls
   * that another node has settled, since it took this one for dead, are not written.
   *
   * @return what budgets have come to by it
   * @throws IllegalStateException if only some of its rows exist: two rows have the same random id
   *     then; once the batch is divided, one of the two counts as written
   */
  List<Reached> write(Connection connection, List<LoggedCall> calls) throws SQLException {
    if (calls.isEmpty() || !RequestLogInsert.insert(connection, calls)) {
      return List.of();
    }
    RollUp.add(connection, calls, models.bounded(connection, calls));
    List<Charge> charges = calls.stream().map(LoggedCall::charge).filter(Objects::nonNull).toList();
    try {
      return charges.isEmpty()
          ? List.of()
          : Settlements.settle(connection, Home.of(calls.get(0).projectId()), charges);
    } catch (Settlements.LostException e) {
      connection.rollback();
      return write(connection, without(calls, e.calls()));
    }
  }

  private static List<LoggedCall> without(List<LoggedCall> calls, Set<Hold> lost) {
    return calls.stream()
        .filter(call -> call.covered() == null || !lost.contains(call.covered().hold()))
        .toList();
  }
}

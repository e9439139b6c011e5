package io.memorygateway.usage;

import io.memorygateway.budget.Charge;
import io.memorygateway.budget.Settlements;
import io.memorygateway.budget.Settlements.Reached;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;

/**
 * Writer of batches of calls: their rows in the request log, their share of the totals, and what
 * they come to in budgets. For one thread.
 */
final class LoggedBatch {
  private final TotalsModels models = new TotalsModels();

  /**
   * Writes a batch, in the transaction of the connection. A batch that an earlier attempt
   * committed, though its answer was lost, is not written or counted again.
   *
   * @return what budgets have come to by it
   * @throws IllegalStateException if only some of its rows exist: two rows have the same random id
   *     then; once the batch is divided, one of the two counts as written
   */
  List<Reached> write(Connection connection, List<LoggedCall> calls) throws SQLException {
    if (!RequestLogInsert.insert(connection, calls)) {
      return List.of();
    }
    RollUp.add(connection, calls, models.bounded(connection, calls));
    List<Charge> charges = calls.stream().map(LoggedCall::charge).filter(Objects::nonNull).toList();
    return charges.isEmpty() ? List.of() : Settlements.settle(connection, charges);
  }
}

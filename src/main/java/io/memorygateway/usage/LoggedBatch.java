package io.memorygateway.usage;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * Writer of batches of calls: their rows in the request log, and their share of the totals. For one
 * thread.
 */
final class LoggedBatch {
  private final TotalsModels models = new TotalsModels();

  /**
   * Writes a batch, in the transaction of the connection. A batch that an earlier attempt
   * committed, though its answer was lost, is not written or counted again.
   *
   * @throws IllegalStateException if only some of its rows exist: two rows have the same random id
   *     then; once the batch is divided, one of the two counts as written
   */
  void write(Connection connection, List<LoggedCall> calls) throws SQLException {
    if (RequestLogInsert.insert(connection, calls)) {
      RollUp.add(connection, calls, models.bounded(connection, calls));
    }
  }
}

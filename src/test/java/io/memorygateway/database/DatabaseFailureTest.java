package io.memorygateway.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.net.SocketException;
import java.sql.SQLException;
import org.jdbi.v3.core.ConnectionException;
import org.jdbi.v3.core.transaction.TransactionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §3 and §13: what failures of the database mean. */
class DatabaseFailureTest {
  @ParameterizedTest
  @CsvSource({
    "1213, 40001, ROLLED_BACK",
    "3101, 40000, ROLLED_BACK",
    "3100, HY000, ROLLED_BACK",
    "1205, HY000, LOCK_WAIT_TIMEOUT",
    "1290, HY000, NOT_WRITABLE",
    "1836, HY000, NOT_WRITABLE",
    "1036, HY000, NOT_WRITABLE",
    "1047, 08S01, NOT_WRITABLE",
    "1053, 08S01, UNAVAILABLE",
    "1040, 08004, UNAVAILABLE",
    "1927, 70100, CONNECTION_LOST",
    "4031, HY000, CONNECTION_LOST",
    "1153, 08S01, TOO_LARGE",
    "1062, 23000, DUPLICATE_KEY",
    "1064, 42000, OTHER",
    "0, 08S01, CONNECTION_LOST",
    "0, 08003, CONNECTION_LOST"
  })
  void theServersNumberDecides(int number, String state, DatabaseFailure expected) {
    assertThat(DatabaseFailure.of(new SQLException("m", state, number))).isEqualTo(expected);
    assertThat(
            DatabaseFailure.of(new TransactionException("t", new SQLException("m", state, number))))
        .isEqualTo(expected);
  }

  @Test
  void aResetConnectionIsLostAlsoWithoutSqlState() {
    SQLException reset = new SQLException("Connection reset", new SocketException("reset"));
    assertThat(DatabaseFailure.of(reset)).isEqualTo(DatabaseFailure.CONNECTION_LOST);
    SQLException half = new SQLException("Can not read response", new EOFException());
    assertThat(DatabaseFailure.of(half)).isEqualTo(DatabaseFailure.CONNECTION_LOST);
    assertThat(DatabaseFailure.of(half).isOutage()).isTrue();
    assertThat(DatabaseFailure.of(half).isRetryable()).isFalse();
  }

  @Test
  void aDeadlockDuringCommitIsRolledBackAndAnotherFailureOfItIsNot() {
    SQLException deadlock =
        new SQLException(
            "Got error 149 - 'Lock deadlock; Retry transaction' during COMMIT", "HY000", 1180);
    assertThat(DatabaseFailure.of(deadlock)).isEqualTo(DatabaseFailure.ROLLED_BACK);
    SQLException other = new SQLException("Got error 5 - 'I/O error' during COMMIT", "HY000", 1180);
    assertThat(DatabaseFailure.of(other)).isEqualTo(DatabaseFailure.UNAVAILABLE);
  }

  /** As vtgate says it, with numbers that stand for many things. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1105 | no healthy tablet available for 'keyspace:\"g\" shard:\"0\"' | CONNECTION_LOST",
        "1105 | target: g.0.primary: vttablet: rpc error: code = Unavailable desc = error reading | CONNECTION_LOST",
        "1105 | operation not allowed in state NOT_SERVING | CONNECTION_LOST",
        "1105 | VT15001: transaction error, issue ROLLBACK: tablet is either down or nonexistent | CONNECTION_LOST",
        "1105 | VT09032: previous transaction failed. Issue a ROLLBACK | CONNECTION_LOST",
        "1317 | code = Aborted desc = transaction 17: ended at 20:15 (exceeded timeout: 15s) | CONNECTION_LOST",
        "1317 | code = Aborted desc = transaction 17: not found (potential transaction timeout) | CONNECTION_LOST",
        "1317 | code = Canceled desc = context deadline exceeded | UNAVAILABLE",
        "1317 | caller id: gateway: row count exceeded 10000 | OTHER",
        "1317 | multi-db transaction attempted: [target:{}] | OTHER",
        "1105 | VT13001: [BUG] unexpected | OTHER",
        "1203 | transaction pool connection limit exceeded | UNAVAILABLE",
        "1235 | VT12001: unsupported: subquery | OTHER",
        "2013 | Lost connection to MySQL server during query | CONNECTION_LOST"
      })
  void whatStandsBeforeTheServerTellsInItsTextWhatIsAwayAndWhatIsADefect(
      int number, String message, DatabaseFailure expected) {
    assertThat(DatabaseFailure.of(new SQLException(message, "HY000", number))).isEqualTo(expected);
  }

  @Test
  void withoutAConnectionNothingWasSent() {
    SQLException refused = new SQLException("refused", "08S01", new SocketException("refused"));
    assertThat(DatabaseFailure.of(new ConnectionException(refused)))
        .isEqualTo(DatabaseFailure.NOT_CONNECTED);
  }

  @Test
  void whatIsNotTheDatabasesIsADefect() {
    assertThat(DatabaseFailure.of(new IllegalStateException()).isOutage()).isFalse();
    assertThat(DatabaseFailure.of(new IllegalStateException(new EOFException())).isOutage())
        .isFalse();
  }
}

package io.memorygateway.audit;

import java.io.IOException;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;
import org.jspecify.annotations.Nullable;

/** Reader of the whole audit log, in one state of the database and a page at a time. */
public final class AuditReader {
  private final Jdbi jdbi;

  public AuditReader(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * Reads the rows after a given one.
   *
   * @param after number of that row; 0: all rows, also those with a number below
   */
  public void read(long after, Consumer<AuditRow> rows) {
    jdbi.useTransaction(
        TransactionIsolationLevel.REPEATABLE_READ,
        handle -> read(handle.attach(AuditDao.class), first(after), rows, () -> true));
  }

  private static long first(long after) {
    return after == 0 ? Long.MIN_VALUE : after + 1;
  }

  /**
   * Reads rows until there are no more, or no more time; returns whether the last one was reached.
   */
  private static boolean read(
      AuditDao dao, long first, Consumer<AuditRow> rows, BooleanSupplier goOn) {
    long from = first;
    while (true) {
      List<AuditRow> page = dao.from(from, AuditDao.ROWS_PER_STATEMENT);
      page.forEach(rows);
      if (page.size() < AuditDao.ROWS_PER_STATEMENT
          || page.get(page.size() - 1).seq() == Long.MAX_VALUE) {
        return true;
      }
      from = page.get(page.size() - 1).seq() + 1;
      if (!goOn.getAsBoolean()) {
        return false;
      }
    }
  }

  /** Consumer of rows that may be slow, or fail. */
  @FunctionalInterface
  public interface RowWriter {
    void write(AuditRow row) throws IOException;
  }

  /**
   * Reads the rows after a given one up to the current last one. No connection is held while they
   * are written, which is safe because rows are only ever added.
   *
   * @param after number of that row; 0: all rows, also those with a number below
   */
  public void readInPages(long after, RowWriter rows) throws IOException {
    long last = jdbi.withExtension(AuditDao.class, AuditDao::lastSeq);
    long from = first(after);
    while (from <= last) {
      long begin = from;
      List<AuditRow> page =
          jdbi.withExtension(AuditDao.class, dao -> dao.from(begin, AuditDao.ROWS_PER_STATEMENT));
      for (AuditRow row : page) {
        if (row.seq() <= last) {
          rows.write(row);
        }
      }
      if (page.size() < AuditDao.ROWS_PER_STATEMENT
          || page.get(page.size() - 1).seq() == Long.MAX_VALUE) {
        return;
      }
      from = page.get(page.size() - 1).seq() + 1;
    }
  }

  /**
   * Verifies the log.
   *
   * @param noted number and hash of a row, recorded outside of the database; null for none
   */
  public AuditVerification.Report verify(@Nullable AuditHead noted) {
    AuditVerification verification = new AuditVerification(noted);
    return verify(AuditHead.EMPTY, verification, () -> true).report();
  }

  /**
   * Result of one step of a verification.
   *
   * @param report of the step
   * @param complete whether it reached the end of the log
   */
  public record Step(AuditVerification.Report report, boolean complete) {}

  /**
   * Verifies a part of the log, until the time is over.
   *
   * @param start number and hash of the row before the part; {@link AuditHead#EMPTY} for the first
   *     one
   * @param goOn asked after each page whether there is time for another one
   */
  public Step verify(AuditHead start, BooleanSupplier goOn) {
    return verify(start, AuditVerification.from(start, null), goOn);
  }

  private Step verify(AuditHead start, AuditVerification verification, BooleanSupplier goOn) {
    return jdbi.inTransaction(
        TransactionIsolationLevel.REPEATABLE_READ,
        handle -> {
          AuditDao dao = handle.attach(AuditDao.class);
          AuditHead head = dao.head().orElse(null);
          if (start.seq() == 0) {
            dao.strangers(AuditVerification.MAX_FAULTS).forEach(verification::stranger);
          }
          return read(dao, start.seq() + 1, verification::next, goOn)
              ? new Step(verification.end(head), true)
              : new Step(verification.soFar(), false);
        });
  }
}

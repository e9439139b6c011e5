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
   * @param after number of that row; 0: from the first row on
   * @return the end of the chain in the same state; null if {@code audit_head} is empty
   */
  public @Nullable AuditHead read(long after, Consumer<AuditRow> rows) {
    return jdbi.inTransaction(
        TransactionIsolationLevel.REPEATABLE_READ,
        handle -> {
          AuditDao dao = handle.attach(AuditDao.class);
          AuditHead head = dao.head().orElse(null);
          List<AuditRow> page = dao.after(after, AuditDao.ROWS_PER_STATEMENT);
          while (!page.isEmpty()) {
            page.forEach(rows);
            page = dao.after(page.get(page.size() - 1).seq(), AuditDao.ROWS_PER_STATEMENT);
          }
          return head;
        });
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
   * @param after number of that row; 0: from the first row on
   */
  public void readInPages(long after, RowWriter rows) throws IOException {
    long last =
        jdbi.withExtension(AuditDao.class, AuditDao::head)
            .map(AuditHead::seq)
            .orElse(Long.MAX_VALUE);
    long read = after;
    while (read < last) {
      long from = read;
      List<AuditRow> page =
          jdbi.withExtension(AuditDao.class, dao -> dao.after(from, AuditDao.ROWS_PER_STATEMENT));
      for (AuditRow row : page) {
        if (row.seq() <= last) {
          rows.write(row);
        }
        read = row.seq();
      }
      if (page.size() < AuditDao.ROWS_PER_STATEMENT) {
        return;
      }
    }
  }

  /**
   * Verifies the log.
   *
   * @param noted number and hash of a row, recorded outside of the database; null for none
   */
  public AuditVerification.Report verify(@Nullable AuditHead noted) {
    AuditVerification verification = new AuditVerification(noted);
    return verification.end(read(0, verification::next));
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
    return jdbi.inTransaction(
        TransactionIsolationLevel.REPEATABLE_READ,
        handle -> {
          AuditDao dao = handle.attach(AuditDao.class);
          AuditHead head = dao.head().orElse(null);
          AuditVerification verification = AuditVerification.from(start, null);
          long last = start.seq();
          while (true) {
            List<AuditRow> page = dao.after(last, AuditDao.ROWS_PER_STATEMENT);
            page.forEach(verification::next);
            if (page.size() < AuditDao.ROWS_PER_STATEMENT) {
              return new Step(verification.end(head), true);
            }
            last = page.get(page.size() - 1).seq();
            if (!goOn.getAsBoolean()) {
              return new Step(verification.soFar(), false);
            }
          }
        });
  }
}

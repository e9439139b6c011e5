package io.memorygateway.audit;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;
import org.jspecify.annotations.Nullable;

/**
 * Reader of the whole audit log, a page at a time. No connection is held in between, so that others
 * who wait for one get it, which is safe because rows are only ever added.
 */
public record AuditReader(Jdbi jdbi) {
  /**
   * Writes the rows after a given one up to the current last one, each as a line of JSON.
   *
   * @param after number of that row; null or 0: all rows, also those with a number below
   */
  public void export(@Nullable Long after, ObjectMapper json, OutputStream out) throws IOException {
    long last = jdbi.withExtension(AuditDao.class, AuditDao::lastSeq);
    long from = after == null || after == 0 ? Long.MIN_VALUE : after + 1;
    while (from <= last) {
      long begin = from;
      List<AuditRow> page =
          jdbi.withExtension(AuditDao.class, dao -> dao.from(begin, AuditDao.ROWS_PER_STATEMENT));
      for (AuditRow row : page) {
        if (row.seq() <= last) {
          out.write(json.writeValueAsBytes(AuditRowView.of(row)));
          out.write('\n');
        }
      }
      if (isLast(page)) {
        return;
      }
      from = next(page);
    }
  }

  private static boolean isLast(List<AuditRow> page) {
    return page.size() < AuditDao.ROWS_PER_STATEMENT
        || page.get(page.size() - 1).seq() == Long.MAX_VALUE;
  }

  private static long next(List<AuditRow> page) {
    return page.get(page.size() - 1).seq() + 1;
  }

  /**
   * Result of one step of a verification.
   *
   * @param report of the step
   * @param complete whether it reached the end of the log
   */
  public record Step(AuditVerification.Report report, boolean complete) {}

  /** Rows, and the head of the same state of the database. */
  private record Page(List<AuditRow> rows, @Nullable AuditHead head) {}

  /**
   * Verifies the log, or a part of it, until the time is over.
   *
   * @param start number and hash of the row before the part; {@link AuditHead#EMPTY} for the first
   *     one
   * @param noted number and hash of a row, recorded outside of the database; null for none
   * @param goOn asked after each page whether there is time for another one
   */
  public Step verify(AuditHead start, @Nullable AuditHead noted, BooleanSupplier goOn) {
    AuditVerification verification = new AuditVerification(start, noted);
    if (start.seq() == 0) {
      jdbi.withExtension(AuditDao.class, dao -> dao.strangers(AuditVerification.MAX_FAULTS))
          .forEach(verification::stranger);
    }
    Page page = page(start.seq() + 1);
    page.rows().forEach(verification::next);
    while (!isLast(page.rows())) {
      if (!goOn.getAsBoolean()) {
        return new Step(verification.soFar(), false);
      }
      page = page(next(page.rows()));
      page.rows().forEach(verification::next);
    }
    return new Step(verification.end(page.head()), true);
  }

  private Page page(long from) {
    return jdbi.inTransaction(
        TransactionIsolationLevel.REPEATABLE_READ,
        handle -> {
          AuditDao dao = handle.attach(AuditDao.class);
          return new Page(dao.from(from, AuditDao.ROWS_PER_STATEMENT), dao.head().orElse(null));
        });
  }
}

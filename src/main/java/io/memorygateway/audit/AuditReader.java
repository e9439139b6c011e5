package io.memorygateway.audit;

import java.util.List;
import java.util.function.Consumer;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;
import org.jspecify.annotations.Nullable;

/** Reader of the whole audit log, in one state of the database and a page at a time. */
public final class AuditReader {
  private static final int PAGE = 100;

  private final Jdbi jdbi;

  public AuditReader(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * Reads the rows behind one.
   *
   * @param after number of that row; 0: from the first one on
   * @return the end of the chain in the same state; null if {@code audit_head} is empty
   */
  public @Nullable AuditHead read(long after, Consumer<AuditRow> rows) {
    return jdbi.inTransaction(
        TransactionIsolationLevel.REPEATABLE_READ,
        handle -> {
          AuditDao dao = handle.attach(AuditDao.class);
          AuditHead head = dao.head().orElse(null);
          List<AuditRow> page = dao.after(after, PAGE);
          while (!page.isEmpty()) {
            page.forEach(rows);
            page = dao.after(page.get(page.size() - 1).seq(), PAGE);
          }
          return head;
        });
  }

  /**
   * Verifies the log.
   *
   * @param noted number and hash of a row as they were noted outside of the database, or null
   */
  public AuditVerification.Report verify(@Nullable AuditHead noted) {
    AuditVerification verification = new AuditVerification(noted);
    return verification.end(read(0, verification::next));
  }
}

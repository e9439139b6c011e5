package io.memorygateway.audit;

import io.memorygateway.database.Transactions;
import java.time.Instant;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * The audit log of all nodes. A row is added in the transaction of the change that it records, by
 * {@link AuditOutbox}, or in a separate one if the change is not in the database.
 *
 * @param transactions retries what the database rolled back, in a bounded time
 */
public record AuditLog(Transactions transactions) {
  /**
   * Adds a row in the current transaction, which should end soon: until then no other act is
   * recorded, on any node. Locks the end of the chain, so it must be the last lock taken.
   */
  public AuditRow append(Handle handle, AuditEntry entry) {
    AuditDao dao = handle.attach(AuditDao.class);
    AuditHead head = lockHead(dao);
    // Read while the lock is held, so that the times of two rows have the order of the rows.
    return append(dao, head, AuditRow.of(entry), dao.now(), null);
  }

  /**
   * Adds a row of the outbox, with the time of its change, unless it is there; returns whether it
   * was not.
   */
  boolean appendOnce(Handle handle, long outboxId, AuditRow kept) {
    AuditDao dao = handle.attach(AuditDao.class);
    AuditHead head = lockHead(dao);
    if (dao.has(outboxId)) {
      return false;
    }
    append(dao, head, kept, kept.at(), outboxId);
    return true;
  }

  private static AuditHead lockHead(AuditDao dao) {
    return dao.lockHead()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "the row of audit_head is missing, so no act can be recorded"));
  }

  private static AuditRow append(
      AuditDao dao, AuditHead head, AuditRow unchained, Instant at, @Nullable Long outboxId) {
    AuditRow row = unchained.chained(head.seq() + 1, at, head.hash());
    dao.insert(row, outboxId);
    dao.setHead(row.seq(), row.hash());
    return row;
  }

  /** Adds a row in a separate transaction. */
  public AuditRow append(AuditEntry entry) {
    return transactions.write(handle -> append(handle, entry));
  }
}

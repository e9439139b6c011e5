package io.memorygateway.audit;

import io.memorygateway.audit.AuditEntry.Outcome;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * An operator's act in progress. The code that makes the change records it in the same transaction.
 */
public final class Act {
  private final AuditLog log;
  private final Actor actor;
  private final String action;
  private @Nullable AuditRow row;

  /**
   * Begins an act.
   *
   * @param action such as {@code key-issue}
   */
  public Act(AuditLog log, Actor actor, String action) {
    this.log = log;
    this.actor = actor;
    this.action = action;
  }

  /** Name of the action, such as {@code key-issue}. */
  public String action() {
    return action;
  }

  /** Role of the actor, in lower case. */
  public String role() {
    return actor.role();
  }

  /**
   * Records the change in its transaction, as the last statement. A transaction that is retried
   * records it again.
   *
   * @param before null if there was nothing
   * @param after null if there is nothing any more
   */
  public void record(
      Handle handle, String subject, @Nullable Object before, @Nullable Object after) {
    row = log.append(handle, new AuditEntry(actor, action, subject, Outcome.DONE, before, after));
  }

  /**
   * Records an act outside of the transaction of its change, if it has one.
   *
   * @param before null if there was nothing
   * @param after null if there is nothing any more
   */
  public void record(
      String subject, Outcome outcome, @Nullable Object before, @Nullable Object after) {
    row = log.append(new AuditEntry(actor, action, subject, outcome, before, after));
  }

  /** The row that was added; null before that. */
  public @Nullable AuditRow row() {
    return row;
  }
}

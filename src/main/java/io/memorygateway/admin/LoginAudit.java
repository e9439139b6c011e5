package io.memorygateway.admin;

import io.memorygateway.audit.AuditEntry;
import io.memorygateway.audit.AuditLog;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records failed logins in the audit log, a bounded number a minute: a row locks the end of the
 * chain for all nodes, so that guessing passwords from many addresses would block operators. The
 * node's log and the metrics have all of them.
 */
final class LoginAudit implements Consumer<AuditEntry> {
  static final int PER_MINUTE = 30;

  private static final Logger LOGGER = LoggerFactory.getLogger(LoginAudit.class);

  private final AuditLog log;
  private final LongSupplier nanoTime;
  private final long origin;
  private long minute;
  private int recorded;

  LoginAudit(AuditLog log, LongSupplier nanoTime) {
    this.log = log;
    this.nanoTime = nanoTime;
    this.origin = nanoTime.getAsLong();
  }

  @Override
  public void accept(AuditEntry entry) {
    if (!isAllowed()) {
      return;
    }
    try {
      log.append(entry);
    } catch (RuntimeException e) {
      LOGGER.warn("A failed login is missing in the audit log: {}", e.toString());
    }
  }

  private synchronized boolean isAllowed() {
    long now = TimeUnit.NANOSECONDS.toMinutes(nanoTime.getAsLong() - origin);
    if (now != minute) {
      minute = now;
      recorded = 0;
    }
    return recorded++ < PER_MINUTE;
  }
}

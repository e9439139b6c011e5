package io.memorygateway.admin;

import io.memorygateway.audit.AuditEntry;
import io.memorygateway.audit.AuditLog;
import io.memorygateway.audit.RefusalBound;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records failed logins in the audit log, a bounded number a minute, whoever they say they are. The
 * node's log and the metrics have all of them.
 */
final class LoginAudit implements Consumer<AuditEntry> {
  private static final Logger LOGGER = LoggerFactory.getLogger(LoginAudit.class);
  private static final String ANYBODY = "";

  private final AuditLog log;
  private final RefusalBound bound;

  LoginAudit(AuditLog log, LongSupplier nanoTime) {
    this.log = log;
    this.bound = new RefusalBound(nanoTime);
  }

  @Override
  public void accept(AuditEntry entry) {
    if (!bound.allows(ANYBODY)) {
      return;
    }
    try {
      log.append(entry);
    } catch (RuntimeException e) {
      LOGGER.warn("A failed login is missing in the audit log: {}", e.toString());
    }
  }
}

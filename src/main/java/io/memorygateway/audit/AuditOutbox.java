package io.memorygateway.audit;

import io.dropwizard.lifecycle.setup.LifecycleEnvironment;
import io.memorygateway.database.Cleaner;
import io.memorygateway.database.Homes;
import io.memorygateway.database.Transactions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records of acts that change rows of one home, which no transaction can change together with the
 * audit log where homes are divided among shards. A record is stored with the change and moved to
 * the log after it, exactly once: by who made the change, or else by a cleaner.
 */
public record AuditOutbox(Jdbi jdbi, Transactions transactions, AuditLog log) {
  private static final Logger LOGGER = LoggerFactory.getLogger(AuditOutbox.class);
  private static final int BATCH = 100;
  private static final Duration INTERVAL = Duration.ofSeconds(10);

  /** Creates the outbox, and schedules its cleaner. */
  public static AuditOutbox install(
      Jdbi jdbi, Transactions transactions, AuditLog log, LifecycleEnvironment lifecycle) {
    AuditOutbox outbox = new AuditOutbox(jdbi, transactions, log);
    Cleaner.install(lifecycle, "audit-outbox", INTERVAL, outbox::moveAll);
    return outbox;
  }

  /**
   * Stores a record in the transaction of its change.
   *
   * @param id of the home, and of no other record
   */
  public void put(Handle handle, long id, AuditEntry entry) {
    handle.attach(AuditDao.class).keep(id, AuditRow.of(entry));
  }

  /** Moves a record to the log; where that fails, the cleaner does it. */
  public void move(long id) {
    try {
      moveNow(id);
    } catch (RuntimeException e) {
      LOGGER.warn("A record stays in the audit outbox for a while", e);
    }
  }

  private void moveNow(long id) {
    transactions
        .read(handle -> handle.attach(AuditDao.class).kept(id))
        .ifPresent(
            kept -> {
              transactions.write(handle -> log.appendOnce(handle, id, kept));
              transactions.write(handle -> handle.attach(AuditDao.class).forget(id));
            });
  }

  /** Moves what is there; returns how many there were. */
  long moveAll() {
    AtomicLong moved = new AtomicLong();
    Homes.each(
        Homes.of(jdbi),
        home -> {
          List<Long> ids =
              transactions.read(
                  handle -> handle.attach(AuditDao.class).kept(home.first(), home.last(), BATCH));
          Homes.each(ids, this::moveNow);
          moved.addAndGet(ids.size());
        });
    return moved.get();
  }
}

package io.memorygateway.observation;

import io.memorygateway.concurrent.HeapBudget;
import io.memorygateway.concurrent.HeapReservation;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Does all the work that is due on a thread, in steps of one transaction each: appends prepared
 * chunks, observes messages, prepares chunks, condenses the log, and what is known of its resource.
 *
 * @param heap in which heap is reserved for the messages that are read; null if it is not bounded
 */
record ThreadObserver(
    Jdbi jdbi,
    LeaseGuard guard,
    UnobservedMessagesReader unobservedReader,
    MessageObservation messageObservation,
    LogReflection logReflection,
    ResourceReflection resourceReflection,
    ContextSettings settings,
    BackgroundThrottle throttle,
    @Nullable HeapBudget heap) {
  /** Divisor of a chunk's interval: fewer bytes of new content are not worth a check. */
  private static final int CHECKS_PER_CHUNK = 8;

  private static final double MARGIN = 1.5;
  private static final double MAX_BYTES_PER_TOKEN = 4;

  /** How often the work is restarted because messages were changed meanwhile, before it stops. */
  private static final int MAX_RESTARTS = 10;

  /**
   * Works until nothing is due, then deletes the job.
   *
   * @throws WorkAbortedException if the thread or the lease is gone
   */
  void run(Lease lease) throws InterruptedException {
    try {
      throttle.setUrgent(lease.urgent());
      work(lease);
    } finally {
      throttle.setUrgent(false);
    }
  }

  private void work(Lease lease) throws InterruptedException {
    boolean more = true;
    int changes = 0;
    while (more) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      try (HeapReservation held = new HeapReservation(heap, HeapBudget.BACKGROUND)) {
        more = step(lease, held);
        throttle.rest();
      } catch (WorkAbortedException e) {
        boolean changed = e.reason() == WorkAbortedException.Reason.MESSAGES_CHANGED;
        if (!changed || ++changes > MAX_RESTARTS) {
          throw e;
        }
      }
    }
  }

  private boolean step(Lease lease, HeapReservation held) throws InterruptedException {
    ThreadView view =
        jdbi.withHandle(handle -> ThreadView.read(handle, lease.threadId(), settings))
            .orElseThrow(() -> new WorkAbortedException(WorkAbortedException.Reason.THREAD_GONE));
    if (logReflection.condense(lease, view)) {
      return true;
    }
    Optional<UnobservedMessagesReader.Amount> amount =
        unobservedReader.measure(
            jdbi, lease.threadId(), view.observedSeq(), view.preparedSeq(), held);
    amount.ifPresent(known -> throttle.setUrgent(lease.urgent() || overflows(view, known)));
    if (amount.isPresent() && !isDue(view, amount.get())) {
      return logReflection.prepare(lease, view)
          || resourceReflection.condense(lease)
          || !finish(lease, view, amount.get());
    }
    UnobservedMessages unobserved =
        unobservedReader.read(jdbi, lease.threadId(), view.observedSeq(), held);
    boolean overflows = overflows(view, amount(view, unobserved));
    throttle.setUrgent(lease.urgent() || overflows);
    return ((overflows || unobserved.pendingTokens() >= view.config().messageTokens())
            && messageObservation.observeOrActivate(lease, view, unobserved))
        || messageObservation.prepare(lease, view, unobserved)
        || logReflection.prepare(lease, view)
        || resourceReflection.condense(lease)
        || !finish(lease, view, amount(view, unobserved));
  }

  private static boolean isDue(ThreadView view, UnobservedMessagesReader.Amount amount) {
    return amount.pending() >= view.rule().threshold()
        || overflows(view, amount)
        || amount.unprepared() >= view.rule().interval();
  }

  private static UnobservedMessagesReader.Amount amount(
      ThreadView view, UnobservedMessages unobserved) {
    long unprepared = UnobservedMessages.tokens(unobserved.after(view.preparedSeq()));
    return new UnobservedMessagesReader.Amount(
        unobserved.pendingTokens(),
        unprepared,
        unobserved.pendingTokens(),
        unobserved.pendingBytes(),
        unobserved.messages().size());
  }

  /**
   * Whether some of the unobserved messages do not fit upstream. That can be before the threshold
   * is reached: a message takes a few tokens more than its text.
   */
  private static boolean overflows(ThreadView view, UnobservedMessagesReader.Amount amount) {
    long log = view.record() == null ? 0 : view.record().observationTokens();
    return view.config().overflows(log, amount.pending(), amount.messages());
  }

  /** Deletes the job; false if messages arrived meanwhile that have to be checked now. */
  private boolean finish(Lease lease, ThreadView view, UnobservedMessagesReader.Amount amount) {
    long next = view.head().storedBytes() + untilNextCheck(view.rule(), amount);
    return guard.call(
        lease,
        (handle, head) -> {
          if (head.storedBytes() >= next) {
            return false;
          }
          StateDao dao = handle.attach(StateDao.class);
          dao.end(lease.threadId());
          dao.scheduleCheck(lease.threadId(), next);
          handle.attach(JobDao.class).delete(lease.threadId(), lease.owner());
          return true;
        });
  }

  /**
   * Bytes of content that may be added until something is due. Of new content, at most half as many
   * tokens again for each byte are assumed as in the latest; if it has more, the check is a little
   * late.
   */
  static long untilNextCheck(CutRule rule, UnobservedMessagesReader.Amount amount) {
    long tokens =
        Math.min(rule.interval() - amount.unprepared(), rule.threshold() - amount.pending());
    if (tokens <= 0) {
      return 1; // the result of a tool is still to come
    }
    // Images have few tokens for their bytes, those by URL many: what follows may be plain text.
    double bytesPerToken =
        amount.latest() == 0
            ? 1
            : Math.min(MAX_BYTES_PER_TOKEN, (double) amount.latestBytes() / amount.latest());
    return Math.max(
        Math.max(1, rule.interval() / CHECKS_PER_CHUNK), (long) (tokens * bytesPerToken / MARGIN));
  }
}

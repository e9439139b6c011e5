package io.memorygateway.observation;

import io.memorygateway.concurrent.HeapBudget;
import io.memorygateway.concurrent.HeapReservation;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Brings a thread to where it should be, in steps of which each is one transaction: prepared chunks
 * are activated, messages observed, chunks prepared, the log condensed, whatever is due.
 */
final class ThreadObserver {
  /** Less than this part of what is prepared at once is not worth a look. */
  private static final int LOOKS = 8;

  private static final double MARGIN = 1.5;
  private static final double MOST_BYTES_PER_TOKEN = 4;

  /** How often it begins anew because messages were changed meanwhile, before it lets go. */
  private static final int MOST_CHANGES = 10;

  private final Jdbi jdbi;
  private final Guard guard;
  private final TailReader tails;
  private final Observing observing;
  private final Reflecting reflecting;
  private final ObservationSettings settings;
  private final Pace pace;
  private final @Nullable HeapBudget heap;

  /**
   * An observer of threads.
   *
   * @param heap where it is reserved for the messages that are read; null if it is not bounded
   */
  ThreadObserver(
      Jdbi jdbi,
      Guard guard,
      TailReader tails,
      Observing observing,
      Reflecting reflecting,
      ObservationSettings settings,
      Pace pace,
      @Nullable HeapBudget heap) {
    this.jdbi = jdbi;
    this.guard = guard;
    this.tails = tails;
    this.observing = observing;
    this.reflecting = reflecting;
    this.settings = settings;
    this.pace = pace;
    this.heap = heap;
  }

  /**
   * Works until there is nothing to do, and gives the job up then.
   *
   * @throws GivenUpException if the thread or the lease is gone
   */
  void run(Lease lease) throws InterruptedException {
    try {
      pace.hurry(lease.urgent());
      work(lease);
    } finally {
      pace.hurry(false);
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
        pace.rest();
      } catch (GivenUpException e) {
        boolean changed = e.reason() == GivenUpException.Reason.MESSAGES_CHANGED;
        if (!changed || ++changes > MOST_CHANGES) {
          throw e;
        }
      }
    }
  }

  private boolean step(Lease lease, HeapReservation held) throws InterruptedException {
    ThreadView view =
        jdbi.withHandle(handle -> ThreadView.read(handle, lease.threadId(), settings))
            .orElseThrow(() -> new GivenUpException(GivenUpException.Reason.THREAD_GONE));
    if (reflecting.condense(lease, view)) {
      return true;
    }
    Optional<TailReader.Amount> amount =
        tails.measure(jdbi, lease.threadId(), view.observedSeq(), view.preparedSeq(), held);
    amount.ifPresent(known -> pace.hurry(lease.urgent() || overflows(view, known)));
    if (amount.isPresent() && !isDue(view, amount.get())) {
      return reflecting.prepare(lease, view) || !finish(lease, view, amount.get());
    }
    Tail tail = tails.read(jdbi, lease.threadId(), view.observedSeq(), held);
    boolean overflows = overflows(view, amount(view, tail));
    pace.hurry(lease.urgent() || overflows);
    return ((overflows || tail.pendingTokens() >= view.config().messageTokens())
            && observing.takeOut(lease, view, tail))
        || observing.prepare(lease, view, tail)
        || reflecting.prepare(lease, view)
        || !finish(lease, view, amount(view, tail));
  }

  private static boolean isDue(ThreadView view, TailReader.Amount amount) {
    return amount.pending() >= view.rule().threshold()
        || overflows(view, amount)
        || amount.unprepared() >= view.rule().interval();
  }

  private static TailReader.Amount amount(ThreadView view, Tail tail) {
    long unprepared = Tail.tokens(tail.after(view.preparedSeq()));
    return new TailReader.Amount(
        tail.pendingTokens(),
        unprepared,
        tail.pendingTokens(),
        tail.pendingBytes(),
        tail.messages().size());
  }

  /**
   * Whether a part of what is not observed has no room upstream. That can be before the threshold
   * is reached: a message takes a little more room than its text.
   */
  private static boolean overflows(ThreadView view, TailReader.Amount amount) {
    long log = view.record() == null ? 0 : view.record().observationTokens();
    return view.config().overflows(log, amount.pending(), amount.messages());
  }

  /** Whether nothing came in between that has to be looked at now. */
  private boolean finish(Lease lease, ThreadView view, TailReader.Amount amount) {
    long next = view.head().storedBytes() + untilNextLook(view.rule(), amount);
    return guard.call(
        lease,
        (handle, head) -> {
          if (head.storedBytes() >= next) {
            return false;
          }
          StateDao dao = handle.attach(StateDao.class);
          dao.setPending(lease.threadId(), amount.pending());
          dao.end(lease.threadId());
          dao.lookAgainAt(lease.threadId(), next);
          handle.attach(JobDao.class).delete(lease.threadId(), lease.owner());
          return true;
        });
  }

  /**
   * Bytes of content that may come until something is due. What comes is taken to be at most half
   * as dense again in tokens as what came last; where it is denser, the look is a little late.
   */
  static long untilNextLook(CutRule rule, TailReader.Amount amount) {
    long tokens =
        Math.min(rule.interval() - amount.unprepared(), rule.threshold() - amount.pending());
    if (tokens <= 0) {
      return 1; // a result of a tool is waited for
    }
    // Images have few tokens for their bytes, those by URL many: what follows may be plain text.
    double bytesPerToken =
        amount.latest() == 0
            ? 1
            : Math.min(MOST_BYTES_PER_TOKEN, (double) amount.latestBytes() / amount.latest());
    return Math.max(Math.max(1, rule.interval() / LOOKS), (long) (tokens * bytesPerToken / MARGIN));
  }
}

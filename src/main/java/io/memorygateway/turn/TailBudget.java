package io.memorygateway.turn;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Bounds the memory that large ends of threads take while turns of this node are opened: whatever
 * threads hold, and however many are asked for at once, the node stays up. Small ends are not
 * counted.
 */
final class TailBudget {
  /** Bytes of content up to which nothing is counted. */
  private static final long SMALL = 512 << 10;

  /** Content as the driver has it, as text, in its parts, as it is spelt and sent. */
  private static final int COPIES = 6;

  private static final String BUSY = "Too many large threads are read at the moment.";
  private static final int UNIT = 1 << 10;
  private static final long PATIENCE_SECONDS = 10;

  private final Semaphore units;
  private final int all;

  /**
   * A budget.
   *
   * @param bytes of the heap
   */
  TailBudget(long bytes) {
    this.all = (int) Math.max(1, Math.min(bytes / UNIT, Integer.MAX_VALUE));
    this.units = new Semaphore(all, true);
  }

  /** A quarter of the heap. */
  static TailBudget ofHeap() {
    return new TailBudget(Runtime.getRuntime().maxMemory() / 4);
  }

  /** Opens a share of one turn, that is still empty. */
  Share share() {
    return new Share();
  }

  /** What one turn takes of the budget; for one thread at a time. */
  final class Share implements AutoCloseable {
    private int taken;

    private Share() {}

    /**
     * Waits until there is room. To be asked once, before the content is read. What is more than
     * the whole budget gets the whole budget.
     *
     * @param content bytes
     * @throws BusyException if there is none in time
     */
    void take(long content) {
      if (content <= SMALL || taken > 0) {
        return;
      }
      int wanted = (int) Math.min(all, content * COPIES / UNIT);
      try {
        if (!units.tryAcquire(wanted, PATIENCE_SECONDS, TimeUnit.SECONDS)) {
          throw new BusyException(BUSY);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new BusyException(BUSY);
      }
      taken = wanted;
    }

    @Override
    public void close() {
      units.release(taken);
      taken = 0;
    }
  }
}

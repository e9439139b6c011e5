package io.memorygateway.proxy.count;

import io.memorygateway.concurrent.BackgroundWriter;
import io.memorygateway.figures.Figures;
import io.memorygateway.observation.text.TokenCounter;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counter, in the background, of tokens that upstreams did not say. A call only puts what is to be
 * counted into a bounded queue; of what does not fit, or is left when the node stops, the tokens
 * are taken from its length.
 */
public final class TokenEstimates extends BackgroundWriter {
  private static final Logger LOGGER = LoggerFactory.getLogger(TokenEstimates.class);
  private static final int MAX_WAITING = 10_000;

  /** Most bytes of bodies that wait. */
  private static final long MAX_BYTES = 64 << 20;

  private static final long LOOK_MILLIS = 100;
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(3);

  private final BlockingQueue<Waiting> queue = new ArrayBlockingQueue<>(MAX_WAITING);
  private final AtomicLong bytes = new AtomicLong();
  private final TokenCounter counter = new TokenCounter();

  private record Waiting(Uncounted call, Consumer<Figures> done) {}

  public TokenEstimates() {
    super("token-estimates", STOP_TIMEOUT);
  }

  /**
   * Has a call counted; does not block.
   *
   * @param done gets the tokens, in another thread, or at once where too much waits
   */
  public void count(Uncounted call, Consumer<Figures> done) {
    if (bytes.addAndGet(call.bytes()) > MAX_BYTES || !queue.offer(new Waiting(call, done))) {
      bytes.addAndGet(-call.bytes());
      done.accept(call.byLength());
    }
  }

  @Override
  protected void run() throws InterruptedException {
    while (!stopsWithin(0) || !queue.isEmpty()) {
      Waiting next = queue.poll(LOOK_MILLIS, TimeUnit.MILLISECONDS);
      if (next != null) {
        next.done.accept(stopsWithin(0) ? next.call.byLength() : counted(next.call));
        bytes.addAndGet(-next.call.bytes());
      }
    }
  }

  private Figures counted(Uncounted call) {
    try {
      return call.count(counter);
    } catch (RuntimeException e) {
      LOGGER.error("The tokens of a call cannot be counted", e);
      return call.byLength();
    }
  }
}

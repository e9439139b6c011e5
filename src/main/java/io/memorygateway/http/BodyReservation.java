package io.memorygateway.http;

import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * What one request holds of the {@link BodyBudget}, from its body's first byte to the last byte of
 * its answer. Any thread may reserve more; what is not given back before is given back when the
 * request ends.
 */
public final class BodyReservation implements AutoCloseable {
  /** Request attribute that holds it. */
  public static final String ATTRIBUTE = BodyReservation.class.getName();

  private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final @Nullable BodyBudget budget;
  private long key;
  private long request;
  private long answer;
  private boolean closed;

  private BodyReservation(@Nullable BodyBudget budget) {
    this.budget = budget;
  }

  static BodyReservation of(BodyBudget budget) {
    return new BodyReservation(budget);
  }

  /** For work that no request waits for: it is bounded elsewhere. */
  public static BodyReservation unbounded() {
    return new BodyReservation(null);
  }

  /** That of a request; without one nothing is bounded. */
  public static BodyReservation of(HttpServletRequest request) {
    return request.getAttribute(ATTRIBUTE) instanceof BodyReservation reservation
        ? reservation
        : unbounded();
  }

  /** Says who calls; to be called before anything is reserved. */
  public synchronized void heldBy(long keyId) {
    key = keyId;
  }

  /**
   * Reserves heap for the request's body.
   *
   * @param bytes of the body; they count several times
   * @throws ApiException 503 if there is not so much
   */
  synchronized void addRequest(long bytes) {
    long more = bytes * BodyBudget.REQUEST_COST;
    if (!take(more, request + more)) {
      throw refused();
    }
    request += more;
  }

  /** Keeps less for the request, once it only waits; never more than it has. */
  public synchronized void keepRequest(long heap) {
    if (budget != null && !closed && heap < request) {
      budget.give(key, request - heap);
      request = heap;
    }
  }

  /**
   * Reserves heap for the answer.
   *
   * @throws ApiException 503 if there is not so much
   */
  public void addAnswer(long heap) {
    if (!tryAddAnswer(heap)) {
      throw refused();
    }
  }

  /** The same; false if there is not so much. */
  public synchronized boolean tryAddAnswer(long heap) {
    if (!take(heap, answer + heap)) {
      return false;
    }
    answer += heap;
    return true;
  }

  /** The same for an answer that has begun and can wait; false if there was not so much in time. */
  public boolean awaitAnswer(long heap, Duration patience) {
    long end = System.nanoTime() + patience.toNanos();
    while (!tryAddAnswer(heap)) {
      if (System.nanoTime() >= end || Thread.currentThread().isInterrupted()) {
        return false;
      }
      LockSupport.parkNanos(WAIT_NANOS);
    }
    return true;
  }

  /**
   * Sees to it that enough is held to build an answer of rows: what the request's body holds serves
   * for it, too.
   *
   * @param bytes of the rows' contents
   * @throws ApiException 503 if there is not so much
   */
  public synchronized void coverAnswer(long bytes) {
    long missing = bytes * BodyBudget.ANSWER_COST - request - answer;
    if (missing > 0) {
      addAnswer(missing);
    }
  }

  /** Keeps less for the answer, once a part of it is sent; never more than it has. */
  public synchronized void keepAnswer(long heap) {
    if (budget != null && !closed && heap < answer) {
      budget.give(key, answer - heap);
      answer = heap;
    }
  }

  private boolean take(long more, long then) {
    if (budget == null) {
      return true;
    }
    return !closed && budget.take(key, more, then <= BodyBudget.SMALL);
  }

  /** The error of a request whose body, or answer, finds no room. */
  public static ApiException refused() {
    return new ApiException(
        ApiError.unavailable(
            "This node holds as many large bodies as it can at the moment; try again.", 1));
  }

  /** Gives all of it back; nothing can be reserved any more. */
  @Override
  public synchronized void close() {
    if (budget != null && !closed) {
      budget.give(key, request + answer);
    }
    closed = true;
  }
}

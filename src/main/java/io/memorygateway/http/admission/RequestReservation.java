package io.memorygateway.http.admission;

import io.memorygateway.concurrent.HeapBudget;
import io.memorygateway.concurrent.HeapReservation;
import io.memorygateway.http.errors.ApiException;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Reservation of one request in the {@link HeapBudget}, from its body's first byte to the last byte
 * of its response: one part for the body and what is derived from it, another for the response. Any
 * thread may reserve more; what is not released before is released when the request ends.
 */
public final class RequestReservation implements AutoCloseable {
  public static final String ATTRIBUTE = RequestReservation.class.getName();

  /**
   * Heap that a request body takes while it is processed, in multiples of its bytes: itself, its
   * values as strings, what the driver sends, and the response.
   */
  public static final int REQUEST_COST = 6;

  /** The same of a response that is built of rows: the rows, the text, and its copy to be sent. */
  public static final int ANSWER_COST = 5;

  /**
   * The same of an upstream's response that is collected: its pieces, the whole, what is parsed.
   */
  public static final int UPSTREAM_COST = 3;

  private static final Duration GROWTH_TIMEOUT = Duration.ofSeconds(1);
  private static final Duration HEAP_TIMEOUT = Duration.ofSeconds(10);

  /** Key while the caller is not known. */
  private static final long NO_OWNER = 0;

  private final @Nullable HeapBudget budget;
  private HeapReservation request;
  private HeapReservation answer;

  private RequestReservation(@Nullable HeapBudget budget) {
    this.budget = budget;
    this.request = new HeapReservation(budget, NO_OWNER);
    this.answer = new HeapReservation(budget, NO_OWNER);
  }

  /** Filter that gives every request its own, and closes it when the response has ended. */
  public static Filter filter(HeapBudget budget) {
    return (request, response, chain) -> {
      // Resources answer before they return, streams included.
      try (RequestReservation reservation = of(budget)) {
        request.setAttribute(ATTRIBUTE, reservation);
        chain.doFilter(request, response);
      }
    };
  }

  public static RequestReservation of(HeapBudget budget) {
    return new RequestReservation(budget);
  }

  /**
   * Returns a reservation without a bound, for work that no request waits for: it is bounded
   * elsewhere.
   */
  public static RequestReservation unbounded() {
    return new RequestReservation(null);
  }

  /** Returns the reservation of a request; one without a bound if it has none. */
  public static RequestReservation of(HttpServletRequest request) {
    return request.getAttribute(ATTRIBUTE) instanceof RequestReservation reservation
        ? reservation
        : unbounded();
  }

  /** Sets the caller's key; to be called before anything is reserved. */
  public synchronized void heldBy(long keyId) {
    request = new HeapReservation(budget, keyId);
    answer = new HeapReservation(budget, keyId);
  }

  private synchronized HeapReservation request() {
    return request;
  }

  private synchronized HeapReservation answer() {
    return answer;
  }

  /**
   * Reserves heap for more of the request's body; waits a little for it unless another body waits
   * for the same.
   *
   * @param bytes of the body; multiplied by {@link #REQUEST_COST}
   * @throws ApiException 503 if the budget does not have it
   */
  public void addRequest(long bytes) {
    if (!request().growAlone(bytes * REQUEST_COST, GROWTH_TIMEOUT)) {
      throw refused();
    }
  }

  /**
   * Reserves heap for what is derived from the request, or read for it, before there is a response;
   * false after the timeout.
   */
  public boolean awaitRequest(long heap, Duration timeout) {
    return request().await(heap, answer().held(), timeout);
  }

  /**
   * Reserves heap for what is derived from the request, and waits for it for some seconds.
   *
   * @throws ApiException 503 if the budget does not have it
   */
  public void requireRequest(long heap) {
    if (!awaitRequest(heap, HEAP_TIMEOUT)) {
      throw refused();
    }
  }

  /**
   * Reduces the request's part to {@code heap} bytes, once the request only waits; never raises it.
   */
  public void shrinkRequestTo(long heap) {
    request().shrinkTo(heap);
  }

  /**
   * Reserves heap for the response.
   *
   * @throws ApiException 503 if the budget does not have it
   */
  public void addAnswer(long heap) {
    if (!tryAddAnswer(heap)) {
      throw refused();
    }
  }

  /** Reserves heap for the response; false if the budget does not have it. */
  public boolean tryAddAnswer(long heap) {
    return answer().tryAdd(heap);
  }

  /** Reserves heap for a response that has begun and can wait; false after the timeout. */
  public boolean awaitAnswer(long heap, Duration timeout) {
    return answer().await(heap, request().held(), timeout);
  }

  /**
   * Reserves what is missing to build a response of rows; what the request's body holds serves for
   * it, too.
   *
   * @param bytes of the rows' contents; multiplied by {@link #ANSWER_COST}
   * @throws ApiException 503 if the budget does not have it
   */
  public void coverAnswer(long bytes) {
    long missing = bytes * ANSWER_COST - request().held() - answer().held();
    if (missing > 0) {
      addAnswer(missing);
    }
  }

  /**
   * Reduces the response's part to {@code heap} bytes, once some of it is sent; never raises it.
   */
  public void shrinkAnswerTo(long heap) {
    answer().shrinkTo(heap);
  }

  /**
   * Gives back heap of the response's part that one of those who reserved there needs no longer.
   */
  public void releaseAnswer(long heap) {
    answer().release(heap);
  }

  /** Error of a request whose body, or response, does not fit into the budget. */
  public static ApiException refused() {
    return ApiException.unavailable(
        "This node holds as many large bodies as it can at the moment; try again.", 1);
  }

  /** Releases everything; nothing can be reserved any more. */
  @Override
  public void close() {
    request().close();
    answer().close();
  }
}

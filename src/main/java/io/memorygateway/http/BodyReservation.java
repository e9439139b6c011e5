package io.memorygateway.http;

import io.memorygateway.concurrent.HeapBudget;
import io.memorygateway.concurrent.HeapReservation;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What one request holds of the {@link HeapBudget}, from its body's first byte to the last byte of
 * its answer: one part for the body and all that is made of it, another for the answer. Any thread
 * may reserve more; what is not given back before is given back when the request ends.
 */
public final class BodyReservation implements AutoCloseable {
  /** Request attribute that holds it. */
  public static final String ATTRIBUTE = BodyReservation.class.getName();

  /**
   * Heap that a request body takes while it is worked on, in multiples of its bytes: itself, its
   * values as strings, what the driver sends, and the answer.
   */
  public static final int REQUEST_COST = 6;

  /** The same of an answer that is built of rows: the rows, the text, and its copy to be sent. */
  public static final int ANSWER_COST = 5;

  /** The same of an upstream's answer that is gathered: its pieces, the whole, what is parsed. */
  public static final int UPSTREAM_COST = 3;

  /** Until it is known who calls. */
  private static final long NOBODY = 0;

  private final @Nullable HeapBudget budget;
  private HeapReservation request;
  private HeapReservation answer;

  private BodyReservation(@Nullable HeapBudget budget) {
    this.budget = budget;
    this.request = new HeapReservation(budget, NOBODY);
    this.answer = new HeapReservation(budget, NOBODY);
  }

  static BodyReservation of(HeapBudget budget) {
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
   * Reserves heap for the request's body.
   *
   * @param bytes of the body; they count several times
   * @throws ApiException 503 if there is not so much
   */
  void addRequest(long bytes) {
    if (!request().tryAdd(bytes * REQUEST_COST)) {
      throw refused();
    }
  }

  /**
   * Reserves heap for what is made of the request, or read for it, before there is an answer; false
   * if there was not so much in time.
   */
  public boolean awaitRequest(long heap, Duration patience) {
    return request().await(heap, answer().held(), patience);
  }

  /** Keeps less for the request, once it only waits; never more than it has. */
  public void keepRequest(long heap) {
    request().shrinkTo(heap);
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
  public boolean tryAddAnswer(long heap) {
    return answer().tryAdd(heap);
  }

  /** The same for an answer that has begun and can wait; false if there was not so much in time. */
  public boolean awaitAnswer(long heap, Duration patience) {
    return answer().await(heap, request().held(), patience);
  }

  /**
   * Sees to it that enough is held to build an answer of rows: what the request's body holds serves
   * for it, too.
   *
   * @param bytes of the rows' contents
   * @throws ApiException 503 if there is not so much
   */
  public void coverAnswer(long bytes) {
    long missing = bytes * ANSWER_COST - request().held() - answer().held();
    if (missing > 0) {
      addAnswer(missing);
    }
  }

  /** Keeps less for the answer, once a part of it is sent; never more than it has. */
  public void keepAnswer(long heap) {
    answer().shrinkTo(heap);
  }

  /** The error of a request whose body, or answer, finds no room. */
  public static ApiException refused() {
    return new ApiException(
        ApiError.unavailable(
            "This node holds as many large bodies as it can at the moment; try again.", 1));
  }

  /** Gives all of it back; nothing can be reserved any more. */
  @Override
  public void close() {
    request().close();
    answer().close();
  }
}

package io.memorygateway.http.admission;

import io.memorygateway.concurrent.HeapBudget;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import java.io.IOException;

/**
 * Gives every request its {@link RequestReservation}, and closes it when the response has ended.
 */
public final class BodyBudgetFilter implements Filter {
  private final HeapBudget budget;

  public BodyBudgetFilter(HeapBudget budget) {
    this.budget = budget;
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    // Resources answer before they return, streams included.
    try (RequestReservation reservation = RequestReservation.of(budget)) {
      request.setAttribute(RequestReservation.ATTRIBUTE, reservation);
      chain.doFilter(request, response);
    }
  }
}

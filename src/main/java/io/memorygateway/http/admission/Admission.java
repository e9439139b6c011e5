package io.memorygateway.http.admission;

import io.memorygateway.http.errors.ApiException;
import jakarta.servlet.http.HttpServletRequest;
import java.util.function.BiConsumer;

/** Check that a request has to pass before it is served, such as that of its key. */
public interface Admission {

  /**
   * Checks a request.
   *
   * @param path decoded, without its first slash
   * @throws ApiException if the request is refused
   */
  void admit(HttpServletRequest request, String path);

  /**
   * Sets headers of the answer, whether the request was admitted, refused, or never checked.
   *
   * @param headers takes names and values
   */
  default void setHeaders(
      HttpServletRequest request, String path, BiConsumer<String, String> headers) {}
}

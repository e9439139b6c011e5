package io.memorygateway.http.errors;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.exc.InvalidDefinitionException;
import java.util.function.Predicate;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.io.EofException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Maps whatever is thrown while a request is served to its error, and logs defects. */
public final class ThrownErrors {
  private static final Logger LOGGER = LoggerFactory.getLogger(ThrownErrors.class);

  private final Predicate<Throwable> isOutage;

  /**
   * Creates a mapping.
   *
   * @param isOutage whether a failure means that the database does not serve at the moment
   */
  public ThrownErrors(Predicate<Throwable> isOutage) {
    this.isOutage = isOutage;
  }

  public ApiError of(Throwable thrown) {
    if (thrown instanceof ApiException e) {
      return e.error();
    }
    if (thrown instanceof HttpException.RuntimeException e) {
      // Jetty's own, raised while a body is read: too large, malformed chunks.
      return ErrorCatalogue.forStatus(e.getCode());
    }
    if (thrown instanceof EofException) {
      // The client closed before its request was complete; the answer rarely reaches anybody.
      return ErrorCatalogue.forStatus(400);
    }
    if (thrown instanceof JsonProcessingException e && !isOurs(e)) {
      return ApiError.invalidRequest("The request body is not the JSON expected.");
    }
    ApiError known = CauseChain.errorOf(thrown, isOutage);
    if (known == null) {
      LOGGER.error("A request failed", thrown);
      return ErrorCatalogue.forStatus(500);
    }
    if (known.status() >= 500) {
      LOGGER.warn("A request could not be served: {}", thrown.toString());
    }
    return known;
  }

  /** Whether the gateway failed to write, or to bind, an object of its own. */
  private static boolean isOurs(JsonProcessingException e) {
    return e.getProcessor() instanceof JsonGenerator || e instanceof InvalidDefinitionException;
  }
}

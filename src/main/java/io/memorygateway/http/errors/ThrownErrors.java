package io.memorygateway.http.errors;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.exc.InvalidDefinitionException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.zip.ZipException;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.io.EofException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Maps whatever is thrown while a request is served to its error, and logs defects.
 *
 * @param isOutage whether a failure means that the database does not serve at the moment
 */
public record ThrownErrors(Predicate<Throwable> isOutage) {
  private static final int ILLEGAL_MIX_OF_COLLATIONS = 1267;

  /** The same through Vitess. */
  private static final int CANNOT_CONVERT_STRING = 3854;

  private static final Logger LOGGER = LoggerFactory.getLogger(ThrownErrors.class);

  public ApiError of(Throwable thrown) {
    if (thrown instanceof ApiException e) {
      return e.error();
    }
    if (thrown instanceof EofException) {
      // The client closed before its request was complete; the answer rarely reaches anybody.
      return ErrorCatalogue.forStatus(400);
    }
    if (thrown instanceof UnrecognizedPropertyException e) {
      List<String> known = e.getKnownPropertyIds().stream().map(String::valueOf).sorted().toList();
      return ApiException.unknownName("member of the body", e.getPropertyName(), known).error();
    }
    if (thrown instanceof JsonProcessingException e && !isOurs(e)) {
      return ApiError.invalidRequest("The request body is not the JSON expected.");
    }
    ApiError known = known(thrown, isOutage);
    if (known == null) {
      LOGGER.error("A request failed", thrown);
      return ErrorCatalogue.forStatus(500);
    }
    if (known.status() >= 500) {
      LOGGER.warn("A request could not be served: {}", thrown.toString());
    }
    return known;
  }

  /**
   * The error of a failure that is no defect of the gateway, looked for in the chain of causes:
   * libraries wrap them, sometimes twice. Null for a defect.
   *
   * @param isOutage whether a failure means that the database does not serve at the moment
   */
  public static @Nullable ApiError known(Throwable thrown, Predicate<Throwable> isOutage) {
    for (Throwable e = thrown; e != null; e = e.getCause()) {
      if (e instanceof ApiException known) {
        return known.error();
      }
      if (e instanceof HttpException refused) {
        // Jetty's own, raised while a body is read: too large, malformed chunks.
        return ErrorCatalogue.forStatus(refused.getCode());
      }
      if (isOutage.test(e)) {
        return ErrorCatalogue.forStatus(503);
      }
      if (e instanceof SQLException sql && isOfOtherCharacters(sql)) {
        return ApiError.invalidRequest("An id or name has characters that none of its kind has.");
      }
      if (e instanceof ZipException) {
        return ErrorCatalogue.forStatus(400);
      }
      // Of the connection; waiting for an upstream throws errors of its own.
      if (e instanceof TimeoutException) {
        return ErrorCatalogue.forStatus(408);
      }
    }
    return null;
  }

  /** Whether a column of ASCII texts was compared with a parameter of others; not with a column. */
  private static boolean isOfOtherCharacters(SQLException failure) {
    return failure.getErrorCode() == CANNOT_CONVERT_STRING
        || (failure.getErrorCode() == ILLEGAL_MIX_OF_COLLATIONS
            && String.valueOf(failure.getMessage()).contains(",COERCIBLE)"));
  }

  /** Whether the gateway failed to write, or to bind, an object of its own. */
  private static boolean isOurs(JsonProcessingException e) {
    return e.getProcessor() instanceof JsonGenerator || e instanceof InvalidDefinitionException;
  }
}

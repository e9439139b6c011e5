package io.memorygateway.http.errors;

import java.sql.SQLException;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.zip.ZipException;
import org.eclipse.jetty.http.HttpException;
import org.jspecify.annotations.Nullable;

/**
 * Walks the cause chain for failures that are not our defect and maps them to an {@link ApiError}:
 * libraries wrap them, sometimes twice.
 */
public final class CauseChain {
  private static final int ILLEGAL_MIX_OF_COLLATIONS = 1267;

  /** The same through Vitess. */
  private static final int CANNOT_CONVERT_STRING = 3854;

  private CauseChain() {}

  /**
   * Returns the error to answer with; null for a defect.
   *
   * @param isOutage whether a failure means that the database does not serve at the moment
   */
  public static @Nullable ApiError errorOf(Throwable thrown, Predicate<Throwable> isOutage) {
    for (Throwable e = thrown; e != null; e = e.getCause()) {
      if (e instanceof ApiException known) {
        return known.error();
      }
      if (e instanceof HttpException refused) {
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
}

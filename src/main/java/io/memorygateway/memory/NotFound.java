package io.memorygateway.memory;

import io.memorygateway.http.ApiError;
import io.memorygateway.http.ApiException;

/**
 * Error for everything that the caller cannot see: the same whether it does not exist, or belongs
 * to another project or resource.
 */
public final class NotFound {
  private NotFound() {}

  public static ApiException thread() {
    return new ApiException(ApiError.notFound("There is no such thread."));
  }

  public static ApiException message() {
    return new ApiException(ApiError.notFound("There is no such message in this thread."));
  }
}

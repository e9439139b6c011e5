package io.memorygateway.memory.rows;

import io.memorygateway.http.errors.ApiException;

/**
 * Error for everything that the caller cannot see: the same whether it does not exist, or belongs
 * to another project or resource.
 */
public final class NotFound {
  private NotFound() {}

  public static ApiException thread() {
    return ApiException.notFound("There is no such thread.");
  }

  public static ApiException resource() {
    return ApiException.notFound("There is no thread of such a resource.");
  }

  public static ApiException message() {
    return ApiException.notFound("There is no such message in this thread.");
  }
}

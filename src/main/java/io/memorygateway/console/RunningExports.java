package io.memorygateway.console;

import io.memorygateway.http.ApiError;
import io.memorygateway.http.ApiException;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.StreamingOutput;
import java.util.concurrent.Semaphore;

/**
 * Bound on the exports of one kind that run at once. Each holds a thread of the admin port, and
 * maybe a connection of the pool, for as long as its client takes to read.
 */
final class RunningExports {
  private static final int MAX_EXPORTS = 2;

  private final String file;
  private final Semaphore running = new Semaphore(MAX_EXPORTS);

  /**
   * Creates the bound.
   *
   * @param file name under which a browser stores the lines
   */
  RunningExports(String file) {
    this.file = file;
  }

  /**
   * Checks that one more export may run now.
   *
   * @throws ApiException 503 if not
   */
  void check() {
    if (running.availablePermits() == 0) {
      throw tooMany();
    }
  }

  /**
   * Returns the response of an export, which runs when the response is written.
   *
   * @param lines writes lines of JSON
   */
  Response response(StreamingOutput lines) {
    StreamingOutput bounded =
        out -> {
          if (!running.tryAcquire()) {
            throw tooMany();
          }
          try {
            lines.write(out);
          } finally {
            running.release();
          }
        };
    return Response.ok(bounded, ExportResource.TYPE)
        .header(HttpHeaders.CONTENT_DISPOSITION, "attachment; filename=\"" + file + "\"")
        .build();
  }

  private static ApiException tooMany() {
    return new ApiException(
        ApiError.unavailable("As many exports as may run at once are running.", 5));
  }
}

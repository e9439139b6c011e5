package io.memorygateway.console;

import io.memorygateway.concurrent.Shares;
import io.memorygateway.concurrent.Shares.Limit;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.operator.Role;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.StreamingOutput;
import java.io.BufferedOutputStream;
import java.io.OutputStream;

/**
 * Bound on the exports of one kind that run at once. Each holds a thread of the admin port for as
 * long as its client takes to read, so of four callers that are no owners have three, and one of
 * them one.
 */
final class RunningExports {
  static final String TYPE = "application/x-ndjson";
  private static final int BUFFER = 64 << 10;

  private static final Limit ALL = new Limit(Role.OWNER, 4);
  private static final Limit NO_OWNERS = new Limit(Role.OPERATOR, 3);

  private final String file;
  private final Shares running = new Shares(0);

  /**
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
  void check(ApiCaller caller) {
    begin(caller).close();
  }

  private Shares.Share begin(ApiCaller caller) {
    Shares.Share share =
        caller.role().includes(Role.OWNER)
            ? running.open(ALL)
            : running.open(new Limit(caller.actor().name(), 1), NO_OWNERS, ALL);
    if (share.acquire(0) != null) {
      throw ApiException.unavailable("As many exports as may run at once are running.", 5);
    }
    return share;
  }

  /**
   * Returns the response of an export, which runs when the response is written.
   *
   * @param lines writes lines of JSON
   */
  Response response(ApiCaller caller, StreamingOutput lines) {
    StreamingOutput bounded =
        out -> {
          Shares.Share share = begin(caller);
          try (share) {
            OutputStream buffered = new BufferedOutputStream(out, BUFFER);
            lines.write(buffered);
            buffered.flush();
          }
        };
    return Response.ok(bounded, TYPE)
        .header(HttpHeaders.CONTENT_DISPOSITION, "attachment; filename=\"" + file + "\"")
        .build();
  }
}

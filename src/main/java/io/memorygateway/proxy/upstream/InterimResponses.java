package io.memorygateway.proxy.upstream;

import java.io.IOException;
import org.eclipse.jetty.client.EarlyHintsProtocolHandler;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.http.HttpStatus;

/**
 * Skips interim responses with any status (RFC 9110, 15.2): Jetty knows three of them, and waits
 * forever after any other. The request fails if the upstream sends too many.
 */
final class InterimResponses extends EarlyHintsProtocolHandler {
  private static final int MAX_COUNT = 64;

  private static final String COUNT = InterimResponses.class.getName() + ".count";

  @Override
  public String getName() {
    return "interim";
  }

  @Override
  public boolean accept(Request request, Response response) {
    if (!HttpStatus.isInterim(response.getStatus())) {
      return false;
    }
    int count = count(request) + 1;
    request.attribute(COUNT, count);
    if (count > MAX_COUNT) {
      var unused = request.abort(new IOException("too many interim responses"));
    }
    return true;
  }

  static int count(Request request) {
    return request.getAttributes().get(COUNT) instanceof Integer count ? count : 0;
  }
}

package io.memorygateway.access;

import java.time.InstantSource;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.RequestLog;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.component.LifeCycle;

/**
 * Listener that Jetty calls at the end of each request, including those that its parser refused.
 *
 * @param probePath path of the probes of load balancers, which are no callers: never recorded
 */
record RequestEnd(AccessLog log, HttpMetrics metrics, InstantSource clock, String probePath)
    implements RequestLog, LifeCycle.Listener {
  private static final String APPLICATION = "application";

  @Override
  public void lifeCycleStarting(LifeCycle event) {
    if (event instanceof Server server) {
      server.setRequestLog(this);
    }
  }

  @Override
  public void log(Request request, Response response) {
    if (!APPLICATION.equals(request.getConnectionMetaData().getConnector().getName())
        || probePath.equals(request.getHttpURI().getCanonicalPath())) {
      return;
    }
    AccessEntry entry = AccessEntry.of(request, response, clock.millis(), System.nanoTime());
    metrics.count(entry);
    log.add(entry);
  }
}

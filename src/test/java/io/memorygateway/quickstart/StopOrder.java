package io.memorygateway.quickstart;

import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.eclipse.jetty.util.component.LifeCycle;
import org.eclipse.jetty.util.thread.ShutdownThread;

/**
 * Ties something to the list of what Jetty stops, one after another, when the process is told to
 * end. The JVM runs its own shutdown hooks all at once, so a hook for the database would take it
 * from under a server that is still draining.
 */
final class StopOrder extends AbstractLifeCycle {
  private final AutoCloseable resource;

  private StopOrder(AutoCloseable resource) {
    this.resource = resource;
  }

  /** Closes the resource at the end, whatever else has been started by then. */
  static StopOrder register(AutoCloseable resource) {
    StopOrder order = new StopOrder(resource);
    LifeCycle.start(order);
    ShutdownThread.register(order);
    return order;
  }

  /** After what has been registered since: the server. */
  void moveToTheEnd() {
    ShutdownThread.deregister(this);
    ShutdownThread.register(this);
  }

  @Override
  protected void doStop() throws Exception {
    resource.close();
  }
}

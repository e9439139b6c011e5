package io.memorygateway.move;

import io.dropwizard.core.setup.Environment;
import io.memorygateway.operator.AdminTaskServlet;
import java.util.function.LongPredicate;
import org.jdbi.v3.core.Jdbi;

/** Wires moves of projects. */
public final class MoveModule {
  private MoveModule() {}

  /**
   * Registers the task on the admin port, and has the node tell what is in flight.
   *
   * @param inFlight whether calls of a project are in flight, or not logged yet
   */
  public static void install(Jdbi jdbi, LongPredicate inFlight, Environment environment) {
    AdminTaskServlet.register(environment, new ProjectMoveTask(jdbi));
    CallsInFlight.install(jdbi, inFlight, environment.lifecycle());
  }
}

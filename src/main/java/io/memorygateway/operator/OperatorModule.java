package io.memorygateway.operator;

import io.dropwizard.core.setup.Environment;
import io.memorygateway.audit.AuditLog;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Wires the execution of admin tasks. */
public final class OperatorModule {
  private static final Logger LOGGER = LoggerFactory.getLogger(OperatorModule.class);

  private OperatorModule() {}

  /** Installs and returns the runner that records the tasks of the admin port. */
  public static TaskRunner install(
      AuditLog log, PrometheusRegistry registry, Environment environment) {
    Counter unrecorded =
        Counter.builder()
            .name("memory_gateway_audit_unrecorded_total")
            .help("Acts of operators that were done but are missing in the audit log.")
            .register(registry);
    TaskRunner runner =
        new TaskRunner(
            log,
            (task, failure) -> {
              unrecorded.inc();
              LOGGER.error(
                  "Admin task {} is over, but the audit log cannot be written: {}",
                  task,
                  failure.toString());
            });
    AdminTaskServlet.runWith(environment.getAdminContext(), runner);
    environment
        .admin()
        .addServlet("task-list", new AdminTaskServlet.Listing(environment.getObjectMapper()))
        .addMapping("/tasks", "/tasks/");
    return runner;
  }

  /** Creates the runner of a command: an act that cannot be recorded makes the command fail. */
  public static TaskRunner forCommand(AuditLog log) {
    return new TaskRunner(
        log,
        (task, failure) -> {
          throw new IllegalStateException(
              task + " is over, but the audit log cannot be written", failure);
        });
  }
}

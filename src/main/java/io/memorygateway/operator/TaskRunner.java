package io.memorygateway.operator;

import io.memorygateway.audit.Act;
import io.memorygateway.audit.Actor;
import io.memorygateway.audit.AuditEntry.Outcome;
import io.memorygateway.audit.AuditLog;
import io.memorygateway.audit.AuditRow;
import io.memorygateway.audit.RefusalBound;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.http.errors.ErrorType;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks for operators, and records every change in the audit log. A {@link RecordedTask}
 * records itself, in the transaction of its change. The changes of other tasks are not in one
 * transaction, or not in the database at all: they are recorded afterwards, and made even while the
 * audit log cannot be written, because a node has to be drained above all when the database is
 * away.
 */
public final class TaskRunner {
  private static final Logger LOGGER = LoggerFactory.getLogger(TaskRunner.class);

  private final AuditLog log;
  private final BiConsumer<String, RuntimeException> unrecorded;
  private final RefusalBound refusals = new RefusalBound(System::nanoTime);

  /**
   * Creates a runner.
   *
   * @param unrecorded called with an act that was done and could not be recorded, and the reason
   */
  public TaskRunner(AuditLog log, BiConsumer<String, RuntimeException> unrecorded) {
    this.log = log;
    this.unrecorded = unrecorded;
  }

  /**
   * Runs a task.
   *
   * @param given names and values of its parameters
   * @param role of the actor; an attempt at more than it allows is recorded, some a minute
   * @throws ApiException for every error that the operator can correct
   */
  public Object run(AdminTask task, Map<String, String> given, Actor actor, Role role) {
    requireRole(task, given, actor, role);
    String name = task.usage().name();
    Act act = new Act(log, actor, name);
    ParameterValues values = new ParameterValues(given, task.usage().parameters());
    if (task.isReadOnly(values)) {
      return task.run(values);
    }
    Object answer;
    if (task instanceof RecordedTask recorded) {
      answer = recorded.run(values, act);
    } else {
      answer = runAndRecord(task, values, given, act);
    }
    AuditRow row = act.row();
    if (row != null) {
      // The number and the hash are stored with the logs, so that a rewritten audit log can be
      // detected.
      LOGGER.info("Admin task {} was carried out, audit row {} {}", name, row.seq(), row.hash());
    }
    return answer;
  }

  /**
   * Refuses an actor whose role is too low, who hears that and not what else is wrong.
   *
   * @param given names and values of the parameters, as far as they could be read
   */
  void requireRole(AdminTask task, Map<String, String> given, Actor actor, Role role) {
    Role needed = task.role(ParameterValues.unchecked(given));
    if (!role.includes(needed)) {
      Map<String, ?> asked = Map.of("words", RefusalBound.asked(given));
      refusals.record(log, actor.name(), actor, task.usage().name(), asked);
      throw ApiException.of(
          403, ErrorType.INVALID_REQUEST, "This needs the role " + needed.wireName() + ".");
    }
  }

  private Object runAndRecord(
      AdminTask task, ParameterValues values, Map<String, String> given, Act act) {
    Map<String, Object> asked = Map.of("words", new TreeMap<>(given));
    String subject = task.subject(values);
    Object before = task.before(values);
    Object answer;
    try {
      answer = task.run(values);
    } catch (ApiException refused) {
      throw refused;
    } catch (RuntimeException failure) {
      record(act, subject, Outcome.FAILED, before, asked);
      throw failure;
    }
    record(
        act,
        subject,
        Outcome.DONE,
        before,
        answer instanceof TextAnswer
            ? asked
            : Map.of("words", new TreeMap<>(given), "answer", answer));
    return answer;
  }

  /**
   * Records an act that is over; a failure to do so is not thrown.
   *
   * @param before null if there was nothing
   * @param after null if there is nothing
   */
  public void record(
      Act act, String subject, Outcome outcome, @Nullable Object before, @Nullable Object after) {
    try {
      act.record(subject, outcome, before, after);
    } catch (RuntimeException e) {
      unrecorded.accept(act.action(), e);
    }
  }
}

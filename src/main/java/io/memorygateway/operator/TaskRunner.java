package io.memorygateway.operator;

import io.memorygateway.audit.Act;
import io.memorygateway.audit.Actor;
import io.memorygateway.audit.AuditEntry.Outcome;
import io.memorygateway.audit.AuditLog;
import io.memorygateway.audit.AuditRow;
import io.memorygateway.http.ApiError;
import io.memorygateway.http.ApiException;
import io.memorygateway.http.ErrorType;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks for operators, and sees to it that every one that changes something is in the audit
 * log. A {@link RecordedTask} records itself, in the transaction of its change. What others change
 * is not in one transaction, or not in the database at all: it is recorded afterwards, and done
 * also while the audit log cannot be written, for a node has to be drained above all when the
 * database is away.
 */
public final class TaskRunner {
  private static final Logger LOGGER = LoggerFactory.getLogger(TaskRunner.class);

  private final AuditLog log;
  private final BiConsumer<String, RuntimeException> unrecorded;

  /**
   * A runner.
   *
   * @param unrecorded told of an act that was done and could not be recorded, and why
   */
  public TaskRunner(AuditLog log, BiConsumer<String, RuntimeException> unrecorded) {
    this.log = log;
    this.unrecorded = unrecorded;
  }

  /**
   * Runs a task.
   *
   * @param given words and their values
   * @param role of the actor; an attempt at more than it allows is recorded
   * @throws ApiException for everything that the operator can mend
   */
  public Object run(AdminTask task, Map<String, String> given, Actor actor, Role role) {
    Words words = new Words(given, task.usage().words());
    String name = task.usage().name();
    Act act = new Act(log, actor, name);
    if (!role.includes(task.role(words))) {
      record(act, Outcome.REFUSED, Map.of("words", new TreeMap<>(given)));
      throw new ApiException(
          ApiError.of(
              403,
              ErrorType.INVALID_REQUEST,
              "This needs the role " + task.role(words).word() + "."));
    }
    if (task.isReadOnly(words)) {
      return task.run(words);
    }
    Object answer;
    if (task instanceof RecordedTask recorded) {
      answer = recorded.run(words, act);
    } else {
      answer = runAndRecord(task, words, given, act);
    }
    AuditRow row = act.row();
    if (row != null) {
      // The number and the hash are kept with the logs: from them a log that was rewritten is told.
      LOGGER.info("Admin task {} was carried out, audit row {} {}", name, row.seq(), row.hash());
    }
    return answer;
  }

  private Object runAndRecord(AdminTask task, Words words, Map<String, String> given, Act act) {
    Map<String, Object> asked = Map.of("words", new TreeMap<>(given));
    Object answer;
    try {
      answer = task.run(words);
    } catch (ApiException refused) {
      throw refused;
    } catch (RuntimeException failure) {
      record(act, Outcome.FAILED, asked);
      throw failure;
    }
    record(
        act,
        Outcome.DONE,
        answer instanceof TextAnswer
            ? asked
            : Map.of("words", new TreeMap<>(given), "answer", answer));
    return answer;
  }

  private void record(Act act, Outcome outcome, Map<String, Object> after) {
    try {
      act.record("", outcome, null, after);
    } catch (RuntimeException e) {
      unrecorded.accept(act.action(), e);
    }
  }
}

package io.memorygateway.observation;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Decides the configuration in force for a thread: its own, else its project's, else the server's.
 */
public record ContextSettings(ObservationSettings observation, RecallSettings recall) {
  /** The configuration in force for a thread of a project. */
  public ContextConfig of(String projectName, ThreadConfig own) {
    ObservationSettings.Thresholds project = observation.project(projectName);
    return new ContextConfig(
        first(own.messageTokens(), project.messageTokens(), observation.messageTokens()),
        first(
            own.observationTokens(), project.observationTokens(), observation.observationTokens()),
        first(own.recallTokens(), project.recallTokens(), recall.tokens()),
        own.recallScope() == null
            ? Objects.requireNonNullElse(project.recallScope(), recall.scope())
            : RecallScope.of(own.recallScope()),
        first(own.timeMarks(), project.timeMarks(), observation.timeMarks()),
        zone(own.timeZone(), first(project.timeZone(), null, observation.timeZone())));
  }

  /** The same for its observers, which leave as much room for recall as it may ever take. */
  ContextConfig ofObservers(String projectName, ObservationState state) {
    return of(
        projectName,
        new ThreadConfig(
            state.messageTokens(), state.observationTokens(), Integer.MAX_VALUE, null, null, null));
  }

  /** Whether a project has a configuration of its own. */
  boolean hasProjects() {
    return !observation.projects().isEmpty();
  }

  /** The most tokens of what is known of a resource of a project; 0 for nothing. */
  public int resourceTokens(String projectName) {
    return first(
        observation.project(projectName).resourceTokens(), null, observation.resourceTokens());
  }

  /** What the operator asks of the observer's model for the threads of a project. */
  String instructions(String projectName) {
    return observation.instructions(projectName);
  }

  /** How long a call waits for the old messages that fit it. */
  public Duration recallTimeout() {
    return recall.timeout().toJavaDuration();
  }

  private static <T> T first(@Nullable T own, @Nullable T ofProject, T ofServer) {
    return own != null ? own : Objects.requireNonNullElse(ofProject, ofServer);
  }

  /** The thread's time zone, or the default if this Java does not know it: another node's may. */
  private static ZoneId zone(@Nullable String own, ZoneId otherwise) {
    if (own == null) {
      return otherwise;
    }
    try {
      return ZoneId.of(own);
    } catch (DateTimeException e) {
      return ZoneOffset.UTC;
    }
  }
}

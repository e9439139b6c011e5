package io.memorygateway.observation;

import static java.util.Objects.requireNonNullElse;
import static java.util.Objects.requireNonNullElseGet;

import com.fasterxml.jackson.annotation.JsonCreator;
import io.dropwizard.util.Duration;
import io.dropwizard.validation.MaxDuration;
import io.dropwizard.validation.MinDuration;
import jakarta.validation.Valid;
import jakarta.validation.constraints.DecimalMax;
import jakarta.validation.constraints.DecimalMin;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Size;
import java.time.ZoneId;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * {@code observation:} in config.yml (contract §8). What is left out has its default.
 *
 * @param model {@code provider/model} of observer and reflector; empty: the extractive observer
 * @param messageTokens of messages not yet observed, at which the observer runs
 * @param observationTokens of observations, at which the reflector runs
 * @param projects thresholds of projects, by the project's name
 * @param callTimeout the longest that a call of the model takes
 * @param callAttempts how often a model that is not available is asked
 * @param parallelCalls the most calls of the model that one node has open
 * @param maxOutputTokens sent to providers that require it
 * @param workers threads that this node observes at once; 0: none, other nodes do it
 * @param minShare least part of its time that each of them works, however busy the machine is; 1:
 *     always
 * @param extractiveShare of the tokens of messages that their log may have if it is made without a
 *     model
 * @param pollInterval how often a node checks for jobs
 * @param timeMarks whether user messages behind a gap in time go upstream with their date
 * @param timeZone of these dates
 * @param resourceTokens of what is known of a resource, at most; 0: nothing is kept
 * @param images whether the model is shown images and PDF files
 * @param instructions of the operator to the model, beside the gateway's own; empty: none
 */
public record ObservationSettings(
    @Nullable String model,
    @Min(50) @Max(100_000_000) int messageTokens,
    @Min(50) @Max(100_000_000) int observationTokens,
    Map<String, @NotNull @Valid Thresholds> projects,
    @MinDuration(1) @MaxDuration(value = 1, unit = TimeUnit.HOURS) Duration callTimeout,
    @Min(1) @Max(10) int callAttempts,
    @Min(1) @Max(100) int parallelCalls,
    @Min(256) @Max(200_000) int maxOutputTokens,
    @Min(0) @Max(64) int workers,
    @DecimalMin("0.1") @DecimalMax("1") double minShare,
    @DecimalMin("0.05") @DecimalMax("0.5") double extractiveShare,
    @MinDuration(value = 10, unit = TimeUnit.MILLISECONDS) @MaxDuration(60) Duration pollInterval,
    boolean timeMarks,
    ZoneId timeZone,
    @Min(0) @Max(100_000) int resourceTokens,
    boolean images,
    @Size(max = MAX_INSTRUCTIONS) String instructions) {

  /** Characters of an operator's instructions, some 1,000 tokens of each call of the model. */
  private static final int MAX_INSTRUCTIONS = 4_000;

  public ObservationSettings {
    projects = Map.copyOf(projects);
  }

  @JsonCreator
  static ObservationSettings read(
      @Nullable String model,
      @Nullable Integer messageTokens,
      @Nullable Integer observationTokens,
      @Nullable Map<String, Thresholds> projects,
      @Nullable Duration callTimeout,
      @Nullable Integer callAttempts,
      @Nullable Integer parallelCalls,
      @Nullable Integer maxOutputTokens,
      @Nullable Integer workers,
      @Nullable Double minShare,
      @Nullable Double extractiveShare,
      @Nullable Duration pollInterval,
      @Nullable Boolean timeMarks,
      @Nullable ZoneId timeZone,
      @Nullable Integer resourceTokens,
      @Nullable Boolean images,
      @Nullable String instructions) {
    return new ObservationSettings(
        model == null || model.isBlank() ? null : model.strip(),
        requireNonNullElse(messageTokens, 30_000),
        requireNonNullElse(observationTokens, 40_000),
        requireNonNullElse(projects, Map.of()),
        requireNonNullElse(callTimeout, Duration.minutes(2)),
        requireNonNullElse(callAttempts, 3),
        requireNonNullElse(parallelCalls, 4),
        requireNonNullElse(maxOutputTokens, 8_192),
        requireNonNullElse(workers, 2),
        requireNonNullElse(minShare, 0.1),
        requireNonNullElse(extractiveShare, 0.215),
        requireNonNullElse(pollInterval, Duration.milliseconds(500)),
        requireNonNullElse(timeMarks, true),
        requireNonNullElseGet(timeZone, () -> ZoneId.of("UTC")),
        requireNonNullElse(resourceTokens, 2_000),
        requireNonNullElse(images, false),
        requireNonNullElse(instructions, "").strip());
  }

  public static ObservationSettings defaults() {
    return read(
        null, null, null, null, null, null, null, null, null, null, null, null, null, null, null,
        null, null);
  }

  /** Configuration of a project; null stands for the server's value. */
  public record Thresholds(
      @Min(50) @Max(100_000_000) @Nullable Integer messageTokens,
      @Min(50) @Max(100_000_000) @Nullable Integer observationTokens,
      @Min(0) @Max(1_000_000) @Nullable Integer recallTokens,
      @Nullable RecallScope recallScope,
      @Nullable Boolean timeMarks,
      @Nullable ZoneId timeZone,
      @Min(0) @Max(100_000) @Nullable Integer resourceTokens,
      @Size(max = MAX_INSTRUCTIONS) @Nullable String instructions) {

    static final Thresholds NONE = new Thresholds(null, null, null, null, null, null, null, null);
  }

  /** What the model is asked for beside the gateway's prompts, for the threads of a project. */
  String instructions(String projectName) {
    return requireNonNullElse(project(projectName).instructions(), instructions).strip();
  }

  /** The values that a project has configured itself. */
  Thresholds project(String projectName) {
    return projects.getOrDefault(projectName, Thresholds.NONE);
  }

  /**
   * Bytes of content after which the observer checks a new thread, of any project: chunks are
   * prepared every fifth of the threshold.
   */
  public long firstCheck() {
    int least = messageTokens;
    for (Thresholds project : projects.values()) {
      least = Math.min(least, requireNonNullElse(project.messageTokens(), least));
    }
    return least / 5;
  }
}

package io.memorygateway.observation;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.dropwizard.util.Duration;
import io.dropwizard.validation.MaxDuration;
import io.dropwizard.validation.MinDuration;
import jakarta.validation.Valid;
import jakarta.validation.constraints.DecimalMax;
import jakarta.validation.constraints.DecimalMin;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import java.time.ZoneId;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * {@code observation:} in config.yml (contract §8). Whatever is left out has its default.
 *
 * @param model {@code provider/model} of observer and reflector; empty: the extractive observer
 * @param messageTokens of messages not yet observed, at which the observer runs
 * @param observationTokens of observations, at which the reflector runs
 * @param projects thresholds of projects, by the project's name
 * @param callTimeout the longest that a call of the model takes
 * @param callAttempts how often a model that is not available is asked
 * @param parallelCalls of the model, at once, by one node
 * @param maxOutputTokens for providers that want to be told
 * @param workers threads that this node observes at once; 0: none, other nodes do it
 * @param minShare of its time that each of them works, however busy the machine is; 1: always
 * @param pollInterval how often a node looks for work
 * @param lease how long other nodes leave the work of one that died
 * @param timeMarks whether user messages behind a gap in time go upstream with their date
 * @param timeZone of these dates
 */
public record ObservationSettings(
    @Nullable String model,
    @Min(50) @Max(100_000_000) @Nullable Integer messageTokens,
    @Min(50) @Max(100_000_000) @Nullable Integer observationTokens,
    @Nullable Map<String, @NotNull @Valid Thresholds> projects,
    @MinDuration(1) @MaxDuration(value = 1, unit = TimeUnit.HOURS) @Nullable Duration callTimeout,
    @Min(1) @Max(10) @Nullable Integer callAttempts,
    @Min(1) @Max(100) @Nullable Integer parallelCalls,
    @Min(256) @Max(200_000) @Nullable Integer maxOutputTokens,
    @Min(0) @Max(64) @Nullable Integer workers,
    @DecimalMin("0.1") @DecimalMax("1") @Nullable Double minShare,
    @MinDuration(value = 10, unit = TimeUnit.MILLISECONDS) @MaxDuration(60)
        @Nullable Duration pollInterval,
    @MinDuration(1) @MaxDuration(value = 1, unit = TimeUnit.HOURS) @Nullable Duration lease,
    @Nullable Boolean timeMarks,
    @Nullable ZoneId timeZone) {

  public ObservationSettings {
    model = model == null || model.isBlank() ? null : model.strip();
    messageTokens = Objects.requireNonNullElse(messageTokens, 30_000);
    observationTokens = Objects.requireNonNullElse(observationTokens, 40_000);
    projects = projects == null ? Map.of() : Map.copyOf(projects);
    callTimeout = Objects.requireNonNullElse(callTimeout, Duration.minutes(2));
    callAttempts = Objects.requireNonNullElse(callAttempts, 3);
    parallelCalls = Objects.requireNonNullElse(parallelCalls, 4);
    maxOutputTokens = Objects.requireNonNullElse(maxOutputTokens, 8_192);
    workers = Objects.requireNonNullElse(workers, 2);
    minShare = Objects.requireNonNullElse(minShare, 0.1);
    pollInterval = Objects.requireNonNullElse(pollInterval, Duration.milliseconds(500));
    lease = Objects.requireNonNullElse(lease, Duration.seconds(30));
    timeMarks = Objects.requireNonNullElse(timeMarks, true);
    timeZone = Objects.requireNonNullElseGet(timeZone, () -> ZoneId.of("UTC"));
  }

  public static ObservationSettings defaults() {
    return new ObservationSettings(
        null, null, null, null, null, null, null, null, null, null, null, null, null, null);
  }

  /** Settings of a project; what it leaves out is the server's. */
  public record Thresholds(
      @Min(50) @Max(100_000_000) @Nullable Integer messageTokens,
      @Min(50) @Max(100_000_000) @Nullable Integer observationTokens,
      @Min(0) @Max(1_000_000) @Nullable Integer recallTokens,
      @Nullable Boolean timeMarks,
      @Nullable ZoneId timeZone) {

    static final Thresholds NONE = new Thresholds(null, null, null, null, null);
  }

  /** A model and how it is asked. */
  record Model(String name, int maxOutputTokens, java.time.Duration callTimeout) {}

  @JsonIgnore
  @Nullable Model modelToAsk() {
    return model == null
        ? null
        : new Model(
            model,
            Objects.requireNonNull(maxOutputTokens),
            Objects.requireNonNull(callTimeout).toJavaDuration());
  }

  int attempts() {
    return Objects.requireNonNull(callAttempts);
  }

  int calls() {
    return Objects.requireNonNull(parallelCalls);
  }

  int threads() {
    return Objects.requireNonNull(workers);
  }

  double leastShare() {
    return Objects.requireNonNull(minShare);
  }

  java.time.Duration poll() {
    return Objects.requireNonNull(pollInterval).toJavaDuration();
  }

  java.time.Duration leaseTime() {
    return Objects.requireNonNull(lease).toJavaDuration();
  }

  /** What is in force where neither a project nor a thread says otherwise. */
  ObservationConfig server() {
    return new ObservationConfig(
        Objects.requireNonNull(messageTokens), Objects.requireNonNull(observationTokens));
  }

  /** What is in force for the threads of a project. */
  ObservationConfig of(String projectName) {
    Thresholds own = project(projectName);
    return server().with(own.messageTokens(), own.observationTokens());
  }

  boolean marksTimes() {
    return Objects.requireNonNull(timeMarks);
  }

  ZoneId zone() {
    return Objects.requireNonNull(timeZone);
  }

  /** What a project says itself. */
  Thresholds project(String projectName) {
    return Objects.requireNonNull(projects).getOrDefault(projectName, Thresholds.NONE);
  }

  @JsonIgnore
  boolean hasProjects() {
    return !Objects.requireNonNull(projects).isEmpty();
  }

  /** Bytes of content after which the observer looks at a new thread, whatever its project. */
  public long firstLook() {
    return Stream.concat(
            Stream.of(server()), Objects.requireNonNull(projects).keySet().stream().map(this::of))
        .mapToLong(ObservationConfig::firstLook)
        .min()
        .orElseThrow();
  }
}

package io.memorygateway.turn;

import io.memorygateway.observation.ContextConfig;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import org.jspecify.annotations.Nullable;

/**
 * Tells a model when stored messages were written (contract §11): the first user message behind a
 * gap in time gets a line with its date. A gap is a new day, or six hours, between a message and
 * the one before it. A message's line depends only on what is stored before it, so the message goes
 * upstream the same in every call. Takes all messages in their order.
 */
final class TimeMarks {
  private static final Duration GAP = Duration.ofHours(6);

  private final ContextConfig config;
  private final DateLine line;
  private @Nullable Instant last;
  private @Nullable LocalDate lastDay;
  private boolean gap;

  TimeMarks(ContextConfig config) {
    this.config = config;
    this.line = new DateLine(config.timeZone());
  }

  /** The line of the next message; null for none. */
  @Nullable String next(Instant createdAt, boolean ofUser) {
    if (!config.timeMarks()) {
      return null;
    }
    Instant before = last;
    LocalDate day = LocalDate.ofInstant(createdAt, config.timeZone());
    gap |=
        before != null
            && (!day.equals(lastDay) || Duration.between(before, createdAt).compareTo(GAP) >= 0);
    last = createdAt;
    lastDay = day;
    if (!gap || !ofUser) {
      return null;
    }
    gap = false;
    return line.of(createdAt);
  }
}

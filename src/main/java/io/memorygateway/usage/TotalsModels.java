package io.memorygateway.usage;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Bound on the names of models in the totals. Callers choose the names, and an invented one would
 * leave rows in the totals for years. So a project has a number of names a day, and calls of all
 * further names count under {@link #OTHER}; a name without an answered call is added only while
 * there are few, so that invented names leave space for those of real models. The request log has
 * every name as it was received.
 *
 * <p>Each node bounds what it adds itself: with N nodes there may be N times as many names. For one
 * thread.
 */
final class TotalsModels {
  /** Name under which calls of further models count together. */
  static final String OTHER = "(other)";

  /** Most names of a project and day. */
  static final int MAX_NAMES = 200;

  /** Number of names of a project and day above which a failed call adds none. */
  static final int MAX_NAMES_FOR_FAILED = 50;

  /** Most characters of names that are cached. */
  private static final int MAX_CHARACTERS = 4 << 20;

  /** Cost of a name besides its characters. */
  private static final int NAME_OVERHEAD = 50;

  private static final int FIRST_ERROR = 400;
  private static final long DAY_SECONDS = Duration.ofDays(1).toSeconds();

  private static final String NAMES =
      "SELECT DISTINCT model FROM usage_days WHERE started_at = ? AND project_id = ?";

  private final Cache<ProjectDay, Set<String>> days =
      Caffeine.newBuilder()
          .maximumWeight(MAX_CHARACTERS)
          .weigher((ProjectDay day, Set<String> names) -> weight(names))
          .executor(Runnable::run)
          .build();

  private record ProjectDay(Instant day, long projectId) {}

  private static int weight(Set<String> names) {
    return names.stream().mapToInt(name -> name.length() + NAME_OVERHEAD).sum();
  }

  /**
   * Returns the names of the calls' models under which they count in the totals.
   *
   * @param connection for reading the names that other nodes, or this one before its start, added
   */
  List<String> bounded(Connection connection, List<LoggedCall> calls) throws SQLException {
    List<String> bounded = new ArrayList<>(calls.size());
    for (LoggedCall call : calls) {
      bounded.add(hasPlace(connection, call) ? call.figures().model() : OTHER);
    }
    return bounded;
  }

  private boolean hasPlace(Connection connection, LoggedCall call) throws SQLException {
    long second = call.startedAt().getEpochSecond();
    Instant day = Instant.ofEpochSecond(second - Math.floorMod(second, DAY_SECONDS));
    ProjectDay key = new ProjectDay(day, call.projectId());
    Set<String> names = names(connection, key);
    if (names.contains(call.figures().model())) {
      return true;
    }
    if (names.size()
        >= (call.figures().status() < FIRST_ERROR ? MAX_NAMES : MAX_NAMES_FOR_FAILED)) {
      return false;
    }
    names.add(call.figures().model());
    days.put(key, names);
    return true;
  }

  private Set<String> names(Connection connection, ProjectDay day) throws SQLException {
    Set<String> known = days.getIfPresent(day);
    if (known == null) {
      known = read(connection, day);
      days.put(day, known);
    }
    return known;
  }

  private static Set<String> read(Connection connection, ProjectDay day) throws SQLException {
    Set<String> names = new HashSet<>();
    try (PreparedStatement statement = connection.prepareStatement(NAMES)) {
      statement.setTimestamp(1, Timestamp.from(day.day));
      statement.setLong(2, day.projectId);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          names.add(rows.getString(1));
        }
      }
    }
    names.remove(OTHER);
    return names;
  }
}

package io.memorygateway.console;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import io.memorygateway.figures.Figure;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Figures of a row of the request log, by their names in JSON and CSV; null where unknown. */
record LoggedFigures(@JsonAnyGetter Map<String, @Nullable Long> byName) {
  static final List<String> NAMES = Arrays.stream(Figure.values()).map(Figure::jsonName).toList();

  /**
   * Reads them.
   *
   * @param duration column of the time that the attempt or its call took
   */
  static LoggedFigures of(ResultSet row, String duration) throws SQLException {
    Map<String, @Nullable Long> byName = new LinkedHashMap<>();
    for (Figure figure : Figure.values()) {
      String column = figure == Figure.DURATION_MS ? duration : figure.column();
      byName.put(figure.jsonName(), row.getObject(column, Long.class));
    }
    return new LoggedFigures(byName);
  }
}

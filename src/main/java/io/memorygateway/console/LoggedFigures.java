package io.memorygateway.console;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import io.memorygateway.figures.Figure;
import io.memorygateway.price.PicoDollars;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Figures of a row of the request log, by their names in JSON and CSV; null where unknown.
 *
 * @param byName integers, and the cost in decimal dollars
 */
record LoggedFigures(@JsonAnyGetter Map<String, @Nullable Object> byName) {
  static final List<String> NAMES = Figure.LOGGED.stream().map(Figure::jsonName).toList();

  /**
   * Reads them.
   *
   * @param duration column of the time that the attempt or its call took
   */
  static LoggedFigures of(ResultSet row, String duration) throws SQLException {
    Map<String, @Nullable Object> byName = new LinkedHashMap<>();
    for (Figure figure : Figure.LOGGED) {
      String column = figure == Figure.DURATION_MS ? duration : figure.column();
      Long value = row.getObject(column, Long.class);
      byName.put(
          figure.jsonName(),
          value != null && figure == Figure.COST ? PicoDollars.dollars(value) : value);
    }
    return new LoggedFigures(byName);
  }
}

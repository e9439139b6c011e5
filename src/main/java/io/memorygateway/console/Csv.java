package io.memorygateway.console;

import io.memorygateway.http.errors.ApiException;
import io.memorygateway.operator.CsvText;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.eclipse.jetty.http.QuotedQualityCSV;
import org.jspecify.annotations.Nullable;

/** Responses in CSV (RFC 4180), for spreadsheets. */
final class Csv {
  static final String TYPE = "text/csv";

  /** Most rows of a response. */
  static final int MAX_ROWS = 10_000;

  private static final int MAX_PAGE = 200;

  private static final int PAGE = 50;

  private static final String MORE =
      "There are more rows than these %,d: choose a shorter time or a filter.";

  /** Types that JSON is of. */
  private static final Set<String> JSON_TYPES = Set.of("application/json", "application/*", "*/*");

  private Csv() {}

  /**
   * Whether a request asks for CSV.
   *
   * @param format query parameter; null: the header decides
   * @param accept header
   */
  static boolean isRequested(@Nullable String format, @Nullable String accept) {
    if (format == null) {
      return accept != null && isPreferred(accept);
    }
    return switch (format) {
      case "csv" -> true;
      case "json" -> false;
      default -> throw ApiException.invalidRequest("format must be csv or json.");
    };
  }

  /** Whether a header names CSV before JSON, by its qualities and its order. */
  private static boolean isPreferred(String accept) {
    QuotedQualityCSV types = new QuotedQualityCSV();
    types.addValue(accept);
    for (String given : types.getValues()) {
      String type = given.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
      if (type.equals(TYPE)) {
        return true;
      }
      if (JSON_TYPES.contains(type)) {
        return false;
      }
    }
    return false;
  }

  /**
   * The most rows of a response.
   *
   * @param asked null: a page in JSON, all in CSV
   */
  static int maxRows(boolean csv, @Nullable Integer asked) {
    if (asked == null) {
      return csv ? MAX_ROWS : PAGE;
    }
    if (asked < 1) {
      throw ApiException.invalidRequest("limit must be a positive whole number.");
    }
    return Math.min(asked, csv ? MAX_ROWS : MAX_PAGE);
  }

  /** A response with the components of records, under their names; {@code more} as below. */
  static <R extends Record> Response of(String name, Class<R> type, List<R> rows, boolean more) {
    RecordComponent[] components = type.getRecordComponents();
    List<String> columns = new ArrayList<>();
    for (RecordComponent component : components) {
      if (component.getType() == LoggedFigures.class) {
        columns.addAll(LoggedFigures.NAMES);
      } else {
        columns.add(component.getName());
      }
    }
    List<List<@Nullable Object>> cells = new ArrayList<>();
    for (R row : rows) {
      List<@Nullable Object> line = new ArrayList<>();
      for (RecordComponent component : components) {
        try {
          Object value = component.getAccessor().invoke(row);
          if (value instanceof LoggedFigures figures) {
            line.addAll(figures.byName().values());
          } else {
            line.add(value);
          }
        } catch (ReflectiveOperationException e) {
          throw new IllegalStateException(e);
        }
      }
      cells.add(line);
    }
    return of(name, columns, cells, more);
  }

  /**
   * A response with rows below a header line.
   *
   * @param name of the file, without its extension
   * @param more whether there are more rows than these, which the last line then says
   */
  static Response of(
      String name, List<String> columns, List<? extends List<?>> rows, boolean more) {
    StringBuilder out = new StringBuilder(CsvText.line(columns));
    rows.forEach(row -> out.append(CsvText.line(row)));
    if (more) {
      out.append(CsvText.line(List.of(MORE.formatted(rows.size()))));
    }
    return Response.ok(out.toString(), TYPE + "; charset=utf-8")
        .header(HttpHeaders.CONTENT_DISPOSITION, "attachment; filename=\"" + name + ".csv\"")
        .build();
  }
}

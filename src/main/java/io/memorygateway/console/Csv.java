package io.memorygateway.console;

import io.memorygateway.http.ApiError;
import io.memorygateway.http.ApiException;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Responses in CSV (RFC 4180), for spreadsheets. */
final class Csv {
  static final String TYPE = "text/csv";

  /** Most rows of a response. */
  static final int MAX_ROWS = 10_000;

  private Csv() {}

  /**
   * Whether a request asks for CSV.
   *
   * @param format query parameter; null: the header decides
   * @param accept header
   */
  static boolean isRequested(@Nullable String format, @Nullable String accept) {
    if (format == null) {
      return accept != null && accept.startsWith(TYPE);
    }
    return switch (format) {
      case "csv" -> true;
      case "json" -> false;
      default -> throw new ApiException(ApiError.invalidRequest("format must be csv or json."));
    };
  }

  /** A response with the components of records, under their names. */
  static <R extends Record> Response of(String name, Class<R> type, List<R> rows) {
    List<RecordComponent> components =
        Arrays.stream(type.getRecordComponents())
            .filter(component -> !List.class.isAssignableFrom(component.getType()))
            .toList();
    List<List<@Nullable Object>> cells = new ArrayList<>();
    for (R row : rows) {
      List<@Nullable Object> line = new ArrayList<>();
      for (RecordComponent component : components) {
        try {
          line.add(component.getAccessor().invoke(row));
        } catch (ReflectiveOperationException e) {
          throw new IllegalStateException(e);
        }
      }
      cells.add(line);
    }
    return of(name, components.stream().map(RecordComponent::getName).toList(), cells);
  }

  /**
   * A response with rows below a header line.
   *
   * @param name of the file, without its extension
   */
  static Response of(String name, List<String> columns, List<? extends List<?>> rows) {
    StringBuilder out = new StringBuilder(line(columns));
    rows.forEach(row -> out.append(line(row)));
    return Response.ok(out.toString(), TYPE + "; charset=utf-8")
        .header(HttpHeaders.CONTENT_DISPOSITION, "attachment; filename=\"" + name + ".csv\"")
        .build();
  }

  private static String line(List<?> cells) {
    return cells.stream().map(Csv::cell).collect(Collectors.joining(",")) + "\r\n";
  }

  private static String cell(@Nullable Object value) {
    if (value == null) {
      return "";
    }
    String text = value.toString();
    // Spreadsheets would evaluate such a text as a formula; callers choose the names of models.
    if (!(value instanceof Number) && !text.isEmpty() && "=+-@\t\r".indexOf(text.charAt(0)) >= 0) {
      text = "'" + text;
    }
    boolean plain = text.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
    return plain ? text : '"' + text.replace("\"", "\"\"") + '"';
  }
}

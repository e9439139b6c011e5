package io.memorygateway.operator;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Table with a header row, for people or for a spreadsheet. */
public final class Table {
  private final List<String> columns;
  private final List<List<String>> rows = new ArrayList<>();

  public Table(List<String> columns) {
    this.columns = List.copyOf(columns);
  }

  /** Adds a row with one cell for each column. */
  public void add(List<String> cells) {
    rows.add(List.copyOf(cells));
  }

  public String text() {
    List<List<String>> all = new ArrayList<>();
    all.add(columns.stream().map(name -> name.replace('_', ' ').toUpperCase(Locale.ROOT)).toList());
    all.addAll(rows);
    int[] widths = new int[columns.size()];
    for (List<String> row : all) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    StringBuilder out = new StringBuilder();
    for (List<String> row : all) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        line.append(row.get(i)).append(" ".repeat(widths[i] - row.get(i).length() + 2));
      }
      out.append(line.toString().stripTrailing()).append('\n');
    }
    return out.toString();
  }

  /** The table as CSV (RFC 4180), with a header row. */
  public String csv() {
    StringBuilder out = new StringBuilder(CsvText.line(columns));
    rows.forEach(row -> out.append(CsvText.line(row)));
    return out.toString();
  }
}

package io.memorygateway.documents;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The dated list of versions that have a known vulnerability.
 *
 * @param date as of when it is
 */
record KnownVulnerabilities(LocalDate date, List<Entry> entries) {
  private static final Pattern HEAD = Pattern.compile("# as of (\\d{4}-\\d\\d-\\d\\d)");
  private static final Pattern RANGE = Pattern.compile("\\[([^,]+),([^,]+)\\)");

  /** A library with the versions of it that are affected. */
  record Entry(String library, List<Range> affected, String advisory) {
    boolean affects(String version) {
      return affected.stream().anyMatch(range -> range.holds(version));
    }
  }

  /** Versions from the first, with it, to the first one that has the fix, without it. */
  record Range(String from, String fixedIn) {
    boolean holds(String version) {
      return compare(version, from) >= 0 && compare(version, fixedIn) < 0;
    }
  }

  static KnownVulnerabilities read(Path file) throws IOException {
    List<String> lines = Files.readAllLines(file);
    Matcher head = HEAD.matcher(lines.get(0));
    if (!head.matches()) {
      throw new IllegalArgumentException("no date in the first line of " + file);
    }
    return new KnownVulnerabilities(
        LocalDate.parse(head.group(1)),
        lines.stream()
            .filter(line -> !line.startsWith("#"))
            .map(KnownVulnerabilities::entry)
            .toList());
  }

  private static Entry entry(String line) {
    String[] columns = line.split("\t", -1);
    if (columns.length != 4) {
      throw new IllegalArgumentException("not four columns: " + line);
    }
    List<Range> affected = new ArrayList<>();
    for (String range : columns[1].split(" ", -1)) {
      Matcher parts = RANGE.matcher(range);
      if (!parts.matches() || compare(parts.group(1), parts.group(2)) >= 0) {
        throw new IllegalArgumentException("not a range: " + line);
      }
      affected.add(new Range(parts.group(1), parts.group(2)));
    }
    return new Entry(columns[0], affected, columns[2]);
  }

  /** Compares the numbers of two versions; what is missing counts as 0, and words do not count. */
  static int compare(String one, String other) {
    String[] left = one.split("[.-]", -1);
    String[] right = other.split("[.-]", -1);
    for (int i = 0; i < Math.max(left.length, right.length); i++) {
      int difference = Long.compare(number(left, i), number(right, i));
      if (difference != 0) {
        return difference;
      }
    }
    return 0;
  }

  private static long number(String[] parts, int index) {
    return index < parts.length && parts[index].matches("\\d{1,18}")
        ? Long.parseLong(parts[index])
        : 0;
  }
}

package io.memorygateway.observation.text;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Condenses a log without a model: it retains the lines that say most, however old they are,
 * unchanged and in their order. Of a line that quotes somebody, the sentences that say most can
 * stay alone; lines that belong to a line stay or go with it.
 */
record ExtractiveReflector(TokenCounter counter, SignalWords signals, Runnable pause) {
  private static final List<String> MARKS = List.of("🔴 ", "🟡 ", "🟢 ");
  private static final List<String> SPEAKERS = List.of("User: ", "Assistant: ");

  /** Characters of a time of day, {@code (09:30) }. */
  private static final int TIME_LENGTH = 8;

  /** Score of a mark of medium importance. */
  private static final double MARK = 0.5;

  /** Bonus of the user's sentences for each time that the rest of the log is twice as long. */
  private static final double BONUS = 2;

  private static final double MAX_BONUS = 3;

  /**
   * A line of a log.
   *
   * @param frame its beginning: mark, time of day and speaker; empty if it has none
   * @param speaker who is quoted; empty if nobody is
   * @param parts what stays or goes on its own
   */
  private record Line(String date, String frame, String speaker, List<String> parts) {
    boolean ofUser() {
      return speaker.equals("User");
    }
  }

  /**
   * A part of a line.
   *
   * @param index among all parts
   * @param line index of its line
   */
  private record Part(int index, int line, String text, double score) {}

  /**
   * Condenses a log to at most so many tokens, or to one part of a line if even the best one is
   * larger.
   *
   * @param maxTokens of the result
   */
  Observation reflect(String log, int maxTokens) {
    List<Line> lines = lines(log);
    List<Part> best = parts(lines);
    best.sort(Comparator.comparingDouble(Part::score).reversed().thenComparing(Part::index));
    SortedMap<Integer, List<Part>> chosen = new TreeMap<>();
    Set<String> seen = new HashSet<>();
    Set<String> dates = new HashSet<>();
    Map<String, Integer> tokensOfDates = new HashMap<>();
    int left = maxTokens;
    for (Part part : best) {
      pause.run();
      Line line = lines.get(part.line);
      String frame = chosen.containsKey(part.line) ? "" : line.frame;
      int tokens = counter.count(frame + part.text) + 1;
      tokens +=
          dates.contains(line.date)
              ? 0
              : tokensOfDates.computeIfAbsent(line.date, counter::count) + 1;
      if ((tokens <= left || chosen.isEmpty()) && seen.add(plain(line, part))) {
        chosen.computeIfAbsent(part.line, index -> new ArrayList<>()).add(part);
        dates.add(line.date);
        left -= tokens;
      }
    }
    return new Observation(text(lines, chosen), null, null, null);
  }

  private static String text(List<Line> lines, SortedMap<Integer, List<Part>> chosen) {
    StringBuilder condensed = new StringBuilder();
    String day = "";
    for (Map.Entry<Integer, List<Part>> each : chosen.entrySet()) {
      Line line = lines.get(each.getKey());
      if (!line.date.equals(day)) {
        condensed.append(line.date).append('\n');
        day = line.date;
      }
      List<Part> parts = each.getValue();
      parts.sort(Comparator.comparingInt(Part::index));
      condensed.append(line.frame);
      condensed.append(String.join(" ", parts.stream().map(Part::text).toList())).append('\n');
    }
    return condensed.toString().strip();
  }

  private static List<Line> lines(String log) {
    List<Line> lines = new ArrayList<>();
    StringBuilder text = new StringBuilder();
    String date = "";
    String dateOfText = "";
    for (String line : log.lines().filter(line -> !line.isBlank()).toList()) {
      if (ObservationLog.isDate(line)) {
        date = line;
      } else if (ObservationLog.isItem(line) || text.isEmpty()) {
        add(lines, dateOfText, text);
        text.append(line);
        dateOfText = date;
      } else {
        text.append('\n').append(line);
      }
    }
    add(lines, dateOfText, text);
    return lines;
  }

  private static void add(List<Line> lines, String date, StringBuilder text) {
    if (!text.isEmpty()) {
      lines.add(line(date, text.toString()));
      text.setLength(0);
    }
  }

  private static Line line(String date, String text) {
    if (!ObservationLog.isItem(text)) {
      return new Line(date, "", "", List.of(text));
    }
    int at = 2 + beginning(text, 2, MARKS).length();
    at += isTime(text, at) ? TIME_LENGTH : 0;
    String speaker = beginning(text, at, SPEAKERS);
    at += speaker.length();
    String said = text.substring(at);
    List<String> sentences =
        speaker.isEmpty() || said.contains("\n") ? List.of() : Sentences.of(said);
    return new Line(
        date,
        text.substring(0, at),
        speaker.isEmpty() ? "" : speaker.substring(0, speaker.length() - 2),
        sentences.isEmpty() ? List.of(said) : sentences);
  }

  /** Which of some texts stands at an index; empty for none. */
  private static String beginning(String text, int at, List<String> beginnings) {
    return beginnings.stream()
        .filter(beginning -> text.startsWith(beginning, at))
        .findFirst()
        .orElse("");
  }

  private static boolean isTime(String text, int at) {
    return text.startsWith("(", at)
        && text.startsWith(") ", at + TIME_LENGTH - 2)
        && text.charAt(at + 3) == ':'
        && isDigit(text, at + 1)
        && isDigit(text, at + 2)
        && isDigit(text, at + 4)
        && isDigit(text, at + 5);
  }

  private static boolean isDigit(String text, int at) {
    return text.charAt(at) >= '0' && text.charAt(at) <= '9';
  }

  private List<Part> parts(List<Line> lines) {
    SentenceScore score = new SentenceScore(signals);
    double user = 1;
    double others = 1;
    for (Line line : lines) {
      for (String part : line.parts) {
        pause.run();
        score.learn(part);
        user += line.ofUser() ? part.length() : 0;
        others += line.ofUser() ? 0 : part.length();
      }
    }
    // Who takes little of the log says more in each sentence. 0 between peers, and once the user
    // takes half of it.
    double bonus = Math.max(0, Math.min(MAX_BONUS, BONUS * Math.log(others / user) / Math.log(2)));
    List<Part> parts = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      Line line = lines.get(i);
      double worth = mark(line.frame) + (line.ofUser() ? bonus : 0);
      for (String part : line.parts) {
        pause.run();
        parts.add(new Part(parts.size(), i, part, score.of(part) + worth));
      }
    }
    return parts;
  }

  /** What is said, and who says it, without the mark and the time of day. */
  private static String plain(Line line, Part part) {
    return line.speaker + ": " + String.join(" ", Words.of(part.text));
  }

  private static double mark(String frame) {
    return frame.contains("🔴") ? 2 * MARK : frame.contains("🟡") ? MARK : 0;
  }
}

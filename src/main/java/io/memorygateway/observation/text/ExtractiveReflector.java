package io.memorygateway.observation.text;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Condenses a log without a model: it retains the lines that say most, however old they are,
 * unchanged and in their order. Of a line that quotes somebody, the sentences that say most can
 * stay alone; lines that belong to a line stay or go with it.
 */
final class ExtractiveReflector {
  private static final Pattern FRAME =
      Pattern.compile(
          "^[*-] (?:(?:🔴|🟡|🟢) )?(?:\\(\\d\\d:\\d\\d\\) )?(?:(?<speaker>User|Assistant): )?");

  /** Score of a mark of medium importance. */
  private static final double MARK = 0.5;

  /** Bonus of the user's sentences for each time that the rest of the log is twice as long. */
  private static final double BONUS = 2;

  private static final double MAX_BONUS = 3;

  private final TokenCounter counter;
  private final SignalWords signals;
  private final Runnable pause;

  ExtractiveReflector(TokenCounter counter, SignalWords signals, Runnable pause) {
    this.counter = counter;
    this.signals = signals;
    this.pause = pause;
  }

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
    int left = maxTokens;
    for (Part part : best) {
      pause.run();
      Line line = lines.get(part.line);
      String frame = chosen.containsKey(part.line) ? "" : line.frame;
      int tokens = counter.count(frame + part.text) + 1;
      tokens += dates.contains(line.date) ? 0 : counter.count(line.date) + 1;
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
    List<String[]> texts = new ArrayList<>();
    String date = "";
    for (String line : log.lines().filter(line -> !line.isBlank()).toList()) {
      if (ObservationLog.isDate(line)) {
        date = line;
      } else if (ObservationLog.isItem(line) || texts.isEmpty()) {
        texts.add(new String[] {date, line});
      } else {
        texts.get(texts.size() - 1)[1] += "\n" + line;
      }
    }
    return texts.stream().map(text -> line(text[0], text[1])).toList();
  }

  private static Line line(String date, String text) {
    Matcher frame = FRAME.matcher(text);
    if (!frame.find()) {
      return new Line(date, "", "", List.of(text));
    }
    String speaker = frame.group("speaker");
    String said = text.substring(frame.end());
    List<String> sentences =
        speaker == null || said.contains("\n") ? List.of() : Sentences.of(said);
    return new Line(
        date,
        frame.group(),
        speaker == null ? "" : speaker,
        sentences.isEmpty() ? List.of(said) : sentences);
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

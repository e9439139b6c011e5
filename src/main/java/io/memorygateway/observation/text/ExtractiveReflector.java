package io.memorygateway.observation.text;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Condenses a log without a model: it retains the lines that say most, unchanged and in their
 * order. Lines that belong to a line stay or go with it.
 */
final class ExtractiveReflector {
  private static final Pattern FRAME =
      Pattern.compile("^[*-] (?:(?:🔴|🟡|🟢) )?(?:\\(\\d\\d:\\d\\d\\) )?");

  /** Score of a mark of medium importance. */
  private static final double MARK = 0.1;

  private final TokenCounter counter;
  private final SignalWords signals;
  private final Runnable pause;

  ExtractiveReflector(TokenCounter counter, SignalWords signals, Runnable pause) {
    this.counter = counter;
    this.signals = signals;
    this.pause = pause;
  }

  /** A line with the lines that belong to it. */
  private record Item(int index, String date, String text, double score) {}

  /**
   * Condenses a log to at most so many tokens, or to one line if even the best one is larger.
   *
   * @param maxTokens of the result
   */
  Observation reflect(String log, int maxTokens) {
    List<Item> best = items(log);
    best.sort(Comparator.comparingDouble(Item::score).reversed().thenComparing(Item::index));
    List<Item> chosen = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    Set<String> dates = new HashSet<>();
    int left = maxTokens;
    for (Item item : best) {
      pause.run();
      int tokens = counter.count(item.text) + 1;
      tokens += dates.contains(item.date) ? 0 : counter.count(item.date) + 1;
      if ((tokens <= left || chosen.isEmpty()) && seen.add(plain(item.text))) {
        chosen.add(item);
        dates.add(item.date);
        left -= tokens;
      }
    }
    chosen.sort(Comparator.comparingInt(Item::index));
    StringBuilder condensed = new StringBuilder();
    String day = "";
    for (Item item : chosen) {
      if (!item.date.equals(day)) {
        condensed.append(item.date).append('\n');
        day = item.date;
      }
      condensed.append(item.text).append('\n');
    }
    return new Observation(condensed.toString().strip(), null, null, null);
  }

  private List<Item> items(String log) {
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
    SentenceScore score = new SentenceScore(signals);
    for (String[] text : texts) {
      pause.run();
      score.learn(text[1]);
    }
    List<Item> items = new ArrayList<>();
    for (String[] text : texts) {
      pause.run();
      double worth = score.of(text[1]) + mark(text[1]);
      items.add(new Item(items.size(), text[0], text[1], worth));
    }
    return items;
  }

  private static double mark(String text) {
    return text.contains("🔴") ? 2 * MARK : text.contains("🟡") ? MARK : 0;
  }

  /** The text without its mark and time of day. */
  private static String plain(String text) {
    return String.join(" ", Words.of(FRAME.matcher(text).replaceFirst("")));
  }
}

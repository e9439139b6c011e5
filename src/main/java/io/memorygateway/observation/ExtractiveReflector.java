package io.memorygateway.observation;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Condenses a log without a model: it keeps the lines that say most, as they are and in their
 * order. What stands below a line goes with it.
 */
final class ExtractiveReflector {
  private static final Pattern FRAME =
      Pattern.compile("^[*-] (?:(?:🔴|🟡|🟢) )?(?:\\(\\d\\d:\\d\\d\\) )?");

  private final TokenCounter counter;
  private final SignalWords signals;
  private final Pace pace;

  ExtractiveReflector(TokenCounter counter, SignalWords signals, Pace pace) {
    this.counter = counter;
    this.signals = signals;
    this.pace = pace;
  }

  /** A line with what stands below it. */
  private record Item(int place, String date, String text, double score) {}

  /**
   * A log of at most so many tokens; of one line, if even the best is larger.
   *
   * @param mostTokens what may remain
   */
  Observation reflect(String log, int mostTokens) {
    List<Item> best = items(log);
    best.sort(Comparator.comparingDouble(Item::score).reversed().thenComparing(Item::place));
    List<Item> kept = new ArrayList<>();
    Set<String> said = new HashSet<>();
    Set<String> dates = new HashSet<>();
    int left = mostTokens;
    for (Item item : best) {
      pace.rest();
      int tokens = counter.count(item.text) + 1;
      tokens += dates.contains(item.date) ? 0 : counter.count(item.date) + 1;
      if ((tokens <= left || kept.isEmpty()) && said.add(plain(item.text))) {
        kept.add(item);
        dates.add(item.date);
        left -= tokens;
      }
    }
    kept.sort(Comparator.comparingInt(Item::place));
    StringBuilder condensed = new StringBuilder();
    String day = "";
    for (Item item : kept) {
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
      pace.rest();
      score.learn(text[1]);
    }
    List<Item> items = new ArrayList<>();
    for (String[] text : texts) {
      pace.rest();
      double worth = score.of(text[1], mark(text[1]));
      items.add(new Item(items.size(), text[0], text[1], worth));
    }
    return items;
  }

  private static double mark(String text) {
    return text.contains("🔴") ? 2 : text.contains("🟡") ? 1 : 0;
  }

  /** Without the mark and the time of day. */
  private static String plain(String text) {
    return String.join(" ", Words.of(FRAME.matcher(text).replaceFirst("")));
  }
}

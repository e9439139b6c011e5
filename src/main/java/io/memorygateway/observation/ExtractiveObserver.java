package io.memorygateway.observation;

import io.memorygateway.language.Language;
import io.memorygateway.language.RelativeDates;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Observes without a model: it picks the sentences that say most for their length, each as it
 * stands in its message, one line a message, and writes the dates that relative ones mean behind
 * them. The same messages always give the same log.
 */
final class ExtractiveObserver implements Observer {
  /** Of the tokens that there are to read. */
  private static final double SHARE = 0.2;

  private static final int LEAST_BUDGET = 32;

  /** Tokens over the budget, rather than that something lesser is taken. */
  private static final int SLACK = 16;

  /** Of the lines, those that stand out get a mark. */
  private static final double SHARE_OF_MARKED = 0.1;

  private static final double MOST_BONUS = 3;

  /** From this bonus on, short messages of the user are taken whole. */
  private static final double BONUS_OF_WHOLE = 1.5;

  private static final int MOST_OF_WHOLE = 80;

  /** A longer text of the user is taken for pasted, but for its first and last paragraph. */
  private static final int LEAST_OF_PASTED = 300;

  private static final double WORTH_OF_RESULTS = -1;

  /** The time of day is told where this much lies between two lines, and on a new day. */
  private static final Duration GAP = Duration.ofHours(1);

  private static final int TOKENS_OF_DATE_LINE = 9;

  /** Headings, rules, rows of tables' heads, and what only introduces a list. */
  private static final Pattern HEADING =
      Pattern.compile(
          "^(?:#{1,6} .*|[*_]{2}[^*_]{1,80}[*_]{2}:?|[-=*_|: ]{3,}|.{1,60}:[*_]{0,2})$");

  /** What somebody is to put in: {@code [Your Phone Number]}. */
  private static final Pattern PLACEHOLDER =
      Pattern.compile("\\[(?:Your |Insert |Name|Date|Company|Address)[^\\]\\n]{0,40}\\](?!\\()");

  private final TokenCounter counter;
  private final SignalWords signals;
  private final Pace pace;

  ExtractiveObserver(TokenCounter counter, SignalWords signals, Pace pace) {
    this.counter = counter;
    this.signals = signals;
    this.pace = pace;
  }

  /**
   * A sentence, or a short message.
   *
   * @param place among all
   * @param message among the messages
   * @param request the sentence with which the user asks for something, if there is one
   */
  private record Candidate(
      int place,
      int message,
      Passage passage,
      String text,
      @Nullable String request,
      double score) {}

  @Override
  public Observation observe(List<Passage> passages, String notes) {
    List<Candidate> candidates = candidates(passages);
    StringBuilder log = new StringBuilder();
    for (Line line : lines(passages, candidates, notes)) {
      log.append(log.isEmpty() ? "" : "\n").append(line.text);
    }
    return new Observation(log.toString(), task(candidates), null, null);
  }

  /**
   * A line of the log.
   *
   * @param passage the first that it is of; null for a line with a date
   */
  record Line(@Nullable Passage passage, String text) {}

  /** The lines of the log of some messages. */
  List<Line> lines(List<Passage> passages, String notes) {
    return lines(passages, candidates(passages), notes);
  }

  private List<Line> lines(List<Passage> passages, List<Candidate> candidates, String notes) {
    int budget =
        Math.max(LEAST_BUDGET, (int) (SHARE * passages.stream().mapToInt(this::tokens).sum()));
    List<Candidate> picked = pick(candidates, budget, notes);
    Set<Candidate> marked =
        new HashSet<>(picked.subList(0, (int) (SHARE_OF_MARKED * picked.size())));
    TreeMap<Integer, List<Candidate>> byMessage = new TreeMap<>();
    for (Candidate candidate : picked) {
      byMessage.computeIfAbsent(candidate.message, key -> new ArrayList<>()).add(candidate);
    }
    List<Line> lines = new ArrayList<>();
    String day = "";
    Instant before = null;
    for (List<Candidate> message : byMessage.values()) {
      message.sort(Comparator.comparingInt(Candidate::place));
      Passage passage = message.get(0).passage;
      String date = ObservationLog.dateLine(passage.time());
      boolean gap =
          before == null || Duration.between(before, passage.time()).abs().compareTo(GAP) >= 0;
      if (!date.equals(day)) {
        lines.add(new Line(null, date));
        day = date;
        gap = true;
      }
      before = passage.time();
      lines.add(new Line(passage, line(message, gap, marked)));
    }
    return lines;
  }

  private static String line(List<Candidate> message, boolean time, Set<Candidate> marked) {
    Passage passage = message.get(0).passage;
    StringBuilder line = new StringBuilder("* ");
    if (message.stream().anyMatch(marked::contains)) {
      line.append("🔴 ");
    }
    if (time) {
      line.append('(').append(ObservationLog.time(passage.time())).append(") ");
    }
    line.append(speaker(passage)).append(':');
    for (Candidate candidate : message) {
      line.append(' ').append(candidate.text);
    }
    return line.toString();
  }

  private static String speaker(Passage passage) {
    String who =
        passage.role().substring(0, 1).toUpperCase(Locale.ROOT) + passage.role().substring(1);
    String tool = passage.tool().isEmpty() ? "" : " " + passage.tool().replaceAll("\\s+", " ");
    return switch (passage.kind()) {
      case TEXT -> who;
      case TOOL_CALL -> who + " calls" + tool;
      case TOOL_RESULT -> "Result of" + (tool.isEmpty() ? " a tool" : tool);
      case IMAGE -> who + " gives image";
      case FILE -> who + " gives file";
    };
  }

  private int tokens(Passage passage) {
    pace.rest();
    return counter.count(passage.text());
  }

  private List<Candidate> candidates(List<Passage> passages) {
    List<List<String>> sentences = new ArrayList<>(passages.size());
    SentenceScore score = new SentenceScore(signals);
    for (Passage passage : passages) {
      List<String> own = sentencesOf(passage);
      for (String sentence : own) {
        pace.rest();
        score.learn(sentence);
      }
      sentences.add(own);
    }
    double bonus = bonusOfUser(passages);
    List<Candidate> candidates = new ArrayList<>();
    int message = -1;
    Language language = Language.ENGLISH;
    for (int i = 0; i < passages.size(); i++) {
      Passage passage = passages.get(i);
      message += i > 0 && isSameMessage(passages.get(i - 1), passage) ? 0 : 1;
      language = Language.of(Words.of(passage.text()), language);
      for (Unit unit : units(passage, sentences.get(i), bonus)) {
        pace.rest();
        double worth = -10;
        for (String sentence : unit.sentences) {
          worth = Math.max(worth, score.of(sentence, unit.bonus));
        }
        String text = String.join(" ", unit.sentences);
        String dated =
            RelativeDates.resolve(
                text, language, passage.time().atZone(ZoneOffset.UTC).toLocalDate());
        candidates.add(
            new Candidate(
                candidates.size(), message, passage, dated, request(passage, unit), worth));
      }
    }
    return candidates;
  }

  private @Nullable String request(Passage passage, Unit unit) {
    return isOfUser(passage)
        ? unit.sentences.stream().filter(this::isRequest).findFirst().orElse(null)
        : null;
  }

  /** Sentences that are taken together or not at all. */
  private record Unit(List<String> sentences, double bonus) {}

  private List<Unit> units(Passage passage, List<String> sentences, double bonus) {
    List<Unit> units = new ArrayList<>();
    if (!isOfUser(passage)) {
      double worth = passage.kind() == Passage.Kind.TOOL_RESULT ? WORTH_OF_RESULTS : 0;
      sentences.forEach(sentence -> units.add(new Unit(List.of(sentence), worth)));
      return units;
    }
    int tokens = bonus > 0 ? counter.count(passage.text()) : 0;
    if (bonus >= BONUS_OF_WHOLE && tokens <= MOST_OF_WHOLE && !sentences.isEmpty()) {
      units.add(new Unit(sentences, bonus));
      return units;
    }
    boolean pasted = tokens >= LEAST_OF_PASTED;
    int first = passage.text().indexOf("\n\n");
    int last = passage.text().lastIndexOf("\n\n");
    int at = 0;
    for (String sentence : sentences) {
      at = Math.max(at, passage.text().indexOf(sentence, at));
      boolean own = !pasted || first < 0 || at < first || at > last;
      units.add(new Unit(List.of(sentence), own ? bonus : 0));
    }
    return units;
  }

  private static boolean isOfUser(Passage passage) {
    return passage.role().equals("user")
        && passage.kind() == Passage.Kind.TEXT
        && passage.tool().isEmpty();
  }

  private static boolean isSameMessage(Passage one, Passage other) {
    return one.role().equals(other.role())
        && one.time().equals(other.time())
        && one.kind() == other.kind()
        && one.tool().equals(other.tool());
  }

  /** Who speaks little says more in a sentence: 0 between peers, more beside an assistant. */
  private double bonusOfUser(List<Passage> passages) {
    double user = 1;
    double others = 1;
    for (Passage passage : passages) {
      if (passage.kind() == Passage.Kind.TEXT) {
        int length = passage.text().length();
        user += isOfUser(passage) ? length : 0;
        others += isOfUser(passage) ? 0 : length;
      }
    }
    return Math.max(0, Math.min(MOST_BONUS, Math.log(others / user) / Math.log(2)));
  }

  private static List<String> sentencesOf(Passage passage) {
    return switch (passage.kind()) {
      case TEXT, TOOL_RESULT ->
          Sentences.of(passage.text()).stream()
              .filter(sentence -> !HEADING.matcher(sentence).matches())
              .filter(sentence -> !PLACEHOLDER.matcher(sentence).find())
              .toList();
      case TOOL_CALL, IMAGE, FILE -> {
        String line = passage.text().replaceAll("\\s+", " ").strip();
        yield List.of(
            line.substring(0, TextCuts.before(line, Math.min(line.length(), Sentences.LONGEST))));
      }
    };
  }

  /** The best that fit, best first, each said once; one at least. */
  private List<Candidate> pick(List<Candidate> candidates, int budget, String notes) {
    List<Candidate> best = new ArrayList<>(candidates);
    best.sort(
        Comparator.comparingDouble(Candidate::score).reversed().thenComparing(Candidate::place));
    List<Candidate> picked = new ArrayList<>();
    Set<String> said = new HashSet<>();
    notes.lines().forEach(line -> said.addAll(plain(line.substring(line.indexOf(": ") + 1))));
    Set<Integer> messages = new HashSet<>();
    Set<String> days = new HashSet<>();
    int left = budget;
    for (Candidate candidate : best) {
      if (left <= 0 || (candidate.score <= 0 && !picked.isEmpty())) {
        break;
      }
      List<String> plain = plain(candidate.text);
      if (said.containsAll(plain)) {
        continue;
      }
      pace.rest();
      int tokens = counter.count(candidate.text) + 1;
      if (!messages.contains(candidate.message)) {
        tokens += counter.count("* " + speaker(candidate.passage) + ":") + 1;
      }
      if (!days.contains(ObservationLog.dateLine(candidate.passage.time()))) {
        tokens += TOKENS_OF_DATE_LINE;
      }
      if (tokens <= left + SLACK + budget / 20 || picked.isEmpty()) {
        picked.add(candidate);
        messages.add(candidate.message);
        days.add(ObservationLog.dateLine(candidate.passage.time()));
        said.addAll(plain);
        left -= tokens;
      }
    }
    return picked;
  }

  /** The sentences of a text, each as its words alone. */
  private static List<String> plain(String text) {
    return Sentences.of(text).stream()
        .map(sentence -> String.join(" ", Words.of(sentence)))
        .toList();
  }

  /**
   * The weightiest request of the user's last message that holds one, in the user's own words and
   * said to be that; never what a tool gave, a file holds or the assistant said.
   */
  private @Nullable String task(List<Candidate> candidates) {
    Candidate task = null;
    for (Candidate candidate : candidates) {
      if (candidate.request != null
          && (task == null
              || !task.passage.equals(candidate.passage)
              || candidate.score > task.score)) {
        task = candidate;
      }
    }
    return task == null ? null : "User: " + task.request;
  }

  /** A question, a request or a plan. */
  private boolean isRequest(String sentence) {
    return sentence.codePoints().anyMatch(c -> c == '?' || c == '？' || c == '؟')
        || signals.count("request", Words.of(sentence)) > 0;
  }
}

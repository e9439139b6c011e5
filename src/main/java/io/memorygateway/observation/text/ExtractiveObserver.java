package io.memorygateway.observation.text;

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
import org.jspecify.annotations.Nullable;

/**
 * Observes without a model: it picks the sentences that say most for their length, verbatim, one
 * line for each message, and adds the dates that relative ones mean. The same messages always give
 * the same log.
 *
 * @param share of the tokens of the messages that the log may have
 * @param pause called often while text is read
 */
record ExtractiveObserver(TokenCounter counter, SignalWords signals, double share, Runnable pause) {
  private static final int MIN_BUDGET = 32;

  /** Tokens by which a sentence may exceed the budget before a lesser one is picked instead. */
  private static final int BUDGET_SLACK = 16;

  /** Share of the lines that are marked as important. */
  private static final double MARKED_SHARE = 0.1;

  /** Bonus of the user's sentences for each time that the others write twice as much. */
  private static final double BONUS = 0.4;

  private static final double MAX_BONUS = 3 * BONUS;

  /** Bonus from which on short messages of the user are taken whole. */
  private static final double WHOLE_TEXT_BONUS = 1.5 * BONUS;

  private static final int MAX_WHOLE_TOKENS = 160;

  /**
   * Tokens from which on a text of the user counts as pasted, but for its first and last paragraph.
   */
  private static final int MIN_PASTED_TOKENS = 300;

  private static final double TOOL_RESULT_SCORE = -0.15;

  /** The time of day is written after a gap of this length between two lines of a day. */
  private static final Duration GAP = Duration.ofHours(1);

  private static final int DATE_LINE_TOKENS = 9;

  /**
   * A sentence, or a short message.
   *
   * @param index index among all sentences
   * @param message index of its message
   * @param request the sentence with which the user asks for something, if there is one
   */
  private record Candidate(
      int index,
      int message,
      Passage passage,
      String text,
      @Nullable String request,
      double score) {}

  /**
   * Observes one batch.
   *
   * @param notes the observations so far, or the end of them
   */
  Observation observe(List<Passage> passages, String notes) {
    List<Candidate> candidates = candidates(passages);
    String log = String.join("\n", lines(passages, candidates, notes));
    return new Observation(log, task(candidates), null, null);
  }

  private List<String> lines(List<Passage> passages, List<Candidate> candidates, String notes) {
    int budget =
        Math.max(MIN_BUDGET, (int) (share * passages.stream().mapToInt(this::tokens).sum()));
    List<Candidate> picked = pick(candidates, budget, notes);
    Set<Candidate> marked = new HashSet<>(picked.subList(0, (int) (MARKED_SHARE * picked.size())));
    TreeMap<Integer, List<Candidate>> byMessage = new TreeMap<>();
    for (Candidate candidate : picked) {
      byMessage.computeIfAbsent(candidate.message, key -> new ArrayList<>()).add(candidate);
    }
    List<String> lines = new ArrayList<>();
    String day = "";
    Instant before = null;
    for (List<Candidate> message : byMessage.values()) {
      message.sort(Comparator.comparingInt(Candidate::index));
      Passage passage = message.get(0).passage;
      String date = ObservationLog.dateLine(passage.time());
      boolean newDay = !date.equals(day);
      boolean gap =
          !newDay
              && before != null
              && Duration.between(before, passage.time()).abs().compareTo(GAP) >= 0;
      if (newDay) {
        lines.add(date);
        day = date;
      }
      before = passage.time();
      lines.add(line(message, gap, marked));
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
    String tool = passage.tool().isEmpty() ? "" : " " + TextCuts.onOneLine(passage.tool());
    return switch (passage.kind()) {
      case TEXT -> who;
      case TOOL_CALL -> who + " calls" + tool;
      case TOOL_RESULT -> "Result of" + (tool.isEmpty() ? " a tool" : tool);
      case IMAGE -> who + " gives image";
      case FILE -> who + " gives file";
    };
  }

  private int tokens(Passage passage) {
    pause.run();
    return counter.count(passage.text());
  }

  private List<Candidate> candidates(List<Passage> all) {
    List<Passage> passages = all.stream().map(CodeBlocks::without).toList();
    List<List<String>> sentences = new ArrayList<>(passages.size());
    SentenceScore score = new SentenceScore(signals);
    for (Passage passage : passages) {
      List<String> own = sentencesOf(passage);
      for (String sentence : own) {
        pause.run();
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
        pause.run();
        double worth = -10;
        for (String sentence : unit.sentences) {
          worth = Math.max(worth, score.of(sentence) + unit.bonus);
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
    return passage.isSaidByUser()
        ? unit.sentences.stream().filter(this::isRequest).findFirst().orElse(null)
        : null;
  }

  /** Sentences that are picked together or not at all. */
  private record Unit(List<String> sentences, double bonus) {}

  private List<Unit> units(Passage passage, List<String> sentences, double bonus) {
    List<Unit> units = new ArrayList<>();
    if (!passage.isSaidByUser()) {
      double worth = passage.kind() == Passage.Kind.TOOL_RESULT ? TOOL_RESULT_SCORE : 0;
      sentences.forEach(sentence -> units.add(new Unit(List.of(sentence), worth)));
      return units;
    }
    int tokens = bonus > 0 ? counter.count(passage.text()) : 0;
    if (bonus >= WHOLE_TEXT_BONUS && tokens <= MAX_WHOLE_TOKENS && !sentences.isEmpty()) {
      units.add(new Unit(sentences, bonus));
      return units;
    }
    boolean pasted = tokens >= MIN_PASTED_TOKENS;
    int first = passage.text().indexOf("\n\n");
    int last = passage.text().lastIndexOf("\n\n");
    int at = 0;
    for (String sentence : sentences) {
      at = passage.text().indexOf(sentence, at);
      boolean own = !pasted || first < 0 || at < first || at > last;
      at += sentence.length();
      units.add(new Unit(List.of(sentence), own ? bonus : 0));
    }
    return units;
  }

  private static boolean isSameMessage(Passage one, Passage other) {
    return one.role().equals(other.role())
        && one.time().equals(other.time())
        && one.kind() == other.kind()
        && one.tool().equals(other.tool());
  }

  /** Bonus of the user's sentences: who writes little says more in each. 0 between peers. */
  private double bonusOfUser(List<Passage> passages) {
    double user = 1;
    double others = 1;
    for (Passage passage : passages) {
      if (passage.kind() == Passage.Kind.TEXT) {
        int length = passage.text().length();
        user += passage.isSaidByUser() ? length : 0;
        others += passage.isSaidByUser() ? 0 : length;
      }
    }
    return Math.max(0, Math.min(MAX_BONUS, BONUS * Math.log(others / user) / Math.log(2)));
  }

  private static List<String> sentencesOf(Passage passage) {
    return switch (passage.kind()) {
      case TEXT, TOOL_RESULT ->
          Sentences.of(passage.text()).stream()
              .filter(sentence -> !Headings.isOne(sentence) && !Headings.hasPlaceholder(sentence))
              .toList();
      case TOOL_CALL, IMAGE, FILE -> {
        String line = TextCuts.onOneLine(passage.text());
        yield List.of(
            line.substring(
                0, TextCuts.before(line, Math.min(line.length(), Sentences.MAX_CHARACTERS))));
      }
    };
  }

  /** The best candidates that fit the budget, best first, without repetitions; at least one. */
  private List<Candidate> pick(List<Candidate> candidates, int budget, String notes) {
    List<Candidate> best = new ArrayList<>(candidates);
    best.sort(
        Comparator.comparingDouble(Candidate::score).reversed().thenComparing(Candidate::index));
    List<Candidate> picked = new ArrayList<>();
    Set<String> covered = new HashSet<>();
    notes.lines().forEach(line -> covered.addAll(plain(line.substring(line.indexOf(": ") + 1))));
    Set<Integer> messages = new HashSet<>();
    Set<String> days = new HashSet<>();
    int left = budget;
    for (Candidate candidate : best) {
      if (left <= 0 || (candidate.score <= 0 && !picked.isEmpty())) {
        break;
      }
      List<String> plain = plain(candidate.text);
      if (covered.containsAll(plain)) {
        continue;
      }
      pause.run();
      int tokens = counter.count(candidate.text) + 1;
      if (!messages.contains(candidate.message)) {
        tokens += counter.count("* " + speaker(candidate.passage) + ":") + 1;
      }
      if (!days.contains(ObservationLog.dateLine(candidate.passage.time()))) {
        tokens += DATE_LINE_TOKENS;
      }
      if (tokens <= left + BUDGET_SLACK + budget / 20 || picked.isEmpty()) {
        picked.add(candidate);
        messages.add(candidate.message);
        days.add(ObservationLog.dateLine(candidate.passage.time()));
        covered.addAll(plain);
        left -= tokens;
      }
    }
    return picked;
  }

  /** The sentences of a text, each reduced to its words. */
  private static List<String> plain(String text) {
    return Sentences.of(text).stream()
        .map(sentence -> String.join(" ", Words.of(sentence)))
        .toList();
  }

  /**
   * The most important request of the user's last message that holds one, quoted and marked as the
   * user's; never a text of a tool, a file or the assistant.
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

  /** Whether the sentence is a question, a request or a plan. */
  private boolean isRequest(String sentence) {
    return sentence.codePoints().anyMatch(c -> c == '?' || c == '？' || c == '؟')
        || signals.count("request", Words.of(sentence)) > 0;
  }
}

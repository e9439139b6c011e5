package io.memorygateway.observation;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Observes without a model: it picks the sentences that say most, each as it stands in its message,
 * and dates them. The same messages always give the same log.
 */
final class ExtractiveObserver implements Observer {
  /** Of the tokens that there are to read. */
  private static final double SHARE = 0.2;

  private static final int LEAST_BUDGET = 32;

  /** What is worth less is noted only where there is nothing else. */
  private static final double WORTH_NOTING = 3;

  private final TokenCounter counter;
  private final SignalWords signals;
  private final Pace pace;

  ExtractiveObserver(TokenCounter counter, SignalWords signals, Pace pace) {
    this.counter = counter;
    this.signals = signals;
    this.pace = pace;
  }

  /** A sentence and what it is worth; {@code place} is its place in the conversation. */
  private record Candidate(int place, Passage passage, String sentence, double score) {
    String line() {
      String who =
          passage.role().substring(0, 1).toUpperCase(Locale.ROOT) + passage.role().substring(1);
      String tool = passage.tool().isEmpty() ? "" : " " + passage.tool().replaceAll("\\s+", " ");
      String what =
          switch (passage.kind()) {
            case TEXT -> who;
            case TOOL_CALL -> who + " calls" + tool;
            case TOOL_RESULT -> "Result of" + (tool.isEmpty() ? " a tool" : tool);
            case IMAGE -> who + " gives image";
            case FILE -> who + " gives file";
          };
      String mark = score >= 6 ? "🔴" : score >= 4 ? "🟡" : "🟢";
      return "* %s (%s) %s: %s"
          .formatted(mark, ObservationLog.time(passage.time()), what, sentence);
    }
  }

  @Override
  public Observation observe(List<Passage> passages, String notes) {
    List<Candidate> candidates = candidates(passages);
    int budget =
        Math.max(LEAST_BUDGET, (int) (SHARE * passages.stream().mapToInt(this::tokens).sum()));
    List<Candidate> picked = pick(candidates, budget, notes);
    picked.sort(Comparator.comparingInt(Candidate::place));
    StringBuilder log = new StringBuilder();
    String day = "";
    for (Candidate candidate : picked) {
      String date = ObservationLog.dateLine(candidate.passage.time());
      if (!date.equals(day)) {
        log.append(log.isEmpty() ? "" : "\n").append(date);
        day = date;
      }
      log.append('\n').append(candidate.line());
    }
    return new Observation(log.toString(), task(candidates), null, null);
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
    List<Candidate> candidates = new ArrayList<>();
    for (int i = 0; i < passages.size(); i++) {
      Passage passage = passages.get(i);
      for (String sentence : sentences.get(i)) {
        pace.rest();
        double worth = weight(passage) + score.of(sentence);
        candidates.add(new Candidate(candidates.size(), passage, sentence, worth));
      }
    }
    return candidates;
  }

  private static List<String> sentencesOf(Passage passage) {
    return switch (passage.kind()) {
      case TEXT, TOOL_RESULT -> Sentences.of(passage.text());
      case TOOL_CALL, IMAGE, FILE -> {
        String line = passage.text().replaceAll("\\s+", " ").strip();
        yield List.of(
            line.substring(0, TextCuts.before(line, Math.min(line.length(), Sentences.LONGEST))));
      }
    };
  }

  private static double weight(Passage passage) {
    return switch (passage.kind()) {
      case TEXT ->
          switch (passage.role()) {
            case "user" -> 2;
            case "assistant" -> 0.5;
            default -> 0;
          };
      case TOOL_CALL, IMAGE, FILE -> 0;
      case TOOL_RESULT -> -1;
    };
  }

  /** The best that fit, each said once; one at least. */
  private List<Candidate> pick(List<Candidate> candidates, int budget, String notes) {
    List<Candidate> best = new ArrayList<>(candidates);
    best.sort(
        Comparator.comparingDouble(Candidate::score).reversed().thenComparing(Candidate::place));
    List<Candidate> picked = new ArrayList<>();
    Set<String> said = new HashSet<>();
    notes.lines().forEach(line -> said.add(plain(line.substring(line.indexOf(": ") + 1))));
    int left = budget;
    for (Candidate candidate : best) {
      if (left <= 0 || (candidate.score < WORTH_NOTING && !picked.isEmpty())) {
        break;
      }
      if (said.contains(plain(candidate.sentence))) {
        continue;
      }
      pace.rest();
      int tokens = counter.count(candidate.line()) + 1;
      // Rather a little too much than something lesser.
      if (tokens <= left + budget / 4 || picked.isEmpty()) {
        picked.add(candidate);
        said.add(plain(candidate.sentence));
        left -= tokens;
      }
    }
    return picked;
  }

  private static String plain(String sentence) {
    return String.join(" ", Words.of(sentence));
  }

  /**
   * The weightiest request of the user's last message that holds one, in the user's own words and
   * said to be that; never what a tool gave, a file holds or the assistant said.
   */
  private @Nullable String task(List<Candidate> candidates) {
    Candidate task = null;
    for (Candidate candidate : candidates) {
      Passage passage = candidate.passage;
      if (passage.role().equals("user")
          && passage.kind() == Passage.Kind.TEXT
          && passage.tool().isEmpty()
          && isRequest(candidate.sentence)
          && (task == null || !task.passage.equals(passage) || candidate.score > task.score)) {
        task = candidate;
      }
    }
    return task == null ? null : "User: " + task.sentence;
  }

  /** A question, a request or a plan. */
  private boolean isRequest(String sentence) {
    return sentence.codePoints().anyMatch(c -> c == '?' || c == '？' || c == '؟')
        || signals.count("request", Words.of(sentence)) > 0;
  }
}

package io.memorygateway.bench.quality;

import static java.util.stream.Collectors.joining;

import java.text.BreakIterator;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a context retains of a conversation: every sentence of it is attributed to the utterance
 * that it comes from, with the date that stands above it.
 */
final class Retained {
  private static final Pattern WORD = Pattern.compile("[a-z0-9]+");
  private static final Pattern DATE_LINE = Pattern.compile("^Date: (.*)$");
  private static final Pattern TIME_MARK = Pattern.compile("^\\[([^\\]]*\\d{4}[^\\]]*)\\]$");
  private static final Pattern INSERTED = Pattern.compile(" ?\\[[^\\]]*\\]");
  private static final Pattern FRAME =
      Pattern.compile(
          "^(?:[*-] )?(?:🔴 |🟡 |🟢 )?(?:\\(\\d\\d:\\d\\d\\)"
              + " )?(?:(?:User|Assistant|user|assistant): )?");

  static final Set<String> STOP_WORDS =
      Set.of(
          ("a about after all also am an and any are as at be because been before being but by can"
                  + " could d did do does doing don down for from had has have having he her here him"
                  + " his how i if in into is it its just ll m me more most my no not now of off on"
                  + " once only or other our out over own re s same she should so some such t than"
                  + " that the their them then there these they this those through to too under until"
                  + " up ve very was we were what when where which while who why will with would you"
                  + " your")
              .split(" "));

  private final Conversation conversation;
  private final Map<String, List<Conversation.Utterance>> bySentence = new HashMap<>();
  private final Map<Conversation.Utterance, StringBuilder> texts = new HashMap<>();
  private final Map<Integer, StringBuilder> sessions = new HashMap<>();

  Retained(Conversation conversation) {
    this.conversation = conversation;
    for (Conversation.Utterance utterance : conversation.utterances()) {
      for (String sentence : sentences(utterance.text())) {
        bySentence.computeIfAbsent(key(sentence), k -> new ArrayList<>()).add(utterance);
      }
    }
  }

  /** Takes the lines of a context, each sentence for itself. */
  Retained add(String context) {
    return add(
        context, (said, date) -> sentences(said).forEach(sentence -> attribute(sentence, date)));
  }

  /** Takes the lines of a log, each as what it has of one message. */
  Retained addLog(String log) {
    LogLines lines = new LogLines(conversation);
    return add(
        log,
        (said, date) -> {
          String added =
              INSERTED.matcher(said).results().map(MatchResult::group).collect(joining());
          lines
              .of(INSERTED.matcher(said).replaceAll(""))
              .ifPresent(part -> note(part.source(), part.text() + added, date));
        });
  }

  private Retained add(String context, BiConsumer<String, String> withDate) {
    String date = "";
    for (String line : context.lines().toList()) {
      Matcher above = DATE_LINE.matcher(line);
      Matcher mark = TIME_MARK.matcher(line.strip());
      if (above.matches() || mark.matches()) {
        date = above.matches() ? above.group(1) : mark.group(1);
        continue;
      }
      withDate.accept(FRAME.matcher(line.strip()).replaceFirst(""), date);
    }
    return this;
  }

  /** Takes an utterance whole. */
  Retained add(Conversation.Utterance utterance) {
    note(utterance, utterance.text(), "");
    return this;
  }

  private void attribute(String sentence, String date) {
    List<Conversation.Utterance> sources =
        bySentence.getOrDefault(key(INSERTED.matcher(sentence).replaceAll("")), List.of());
    if (sources.isEmpty()) {
      String cut = key(INSERTED.matcher(sentence).replaceAll(""));
      sources =
          cut.length() < 12
              ? List.of()
              : conversation.utterances().stream()
                  .filter(utterance -> key(utterance.text()).contains(cut))
                  .toList();
    }
    if (!sources.isEmpty()) {
      note(sources.get(0), sentence, date);
    }
  }

  private void note(Conversation.Utterance source, String text, String date) {
    texts.computeIfAbsent(source, key -> new StringBuilder()).append(text).append('\n');
    sessions
        .computeIfAbsent(source.session(), key -> new StringBuilder())
        .append(text)
        .append('\n')
        .append(date)
        .append('\n');
  }

  /** Share of the evidence's content words that stand in text of the same utterance. */
  double evidence(Conversation.Question question) {
    int found = 0;
    int all = 0;
    for (Conversation.Utterance utterance : question.evidence()) {
      Set<String> words = content(utterance.text());
      all += words.size();
      words.retainAll(content(text(utterance)));
      found += words.size();
    }
    return all == 0 ? 0 : (double) found / all;
  }

  /**
   * Share of the answer's content words that are in the evidence and in the text of its sessions;
   * negative if the evidence has none of them.
   */
  double answer(Conversation.Question question) {
    Set<String> said = new HashSet<>();
    question.evidence().forEach(utterance -> said.addAll(content(utterance.text())));
    Set<String> wanted = content(question.answer());
    wanted.retainAll(said);
    if (wanted.isEmpty() || question.openDomain()) {
      return -1;
    }
    Set<String> found = new HashSet<>(wanted);
    found.retainAll(words(sessions(question)));
    return (double) found.size() / wanted.size();
  }

  /** Whether the answer is a short one: five words at most. */
  static boolean isShort(Conversation.Question question) {
    List<String> words = words(question.answer());
    return !words.isEmpty() && words.size() <= 5;
  }

  /** Whether all words of the answer stand in the text of the evidence's sessions. */
  boolean holdsAnswer(Conversation.Question question) {
    return new HashSet<>(words(sessions(question))).containsAll(content(question.answer()));
  }

  private String sessions(Conversation.Question question) {
    Set<Integer> numbers = new HashSet<>();
    question.evidence().forEach(utterance -> numbers.add(utterance.session()));
    StringBuilder text = new StringBuilder();
    numbers.forEach(number -> text.append(sessions.getOrDefault(number, new StringBuilder())));
    return text.toString();
  }

  private String text(Conversation.Utterance utterance) {
    return texts.getOrDefault(utterance, new StringBuilder()).toString();
  }

  static List<String> words(String text) {
    List<String> words = new ArrayList<>();
    Matcher matcher = WORD.matcher(text.toLowerCase(Locale.ROOT));
    while (matcher.find()) {
      words.add(matcher.group());
    }
    return words;
  }

  static Set<String> content(String text) {
    Set<String> content = new HashSet<>(words(text));
    content.removeAll(STOP_WORDS);
    return content;
  }

  static String key(String sentence) {
    return String.join(" ", words(sentence));
  }

  static List<String> sentences(String text) {
    List<String> sentences = new ArrayList<>();
    BreakIterator breaks = BreakIterator.getSentenceInstance(Locale.ROOT);
    for (String line : text.lines().toList()) {
      breaks.setText(line);
      int from = breaks.first();
      for (int to = breaks.next(); to != BreakIterator.DONE; to = breaks.next()) {
        String sentence = line.substring(from, to).strip();
        if (!sentence.isEmpty()) {
          sentences.add(sentence);
        }
        from = to;
      }
    }
    return sentences;
  }
}

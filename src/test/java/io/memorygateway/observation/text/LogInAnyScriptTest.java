package io.memorygateway.observation.text;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the log without a model holds of facts that are scattered in small talk, in several scripts,
 * beside sentences drawn by lot and the newest messages, of the same size.
 */
class LogInAnyScriptTest {
  private static final TokenCounter COUNTER = new TokenCounter();
  private static final ExtractiveObserver OBSERVER =
      new ExtractiveObserver(COUNTER, SignalWords.load(), 0.215, () -> {});
  private static final Instant MORNING = Instant.parse("2026-11-20T09:30:00Z");
  private static final int TALKS = 20;
  private static final int FACTS = 8;

  /** How often each sentence of small talk is said, each time in other words at its beginning. */
  private static final int TIMES = 2;

  /** A fact as it is said, and the part of it that a question would ask for. */
  private record Fact(String text, String asked) {
    static Fact of(String line) {
      return new Fact(
          line.replace("<", "").replace(">", ""),
          line.substring(line.indexOf('<') + 1, line.indexOf('>')));
    }
  }

  private record Shares(double log, double random, double last) {}

  @ParameterizedTest
  @ValueSource(strings = {"en", "de", "zh", "ja", "ru", "ar"})
  void factsAreKeptRatherThanSmallTalk(String language) {
    Shares shares = shares(language);
    assertThat(shares.log)
        .as("%s", shares)
        .isGreaterThan(shares.random + 0.2)
        .isGreaterThan(shares.last);
  }

  static Shares shares(String language) {
    List<String> lines = lines(language);
    List<String> openings =
        new ArrayList<>(List.of(values(lines, "opening").get(0).split("\\|", -1)));
    List<Fact> all = values(lines, "fact").stream().map(Fact::of).toList();
    double log = 0;
    double random = 0;
    double last = 0;
    for (int seed = 0; seed < TALKS; seed++) {
      Random lot = new Random(seed);
      List<String> talk = new ArrayList<>();
      for (String sentence : values(lines, "talk")) {
        Collections.shuffle(openings, lot);
        openings.subList(0, TIMES).forEach(opening -> talk.add(opening + sentence));
      }
      List<Fact> facts = new ArrayList<>(all);
      Collections.shuffle(facts, lot);
      facts.subList(FACTS, facts.size()).clear();
      List<Passage> passages = passages(talk, facts, lot);
      String noted = OBSERVER.observe(passages, "").log();
      int tokens = COUNTER.count(noted);
      log += share(facts, noted);
      List<String> sentences =
          new ArrayList<>(passages.stream().flatMap(p -> Sentences.of(p.text()).stream()).toList());
      Collections.shuffle(sentences, lot);
      random += share(facts, first(sentences, tokens));
      List<String> newest = new ArrayList<>(passages.stream().map(Passage::text).toList());
      Collections.reverse(newest);
      last += share(facts, first(newest, tokens));
    }
    return new Shares(log / TALKS, random / TALKS, last / TALKS);
  }

  /** Messages of one to three sentences, every other one the user's, who tells the facts. */
  private static List<Passage> passages(List<String> talk, List<Fact> facts, Random lot) {
    List<String> sentences = new ArrayList<>(talk);
    Collections.shuffle(sentences, lot);
    List<List<String>> messages = new ArrayList<>();
    for (int at = 0; at < sentences.size(); ) {
      int end = Math.min(sentences.size(), at + 1 + lot.nextInt(3));
      messages.add(new ArrayList<>(sentences.subList(at, end)));
      at = end;
    }
    for (Fact fact : facts) {
      List<String> message = messages.get(2 * lot.nextInt(messages.size() / 2));
      message.add(lot.nextInt(message.size() + 1), fact.text);
    }
    List<Passage> passages = new ArrayList<>();
    for (List<String> message : messages) {
      passages.add(
          new Passage(
              passages.size() % 2 == 0 ? "user" : "assistant",
              MORNING.plusSeconds(60L * passages.size()),
              Passage.Kind.TEXT,
              "",
              String.join(" ", message)));
    }
    return passages;
  }

  private static String first(List<String> texts, int tokens) {
    StringBuilder first = new StringBuilder();
    int left = tokens;
    for (String text : texts) {
      left -= COUNTER.count(text) + 1;
      if (left < 0) {
        break;
      }
      first.append(text).append('\n');
    }
    return first.toString();
  }

  private static double share(List<Fact> facts, String context) {
    return (double) facts.stream().filter(fact -> context.contains(fact.asked)).count()
        / facts.size();
  }

  private static List<String> values(List<String> lines, String name) {
    String beginning = name + ": ";
    return lines.stream()
        .filter(line -> line.startsWith(beginning))
        .map(line -> line.substring(beginning.length()))
        .toList();
  }

  /** The lines of a language. */
  private static List<String> lines(String language) {
    try (InputStream file = LogInAnyScriptTest.class.getResourceAsStream("/quality/talk.txt")) {
      String text = new String(Objects.requireNonNull(file).readAllBytes(), UTF_8);
      String from = text.substring(text.indexOf("[" + language + "]") + 4);
      int end = from.indexOf("\n[");
      return (end < 0 ? from : from.substring(0, end)).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

package io.memorygateway.search;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * Contract §11: facts said in passing, between what says nothing, are what a question for them
 * recalls, and what says nothing recalls nothing, in eleven languages by one rule and setting.
 */
class AskedFactsTest {
  private static final Instant FIRST = Instant.parse("2026-10-01T09:00:00Z");
  private static final LocalDate TODAY = LocalDate.of(2026, 11, 20);

  /** What is said between two facts. */
  private static final int BETWEEN = 3;

  private final TermReader reader = new TermReader();

  private record Fact(int message, String question) {}

  @Test
  void theFactThatIsAskedForIsTheFirst() throws IOException {
    List<String> missed = new ArrayList<>();
    int asked = 0;
    for (List<String> language : languages().values()) {
      List<String> messages = new ArrayList<>();
      List<Fact> facts = facts(language, messages);
      ThreadTerms thread = thread(messages);
      asked += facts.size();
      for (Fact fact : facts) {
        List<Integer> found = recalled(thread, fact.question);
        if (found.isEmpty() || found.get(0) != fact.message) {
          missed.add(fact.question);
        }
      }
    }
    assertThat(asked).isEqualTo(112);
    assertThat(missed).hasSizeLessThan(6);
  }

  @Test
  void whatSaysNothingRecallsNothingThoughItWasSaidBefore() throws IOException {
    List<String> inVain = new ArrayList<>();
    int said = 0;
    for (List<String> language : languages().values()) {
      List<String> messages = new ArrayList<>();
      facts(language, messages);
      messages.addAll(nothing(language));
      ThreadTerms thread = thread(messages);
      said += nothing(language).size();
      nothing(language).stream()
          .filter(text -> !recalled(thread, text).isEmpty())
          .forEach(inVain::add);
    }
    assertThat(said).isGreaterThan(400);
    assertThat(inVain).hasSizeLessThan(10);
  }

  @Test
  void courtesiesOfManyLanguagesSayNothing() throws IOException {
    List<String> courtesies = lines("/quality/courtesies.txt");
    assertThat(courtesies).hasSize(33);
    assertThat(courtesies)
        .flatExtracting(line -> List.of(line.split("\\|", -1)))
        .allSatisfy(text -> assertThat(Query.says(text, reader)).as(text).isFalse());
  }

  private static List<String> lines(String name) throws IOException {
    try (InputStream file =
        Objects.requireNonNull(AskedFactsTest.class.getResourceAsStream(name))) {
      return List.of(new String(file.readAllBytes(), UTF_8).strip().split("\n", -1));
    }
  }

  /** As {@link Search#recall}. */
  private List<Integer> recalled(ThreadTerms thread, String text) {
    if (!Query.says(text, reader)) {
      return List.of();
    }
    Query query = Query.of(text, reader, TODAY);
    double share = Search.MIN_RECALL_SHARE;
    Ranking.Best best =
        Ranking.rank(List.of(thread), query, (of, role, time, seq) -> true, 20, share, false);
    double least = share * best.weights().ofOneMessage();
    return best.hits().stream()
        .map(Ranking.Ranked::message)
        .filter(hit -> query.information(thread.matched(hit, query), best.weights()) >= least)
        .toList();
  }

  /** Adds the facts of a language to messages, with what says nothing between them. */
  private static List<Fact> facts(List<String> language, List<String> messages) {
    List<String> nothing = nothing(language);
    List<Fact> facts = new ArrayList<>();
    for (String line : language.subList(1, language.size())) {
      String[] parts = line.substring("fact: ".length()).split(" \\| ", -1);
      facts.add(new Fact(messages.size(), parts[1]));
      messages.add(parts[0]);
      for (int i = 0; i < BETWEEN; i++) {
        messages.add(nothing.get((BETWEEN * facts.size() + i) % nothing.size()));
      }
    }
    return facts;
  }

  private static List<String> nothing(List<String> language) {
    return List.of(language.get(0).substring("nothing: ".length()).split("\\|", -1));
  }

  private ThreadTerms thread(List<String> texts) {
    SegmentWriter writer = new SegmentWriter(0, 0);
    MessageTerms terms = new MessageTerms(reader);
    for (int seq = 0; seq < texts.size(); seq++) {
      Instant time = FIRST.plus(Duration.ofHours(5L * seq));
      int count = terms.read(texts.get(seq), time);
      writer.add(seq, Roles.number("user"), time.toEpochMilli(), 0, terms.terms(), 0, count);
      writer.addWords(terms.longWords());
    }
    return ThreadTerms.EMPTY.plus(writer.toSegment());
  }

  private static Map<String, List<String>> languages() throws IOException {
    Map<String, List<String>> languages = new LinkedHashMap<>();
    List<String> lines = new ArrayList<>();
    for (String line : lines("/quality/asked.txt")) {
      if (line.startsWith("[")) {
        lines = new ArrayList<>();
        languages.put(line, lines);
      } else if (!line.startsWith("#")) {
        lines.add(line);
      }
    }
    return languages;
  }
}

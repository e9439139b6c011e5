package io.memorygateway.search;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RankingTest {
  private static final Instant FIRST = Instant.parse("2023-05-08T13:56:00Z");
  private static final Ranking.Filter ALL = (of, role, time, seq) -> true;

  private final TermReader reader = new TermReader();

  @Test
  void findsTheMessageWithTheRarestWordsFirst() {
    ThreadTerms thread =
        thread("I like tea.", "I like the violin.", "I like coffee.", "I like the piano.");
    assertThat(search(thread, "who likes the violin").get(0)).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({
    "I was running home, runs",
    "Ich habe die Häuser gesehen, haus",
    "Il a mangé des pommes, pomme",
    "Compré dos casas grandes, casa",
    "CAFÉ au lait, cafe",
    "東京へ行きました, 東京",
    "ผมไปตลาด, ตลาด",
    "Caroline's book, caroline"
  })
  void findsWordsInOtherForms(String text, String query) {
    ThreadTerms thread = thread("Nothing here.", text, "Nothing there.", "Else nothing.");
    assertThat(search(thread, query)).contains(1);
    assertThat(search(thread, query).get(0)).isEqualTo(1);
  }

  @Test
  void aHitIsAMessageThatMatchesAndItsNeighboursAreNone() {
    ThreadTerms thread =
        thread("Morning!", "What instrument is it?", "Cello, since I was six.", "Nice.");
    assertThat(search(thread, "instrument six")).containsExactlyInAnyOrder(1, 2);
    assertThat(search(thread, "instrument sixty")).containsExactly(1);
  }

  /** One rule for short messages and for long ones. */
  @ParameterizedTest
  @ValueSource(ints = {0, 20, 400})
  void aMessageCountsMoreBesideOneThatMatches(int words) {
    String more = " and so it went".repeat(words / 4);
    ThreadTerms thread =
        thread(
            "My violin is old." + more,
            "Else nothing." + more,
            "No tea." + more,
            "The violin is new." + more,
            "It came from Lyon." + more,
            "Else nothing." + more);
    assertThat(search(thread, "violin Lyon").subList(0, 2)).containsExactlyInAnyOrder(3, 4);
  }

  @Test
  void whatSaysLittleCountsLittle() {
    ThreadTerms thread =
        thread("I do. You do?", "A violin.", "I would.", "Where?", "Tea.", "Coffee.", "Bread.");
    assertThat(search(thread, "where would you do violin").get(0)).isEqualTo(1);
  }

  @Test
  void aSingleWordFindsOnlyWhatHoldsIt() {
    ThreadTerms thread = thread("I like tea.", "I saw a zebra.", "Where?", "A zebra again.", "Oh.");
    assertThat(search(thread, "zebras")).containsExactlyInAnyOrder(1, 3);
  }

  @Test
  void findsTheDayThatIsSpokenOf() {
    ThreadTerms thread = thread("Hello.", "I ran a race yesterday.", "Great.", "Bye.", "x", "y");
    // Said on May 8.
    assertThat(search(thread, "What happened on 7 May 2023?").get(0)).isEqualTo(1);
  }

  @Test
  void neighboursDoNotReachAcrossSegmentsOfOtherThreads() {
    ThreadTerms one = thread("violin");
    ThreadTerms other = thread("tea");
    List<Ranking.Ranked> hits =
        Ranking.best(
            List.of(one, other), Query.of("violin", reader, LocalDate.of(2026, 11, 20)), ALL, 10);
    assertThat(hits).extracting(Ranking.Ranked::thread).containsOnly(0);
  }

  @Test
  void anIndexThatGrewRanksLikeOneThatWasReadAtOnce() {
    String[] texts = new String[100];
    ThreadTerms grown = ThreadTerms.EMPTY;
    for (int i = 0; i < texts.length; i++) {
      texts[i] = "message " + i + (i % 7 == 0 ? " violin" : "") + (i % 11 == 0 ? " cello" : "");
      grown = grown.plus(segment(i, texts[i]));
    }
    ThreadTerms whole = ThreadTerms.EMPTY.plus(segment(0, texts));
    Query query = Query.of("violin or cello 42", reader, LocalDate.of(2026, 11, 20));
    assertThat(Ranking.best(List.of(grown), query, ALL, 20))
        .isEqualTo(Ranking.best(List.of(whole), query, ALL, 20));
    assertThat(grown.matched(77, query)).containsExactly("violin", "cello");
  }

  @Test
  void neighboursAreTheNearestMessagesThatAreThereAcrossSegments() {
    ThreadTerms thread =
        ThreadTerms.EMPTY
            .plus(segment(10, "a", "b", "c"))
            .plus(segment(20, "d"))
            .without(Set.of(11L))
            .plus(segment(30, "word ".repeat(100)));
    assertThat(thread.neighbours(0, 2))
        .extracting(ThreadTerms.Sized::seq)
        .containsExactly(12L, 20L);
    assertThat(thread.neighbours(2, 1))
        .extracting(ThreadTerms.Sized::seq)
        .containsExactly(12L, 30L);
    assertThat(thread.neighbours(2, 5))
        .extracting(ThreadTerms.Sized::seq)
        .containsExactly(12L, 30L, 10L);
    assertThat(thread.neighbours(3, 0)).isEmpty();
  }

  @Test
  void admitsOnlyWhatTheFilterDoes() {
    ThreadTerms thread = thread("violin", "violin", "violin");
    List<Ranking.Ranked> hits =
        Ranking.best(
            List.of(thread),
            Query.of("violin", reader, LocalDate.of(2026, 11, 20)),
            (of, role, time, seq) -> seq == 1,
            10);
    assertThat(hits).extracting(Ranking.Ranked::seq).containsExactly(1L);
  }

  @Test
  void anEmptyQueryFindsNothing() {
    assertThat(search(thread("violin"), " … !")).isEmpty();
  }

  private List<Integer> search(ThreadTerms thread, String query) {
    return Ranking.best(
            List.of(thread), Query.of(query, reader, LocalDate.of(2026, 11, 20)), ALL, 10)
        .stream()
        .map(Ranking.Ranked::message)
        .toList();
  }

  private ThreadTerms thread(String... texts) {
    return ThreadTerms.EMPTY.plus(segment(0, texts));
  }

  private Segment segment(long first, String... texts) {
    SegmentWriter writer = new SegmentWriter(0, 0);
    MessageTerms terms = new MessageTerms(reader);
    long seq = first;
    for (String text : texts) {
      int count = terms.read(text, FIRST.plusSeconds(seq));
      writer.add(seq, Roles.number("user"), FIRST.toEpochMilli() + seq, 0, terms.terms(), 0, count);
      seq++;
    }
    return writer.toSegment();
  }
}

package io.memorygateway.search;

import io.memorygateway.language.Language;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds in texts the sentences around what a query asks. A sentence counts by the words of the
 * query that it and the sentences beside it contain, each by its rarity among the messages
 * searched. Not safe for use by several threads at once.
 */
public final class Passages {
  /** Finds nothing: the beginning of a text is as good as any other part. */
  public static final Passages NONE = new Passages(null, new double[0], new TermReader());

  /** Characters of a text that are looked at. */
  private static final int MAX_CHARACTERS = 100_000;

  /** Characters; longer sentences are cut. */
  private static final int MAX_SENTENCE = 400;

  /** Weight of a word in the sentence before or after. */
  private static final double BESIDE = 0.5;

  private final @Nullable Query query;
  private final double[] weights;
  private final TermReader reader;

  private Language language = Language.ENGLISH;

  /**
   * @param reader that no other thread uses any more
   */
  Passages(@Nullable Query query, double[] weights, TermReader reader) {
    this.query = query;
    this.weights = weights;
    this.reader = reader;
  }

  /**
   * A sentence of a text, or a piece of a long one.
   *
   * @param score how well it fits; 0 for not at all
   */
  public record Sentence(int start, int end, double score) {}

  private record Word(String text, boolean spaced) {}

  /**
   * The sentences of a text, the best first, and equal ones in their order.
   *
   * @param tokens about the most that one has, one more at most; longer ones are cut
   */
  public List<Sentence> best(String text, int tokens) {
    List<Sentence> sentences = sentences(text, tokens);
    double[] own = query == null ? new double[sentences.size()] : own(text, sentences, query);
    List<Sentence> scored = new ArrayList<>();
    for (int i = 0; i < own.length; i++) {
      double before = i == 0 ? 0 : own[i - 1];
      double after = i + 1 == own.length ? 0 : own[i + 1];
      Sentence at = sentences.get(i);
      scored.add(new Sentence(at.start, at.end, own[i] + BESIDE * (before + after)));
    }
    scored.sort(Comparator.comparingDouble(Sentence::score).reversed());
    return scored;
  }

  /**
   * What each sentence tells by itself, its words taken in the language of the text, as they are
   * indexed; a text that is too short to tell it is taken to be in that of the last one.
   */
  private double[] own(String text, List<Sentence> sentences, Query asked) {
    List<List<Word>> words = new ArrayList<>();
    for (Sentence sentence : sentences) {
      List<Word> own = new ArrayList<>();
      reader.read(
          text.substring(sentence.start, sentence.end),
          (word, spaced) -> own.add(new Word(word, spaced)));
      words.add(own);
    }
    language = Language.of(words.stream().flatMap(List::stream).map(Word::text).toList(), language);
    return words.stream().mapToDouble(own -> told(own, asked)).toArray();
  }

  private double told(List<Word> words, Query asked) {
    boolean[] has = new boolean[weights.length];
    double told = 0;
    for (Word word : words) {
      int slot = asked.slot(reader.term(word.text, word.spaced, language));
      if (slot >= 0 && !has[slot]) {
        has[slot] = true;
        told += weights[slot];
      }
    }
    return told;
  }

  private static List<Sentence> sentences(String text, int tokens) {
    List<Sentence> sentences = new ArrayList<>();
    int end = Math.min(text.length(), MAX_CHARACTERS);
    int start = 0;
    int cut = 0;
    RoughTokens own = new RoughTokens();
    for (int i = 0; i < end; i++) {
      char c = text.charAt(i);
      own.add(c);
      cut = c == ' ' ? i : isComma(c) ? i + 1 : cut;
      boolean ends =
          c == '\n' || isFullStop(c) || (isStop(c) && i + 1 < end && text.charAt(i + 1) == ' ');
      boolean isFull = i + 1 - start >= MAX_SENTENCE || own.count() >= tokens;
      if (ends || i + 1 == end || (isFull && !Character.isHighSurrogate(c))) {
        int next = ends || i + 1 == end || cut <= start ? i + 1 : cut;
        add(text, start, next, sentences);
        start = next;
        i = next - 1;
        own = new RoughTokens();
      }
    }
    return sentences;
  }

  private static void add(String text, int start, int end, List<Sentence> sentences) {
    if (!text.substring(start, end).isBlank()) {
      sentences.add(new Sentence(start, end, 0));
    }
  }

  private static boolean isStop(char c) {
    return c == '.' || c == '!' || c == '?' || c == ';';
  }

  private static boolean isComma(char c) {
    return c == ',' || c == '，' || c == '、' || c == '；';
  }

  private static boolean isFullStop(char c) {
    return c == '。' || c == '！' || c == '？' || c == '।' || c == '؟';
  }
}

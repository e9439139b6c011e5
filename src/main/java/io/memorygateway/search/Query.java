package io.memorygateway.search;

import io.memorygateway.language.Language;
import io.memorygateway.language.RelativeDates;
import io.memorygateway.language.SmallWords;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/** Query of a search: distinct words, each with the forms in which messages may contain it. */
final class Query {
  /** Words of a query; more would not improve the result, and each costs time. */
  static final int MAX_WORDS = 64;

  /** Words of a long query that are the last of it. */
  private static final int LAST_WORDS = 40;

  /** Words of a phrase, by which it is told. */
  private static final int MAX_PHRASE = 16;

  private static final String NEXT_WORD = "\nq";

  /** Words that others may stand for; each costs a look at all longer words. */
  private static final int MAX_WIDENED = 8;

  /** Slots, far more than words × forms, so that most terms of messages hit a free slot first. */
  private static final int TABLE = 4096;

  private final int[] hashes = new int[TABLE];
  private final byte[] slots = new byte[TABLE]; // 0: free, otherwise the word's index + 1
  private final List<String> words = new ArrayList<>();
  private final TermReader reader;
  private final WordForms forms;
  private int filled;

  /** All terms that it asks for; empty where they are not yet listed. */
  private int[] terms = new int[0];

  /** What stands in quotes, all phrases after each other, a bit for each word of them. */
  private final long[] places = new long[MAX_WORDS];

  /** The words of each phrase, a bit for each. */
  private final List<Long> wordsOfPhrases = new ArrayList<>();

  private long firsts;
  private long lasts;
  private final int[] phraseOfLast = new int[Long.SIZE];

  private static final List<String> QUOTES =
      List.of("\"", "“", "”", "„", "«", "»", "「", "」", "『", "』");

  /** Characters of a query that are read. */
  static final int MAX_CHARACTERS = 10_000;

  /** Forms by which words are the same, before those of other languages and spellings. */
  private static final int OWN_FORMS =
      1 + EnumSet.range(Language.ENGLISH, Language.ROMANIAN).size();

  private Query(TermReader reader, WordForms forms) {
    this.reader = reader;
    this.forms = forms;
  }

  /** The query of a text, where none was before. */
  static Query of(String text, TermReader reader, LocalDate today) {
    return of(text, reader, today, new WordForms());
  }

  /**
   * The query of a text; if it is long, without its most frequent words.
   *
   * @param today the day that its relative dates are told from
   * @param forms of words, also of queries before
   */
  static Query of(String text, TermReader reader, LocalDate today, WordForms forms) {
    String read = text.substring(0, Math.min(text.length(), MAX_CHARACTERS));
    Map<String, Boolean> words = new LinkedHashMap<>();
    List<String> inOrder = words(read, reader, words);
    String written = withDigraphs(read);
    List<String> digraphs =
        written.equals(read) ? List.of() : words(written, reader, new HashMap<>());
    Map<String, String> spelled = new HashMap<>();
    for (int i = 0; i < inOrder.size() && digraphs.size() == inOrder.size(); i++) {
      spelled.put(inOrder.get(i), digraphs.get(i));
    }
    Query query = new Query(reader, forms);
    chosen(inOrder, words.size() > MAX_WORDS)
        .forEach(
            word ->
                query.add(
                    word,
                    query.forms(
                        word, words.getOrDefault(word, true), spelled.getOrDefault(word, word))));
    query.addPhrases(read, reader);
    Language language = Language.of(inOrder, Language.ENGLISH);
    if (inOrder.stream().anyMatch(word -> RelativeDates.isHint(word, language))) {
      RelativeDates.pastDates(read, language, today).forEach(query::addDate);
    }
    return query;
  }

  /**
   * The words that are searched for: of many those that are not frequent, and of too many the last,
   * where a question stands behind what it is about, and the first.
   */
  private static Set<String> chosen(List<String> inOrder, boolean isLong) {
    List<String> telling =
        inOrder.stream().filter(word -> !(isLong && WordForms.isFrequent(word))).toList();
    Set<String> some = new HashSet<>();
    for (int at = telling.size() - 1; at >= 0 && some.size() < LAST_WORDS; at--) {
      some.add(telling.get(at));
    }
    for (int at = 0; at < telling.size() && some.size() < MAX_WORDS; at++) {
      some.add(telling.get(at));
    }
    Set<String> chosen = new LinkedHashSet<>(telling);
    chosen.retainAll(some);
    return chosen;
  }

  /** Adds the days, or the month or year, that a relative date means. */
  private void addDate(String date) {
    Map<String, Boolean> named = new LinkedHashMap<>();
    words(date, reader, named);
    named.keySet().removeAll(List.of("week", "weekend", "of"));
    Optional<LocalDate> first =
        named.keySet().stream().filter(DateTerms::isDay).findFirst().map(LocalDate::parse);
    if (first.isPresent() && words.size() < MAX_WORDS) {
      int days = date.startsWith("weekend") ? 2 : date.startsWith("week") ? 7 : 1;
      int[] forms =
          IntStream.range(0, days)
              .mapToObj(first.get()::plusDays)
              .mapToInt(day -> TermReader.hash(day.toString()))
              .toArray();
      add(first.get().toString(), forms);
    } else if (first.isEmpty()) {
      named.forEach(
          (word, spaced) -> {
            if (words.size() < MAX_WORDS) {
              add(word, forms(word, spaced, word));
            }
          });
    }
  }

  /**
   * Lets other words stand for those that no message contains.
   *
   * @return whether there are such
   */
  boolean widen(IntPredicate isUnknown, WiderQuery wider) {
    boolean widened = false;
    int unknown = 0;
    for (int word = 0; word < words.size() && unknown < MAX_WIDENED; word++) {
      if (isUnknown.test(word)) {
        unknown++;
        for (String other : wider.instead(words.get(word))) {
          addForms(word, forms(other, true, other));
          widened = true;
        }
      }
    }
    return widened;
  }

  /** Adds what stands in quotes, of at least two words, as words of their own: in their order. */
  private void addPhrases(String text, TermReader reader) {
    String marked = text.replace('\n', ' ');
    for (String mark : QUOTES) {
      marked = marked.replace(mark, "\n");
    }
    String[] parts = marked.split("\n", -1);
    int place = 0;
    for (int i = 1; i + 1 < parts.length && words.size() < MAX_WORDS; i += 2) {
      // Other forms of its end stand behind the next word, as they do in messages.
      List<String> inOrder = words(parts[i] + NEXT_WORD, reader, new HashMap<>());
      int[] slots =
          inOrder.subList(0, inOrder.lastIndexOf(NEXT_WORD.strip())).stream()
              .mapToInt(words::indexOf)
              .filter(slot -> slot >= 0)
              .limit(MAX_PHRASE)
              .toArray();
      if (slots.length > 1 && place + slots.length <= Long.SIZE) {
        firsts |= 1L << place;
        long all = 0;
        for (int slot : slots) {
          places[slot] |= 1L << place++;
          all |= 1L << slot;
        }
        wordsOfPhrases.add(all);
        lasts |= 1L << (place - 1);
        phraseOfLast[place - 1] = words.size();
        words.add(parts[i]);
      }
    }
  }

  boolean hasPhrases() {
    return firsts != 0;
  }

  void countPhrases(int[] terms, int from, int to, int[] counts) {
    findPhrases(terms, from, to, word -> counts[word]++);
  }

  /** Adds the phrases of the query to the words that a message has, a bit for each. */
  long withPhrases(int[] terms, int from, int to, long words) {
    for (long phrase : wordsOfPhrases) {
      if ((words & phrase) == phrase) {
        long[] all = {words};
        findPhrases(terms, from, to, word -> all[0] |= 1L << word);
        return all[0];
      }
    }
    return words;
  }

  /** Finds all phrases at once: texts and queries may consist of one word that is repeated. */
  private void findPhrases(int[] terms, int from, int to, IntConsumer found) {
    long begun = 0;
    for (int i = from; i < to; i++) {
      int slot = slot(terms[i]);
      begun = slot < 0 ? 0 : (begun << 1 | firsts) & places[slot];
      for (long whole = begun & lasts; whole != 0; whole &= whole - 1) {
        found.accept(phraseOfLast[Long.numberOfTrailingZeros(whole)]);
      }
    }
  }

  private static List<String> words(String text, TermReader reader, Map<String, Boolean> words) {
    List<String> inOrder = new ArrayList<>();
    reader.read(
        text,
        (word, spaced) -> {
          words.putIfAbsent(word, spaced);
          inOrder.add(word);
          return true;
        });
    return inOrder;
  }

  private static String withDigraphs(String text) {
    return text.replace("ä", "ae")
        .replace("ö", "oe")
        .replace("ü", "ue")
        .replace("ø", "oe")
        .replace("Ä", "Ae")
        .replace("Ö", "Oe")
        .replace("Ü", "Ue")
        .replace("Ø", "Oe")
        .replace("å", "aa")
        .replace("Å", "Aa");
  }

  private int[] forms(String word, boolean spaced, String spelled) {
    return spaced ? forms.of(word, spelled, reader) : new int[] {TermReader.hash(word)};
  }

  private void add(String word, int[] forms) {
    for (int i = 0; i < Math.min(forms.length, OWN_FORMS); i++) {
      if (slot(forms[i]) >= 0) {
        return; // another form of a word that is in the query already
      }
    }
    words.add(word);
    addForms(words.size() - 1, forms);
  }

  private void addForms(int word, int[] forms) {
    for (int form : forms) {
      int at = tableIndex(form);
      if (slots[at] == 0 && filled < TABLE / 2) {
        filled++;
        hashes[at] = form;
        slots[at] = (byte) (word + 1);
      }
    }
  }

  private int tableIndex(int hash) {
    int at = hash & (TABLE - 1);
    while (slots[at] != 0 && hashes[at] != hash) {
      at = (at + 1) & (TABLE - 1);
    }
    return at;
  }

  /** The terms by which messages may have its words, ascending. */
  int[] terms() {
    if (terms.length != filled) {
      terms =
          IntStream.range(0, TABLE)
              .filter(at -> slots[at] != 0)
              .map(at -> hashes[at])
              .sorted()
              .toArray();
    }
    return terms;
  }

  /** The index of the word that a term belongs to; -1 if it belongs to none. */
  int slot(int term) {
    int at = term & (TABLE - 1);
    while (slots[at] != 0) {
      if (hashes[at] == term) {
        return slots[at] - 1;
      }
      at = (at + 1) & (TABLE - 1);
    }
    return -1;
  }

  /** Whether a text says something: a greeting does not, nor a smiley. */
  static boolean says(String text, TermReader reader) {
    List<String> words = words(SmallWords.withoutUnspaced(text), reader, new HashMap<>());
    return SmallWords.withoutPhrases(words).stream()
        .anyMatch(
            word -> Character.isLetterOrDigit(word.codePointAt(0)) && !SmallWords.contains(word));
  }

  /** How much all words tell together, those that say something by themselves. */
  double information(WordWeights weights) {
    return information(words, weights);
  }

  /** How much some of the words tell together. */
  double information(List<String> some, WordWeights weights) {
    double sum = 0;
    for (String word : some) {
      sum += SmallWords.contains(word) ? 0 : weights.telling()[words.indexOf(word)];
    }
    return sum;
  }

  int size() {
    return words.size();
  }

  String word(int index) {
    return words.get(index);
  }
}

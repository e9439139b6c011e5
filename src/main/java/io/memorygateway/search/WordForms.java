package io.memorygateway.search;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.memorygateway.language.Language;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The terms by which messages may have a word: its stem in each language, and those of its other
 * spellings. Those of the words that were asked for last are kept, unless they are long: to stem
 * one in all languages takes longer than to look for it.
 */
final class WordForms {
  private static final long MAX_BYTES = 8 << 20;

  /** Characters; longer words are not asked for again. */
  private static final int MAX_CHARACTERS = 64;

  /** Bytes of a word that is kept, besides its characters and terms. */
  private static final int OVERHEAD = 200;

  /** Without those that are words of English or frequent ones of others: due, once, cent, sei. */
  private static final String NUMBERS =
      """
      2 two zwei deux dos dois twee два dwa dva iki اثنان दो/3 three drei trois tres tre drie три trzy ثلاثة ثلاث तीन/
      4 four vier quatre cuatro quattro quatro четыре чотири cztery ctyri fyra اربعة اربع चार/
      5 five funf cinq cinco cinque vijf пять п'ять piec fem خمسة خمس पांच/
      6 six sechs seis zes шесть шість szesc sest alti ستة ست छह/
      7 seven sieben sept siete sette sete zeven семь сім siedem sedm sju سبعة سبع सात/
      8 eight acht huit ocho oito восемь вісім osiem osm sekiz ثمانية ثمان आठ/
      9 nine neun neuf nueve nove negen девять дев'ять dziewiec devet nio dokuz تسعة تسع नौ/
      10 ten zehn dix diez dieci dez tien десять dziesiec deset عشرة عشر दस/
      11 eleven elf onze undici одиннадцать/12 twelve zwolf douze doce dodici doze twaalf двенадцать/
      13 thirteen dreizehn treize trece/14 fourteen vierzehn quatorze catorce/
      15 fifteen funfzehn quinze quince quindici vijftien пятнадцать/16 sixteen sechzehn/
      17 seventeen siebzehn dixsept diecisiete diciassette zeventien/18 eighteen achtzehn dixhuit dieciocho diciotto achttien/
      19 nineteen neunzehn dixneuf diecinueve diciannove/20 twenty zwanzig vingt veinte venti vinte twintig двадцать/
      30 thirty dreissig trente treinta trenta тридцать/40 forty vierzig quarante cuarenta quaranta сорок/
      50 fifty funfzig cinquante cincuenta cinquanta пятьдесят/60 sixty sechzig soixante sesenta sessanta/
      70 seventy siebzig setenta settanta/80 eighty achtzig ochenta ottanta/90 ninety neunzig noventa novanta/
      100 hundred hundert cien cento honderd сто/1000 thousand tausend mille mil duizend тысяча/
      1st first/2nd second/3rd third/4th fourth/5th fifth/6th sixth/7th seventh/8th eighth/9th ninth/10th tenth""";

  private static final String[] TENS =
      "twenty thirty forty fifty sixty seventy eighty ninety".split(" ", -1);

  private static final String[] UNITS =
      "one two three four five six seven eight nine".split(" ", -1);

  /** Numbers and their names, of which messages may have either. */
  private static final Map<String, List<String>> SPELLINGS = spellings();

  private static Map<String, List<String>> spellings() {
    Map<String, List<String>> spellings = new HashMap<>();
    for (String line : NUMBERS.split("/", -1)) {
      List<String> names = List.of(line.strip().split(" ", -1));
      spellings.put(names.get(0), names.subList(1, names.size()));
      names.stream().skip(1).forEach(name -> spellings.put(name, names.subList(0, 1)));
    }
    for (int number = 21; number < 100; number++) {
      if (number % 10 > 0) {
        // As English joins them with a hyphen.
        String name = TENS[number / 10 - 2] + UNITS[number % 10 - 1];
        spellings.put(name, List.of(Integer.toString(number)));
        spellings.put(Integer.toString(number), List.of(name));
      }
    }
    return spellings;
  }

  private record Key(String word, String spelled) {}

  private final Cache<Key, int[]> kept =
      Caffeine.newBuilder()
          .maximumWeight(MAX_BYTES)
          .weigher(
              (Key key, int[] terms) ->
                  OVERHEAD
                      + 2 * (key.word.length() + key.spelled.length())
                      + Integer.BYTES * terms.length)
          .build();

  /**
   * The terms of a word.
   *
   * @param spelled the same word with digraphs for its umlauts
   */
  int[] of(String word, String spelled, TermReader reader) {
    if (Math.max(word.length(), spelled.length()) > MAX_CHARACTERS) {
      return read(word, spelled, reader);
    }
    Key key = new Key(word, spelled);
    int[] known = kept.getIfPresent(key);
    if (known == null) {
      known = read(word, spelled, reader);
      kept.put(key, known);
    }
    return known;
  }

  private static int[] read(String word, String spelled, TermReader reader) {
    Set<String> spellings = new LinkedHashSet<>(List.of(word, spelled));
    spellings.addAll(SPELLINGS.getOrDefault(word, List.of()));
    if (word.length() > 3 && !isFrequent(word)) {
      spellings.add(word.replace("ae", "a").replace("oe", "o").replace("ue", "u"));
    }
    Language[] languages = Language.values();
    // A word itself as well: Hebrew may have lost a prefix, which is a letter of the word here.
    int[] forms = new int[spellings.size() * (languages.length + 1)];
    int count = 0;
    for (String spelling : spellings) {
      forms[count++] = TermReader.hash(spelling);
      for (Language language : languages) {
        forms[count++] = reader.term(spelling, true, language);
      }
    }
    return forms;
  }

  /** Whether a word is among the most frequent ones of a language. */
  static boolean isFrequent(String word) {
    for (Language language : Language.values()) {
      if (language.isFrequent(word)) {
        return true;
      }
    }
    return false;
  }
}

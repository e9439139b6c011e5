package io.memorygateway.language;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.tartarus.snowball.SnowballStemmer;
import org.tartarus.snowball.ext.ArabicStemmer;
import org.tartarus.snowball.ext.DanishStemmer;
import org.tartarus.snowball.ext.DutchStemmer;
import org.tartarus.snowball.ext.EnglishStemmer;
import org.tartarus.snowball.ext.FinnishStemmer;
import org.tartarus.snowball.ext.FrenchStemmer;
import org.tartarus.snowball.ext.GermanStemmer;
import org.tartarus.snowball.ext.GreekStemmer;
import org.tartarus.snowball.ext.HindiStemmer;
import org.tartarus.snowball.ext.HungarianStemmer;
import org.tartarus.snowball.ext.ItalianStemmer;
import org.tartarus.snowball.ext.PortugueseStemmer;
import org.tartarus.snowball.ext.RomanianStemmer;
import org.tartarus.snowball.ext.RussianStemmer;
import org.tartarus.snowball.ext.SpanishStemmer;
import org.tartarus.snowball.ext.SwedishStemmer;
import org.tartarus.snowball.ext.TamilStemmer;

/**
 * Stems words by the Snowball rules of their language, or by a list of its endings. Not safe for
 * use by several threads at once.
 */
public final class Stems {
  /** Words that Hebrew writes together with the next one: and, in, the, as, to, from, that. */
  private static final String HEBREW_PREFIXES = "ובהכלמש";

  /** Those of many, and of women and things that are told as such, the longest first. */
  private static final List<String> HEBREW_ENDINGS = List.of("יות", "ים", "ות", "ית", "ה");

  /**
   * Endings of words as they are compared, without accents, each with one that the rules of their
   * language know: where these want the accent, or American spelling, forms of a word would else
   * have other stems.
   */
  private static final Map<Language, String[]> RESPELLED =
      Map.of(
          Language.ENGLISH,
              endings(
                  "ise ize ised ized ises izes ising izing isation ization isations izations yse yze ysed yzed ysing yzing"),
          Language.FRENCH, endings("ees e ee e"),
          Language.SPANISH, endings("iones ion ces z"),
          Language.PORTUGUESE, endings("oes ao aes ao ais al eis el ois ol uis ul il el ns m"),
          Language.GERMAN,
              endings(
                  "ierungen ieren ierung ieren ierten ieren ierter ieren iertes ieren iertem ieren ierte ieren iert ieren"),
          Language.FINNISH, endings("nen sen"));

  /** The same of Cyrillic, where accents of letters are left out too, and of Arabic. */
  private static final String[] CYRILLIC = endings("ыи ый ои ой еи ей ии ий");

  private static final String[] ARABIC = endings("تكم ة تهم ة تها ة تنا ة تي ة تك ة ته ة ات ة");

  /** Endings of stems that are one word with others. */
  private static final Map<Language, String[]> JOINED =
      Map.of(
          Language.ENGLISH, endings("our or"),
          Language.DUTCH, endings("z s v f"),
          Language.TURKISH, endings("g k b p d t"));

  /**
   * The article of Arabic, also with and, with, then, like, for: some words lose more with it than
   * without.
   */
  private static final List<String> ARABIC_ARTICLES =
      List.of("وال", "بال", "فال", "كال", "ال", "لل");

  /** Letters that an ending or an article leaves at least. */
  private static final int LEFT_LETTERS = 3;

  /**
   * Endings of languages without Snowball rules, as words are compared: without accents. Lucene's
   * stemmer of Polish wants the accents, and joins fewer forms even with them. Their stems are told
   * from words of other languages, as some of these end likewise.
   */
  private static final Map<Language, String[]> ENDINGS =
      Map.of(
          Language.POLISH,
          endings(
              """
              owaniami owaniach owaniem owania owaniu owanie iejszych ejszych iejszy ejszy iejsza ejsza iejsze ejsze
              owego owemu owych owymi alismy ilismy ylismy alem alam ilem ilam ales alas iles ilas owie ami iami iach
              ach iego ego iemu emu imi ymi iom om owi owa owy owe iej ej ow ali aly ala alo al ili ily ila ilo il yli
              yla ylo yl iec acie icie ecie asz isz ysz esz amy imy ymy emy am em uje uja ujesz ujemy ac ic yc iem ia
              ie iu ii ym im ych ich aja ieja a e i o u y"""),
          Language.CZECH,
          endings(
              """
              ami emi ich ych imi ymi eho emu ovi ove eta ech ach atum um om em es ou mi ho mu ym im al ala ali alo il
              ila ili ilo el ela eli ujes ujeme uju uje uji ovat ovala oval at it et am as ame ime is i a e o u y"""),
          Language.UKRAINIAN,
          endings(
              """
              ами ями ах ях ові еві єві ові ом ем єм ім им ого ього ому ьому ими іми ою ею єю оі іи ии ів ев єв а я у
              ю о е є і и ь ам ям ати яти ити іти ув ала яла ила іла ав яв ив али яли или іли ало яло ило іло аю яю уєм
              уємо ємо емо имо імо аєш уєш еш єш иш іш ає ує ить ають ують ять уть ють ість істю ости ості ння нню
              нням"""),
          Language.TURKISH,
          endings(
              """
              lar ler lari leri im um m imiz umuz miz muz in un iniz unuz niz nuz si su i u a e da de ta te dan den tan
              ten ya ye yi yu nin nun la le yla yle ki ca ce mak mek ma me di du ti tu dim dum tim tum din dun tin tun
              dik duk tik tuk diniz dunuz tiniz tunuz diler dular tiler tular iyor uyor yor iyorum uyorum yorum iyoruz
              uyoruz yoruz iyorsun uyorsun iyorlar uyorlar acak ecek acagim ecegim acagiz ecegiz mis mus misim musum
              mistir mustur digim dugum tigim tugum lik luk ligi lugu sinda sinde sini sinin sina sine nda nde ndan
              nden ina ine ini unu una une"""));

  /** The same of Bengali, whose words have several. */
  private static final String[] BENGALI =
      endings("গুলো গুলি রা েরা দের েদের কে ের র ে তে েতে টি টা খানা য় য়ে");

  private static final String[] NONE = {};

  /** Nouns of German and Dutch that end like verbs, and would be other words without that. */
  private static final Set<String> NOUNS =
      Set.of(
          endings("markt gesicht gewicht gericht geschaft gedicht gerucht geschlecht beeld hoofd"));

  /** Forms of words that no rule tells, with the word of which they are. */
  private static final Map<Language, Map<String, String>> IRREGULAR = irregular();

  private final Map<Language, SnowballStemmer> byLanguage = new EnumMap<>(Language.class);

  /** Of scripts that one language is taken to have, the stemmer of that. */
  private final Map<Script, SnowballStemmer> byScript =
      Map.of(
          Script.CYRILLIC, new RussianStemmer(),
          Script.ARABIC, new ArabicStemmer(),
          Script.GREEK, new GreekStemmer(),
          Script.DEVANAGARI, new HindiStemmer(),
          Script.TAMIL, new TamilStemmer());

  /** Scripts whose words are stemmed whatever the language is, by the first letter of a word. */
  private enum Script {
    GREEK('\u0370', '\u03ff'),
    CYRILLIC('\u0400', '\u04ff'),
    HEBREW('\u05d0', '\u05ea'),
    ARABIC('\u0620', '\u064a'),
    DEVANAGARI('\u0900', '\u097f'),
    BENGALI('\u0980', '\u09ff'),
    TAMIL('\u0b80', '\u0bff'),
    OTHER('\0', '\uffff');

    private static final List<Script> ALL = List.of(values());

    private final char first;
    private final char last;

    Script(char first, char last) {
      this.first = first;
      this.last = last;
    }

    static Script of(String word) {
      char letter = word.isEmpty() ? 0 : word.charAt(0);
      for (Script each : ALL) {
        if (letter >= each.first && letter <= each.last) {
          return each;
        }
      }
      return OTHER;
    }
  }

  public Stems() {
    byLanguage.put(Language.ENGLISH, new EnglishStemmer());
    byLanguage.put(Language.GERMAN, new GermanStemmer());
    byLanguage.put(Language.FRENCH, new FrenchStemmer());
    byLanguage.put(Language.SPANISH, new SpanishStemmer());
    byLanguage.put(Language.ITALIAN, new ItalianStemmer());
    byLanguage.put(Language.DUTCH, new DutchStemmer());
    byLanguage.put(Language.PORTUGUESE, new PortugueseStemmer());
    byLanguage.put(Language.SWEDISH, new SwedishStemmer());
    byLanguage.put(Language.FINNISH, new FinnishStemmer());
    byLanguage.put(Language.DANISH, new DanishStemmer());
    byLanguage.put(Language.HUNGARIAN, new HungarianStemmer());
    byLanguage.put(Language.ROMANIAN, new RomanianStemmer());
  }

  private static Map<Language, Map<String, String>> irregular() {
    Map<Language, Map<String, String>> irregular = new EnumMap<>(Language.class);
    Map<String, String> forms = new HashMap<>();
    for (String line : WordTable.read("/language/irregular.txt").split("\n", -1)) {
      if (line.startsWith("[")) {
        forms = new HashMap<>();
        irregular.put(Language.valueOf(line.substring(1, line.length() - 1)), forms);
      } else {
        for (String word : line.split("/", -1)) {
          String[] of = word.split(" ", -1);
          for (int i = 1; i < of.length; i++) {
            forms.put(of[i], of[0]);
          }
        }
      }
    }
    return irregular;
  }

  private static String[] endings(String listed) {
    return listed.replace('\n', ' ').split(" ", -1);
  }

  /** Whether words like this one are stemmed in a language. */
  public static boolean has(String word, Language language) {
    return language != Language.OTHER || Script.of(word) != Script.OTHER;
  }

  /**
   * The stem of a word in lower case: in the scripts of Greek, Arabic, Hindi, Bengali and Tamil by
   * the rules of these, whatever the language, in Cyrillic by those of Russian where the language
   * is not Ukrainian; in the script of Hebrew without an ending and prefixes of a letter; in Latin
   * script the word itself in other languages.
   */
  public String of(String word, Language language) {
    Script script = Script.of(word);
    if (script == Script.HEBREW) {
      return hebrew(word);
    }
    if (script == Script.BENGALI) {
      return without(BENGALI, word, 2, true);
    }
    if (word.length() < 3 || word.length() > 40) {
      return word;
    }
    String[] endings = ENDINGS.get(language);
    if (endings != null && (script == Script.CYRILLIC) == (language == Language.UKRAINIAN)) {
      boolean isTurkish = language == Language.TURKISH;
      return language + " " + joined(without(endings, word, LEFT_LETTERS, isTurkish), language);
    }
    SnowballStemmer ofScript = byScript.get(script);
    SnowballStemmer stemmer = ofScript == null ? byLanguage.get(language) : ofScript;
    if (stemmer == null) {
      return word;
    }
    String plain =
        switch (script) {
          case CYRILLIC -> respelled(word, 1, CYRILLIC);
          case ARABIC -> respelled(withoutArticle(word), LEFT_LETTERS, ARABIC);
          default ->
              respelled(
                  regular(word, IRREGULAR.getOrDefault(language, Map.of())),
                  2,
                  RESPELLED.getOrDefault(language, NONE));
        };
    stemmer.setCurrent(plain);
    // Of some short words of Greek nothing is left.
    boolean isStemmed = stemmer.stem() && !stemmer.getCurrent().isEmpty();
    return joined(isStemmed ? stemmer.getCurrent() : plain, language);
  }

  /** The word of which this is a form, or several of one ({@code shots}, of what was shot). */
  private static String regular(String word, Map<String, String> forms) {
    String known = forms.get(word);
    if (known == null && word.endsWith("s")) {
      known = forms.get(word.substring(0, word.length() - 1));
    }
    return known == null ? word : known;
  }

  /** A word without an ending and the prefixes, of which some are letters of the word itself. */
  private static String hebrew(String word) {
    int end =
        HEBREW_ENDINGS.stream()
            .filter(ending -> word.endsWith(ending))
            .map(ending -> word.length() - ending.length())
            .filter(left -> left >= LEFT_LETTERS)
            .findFirst()
            .orElse(word.length());
    int start = 0;
    while (end - start > LEFT_LETTERS && HEBREW_PREFIXES.indexOf(word.charAt(start)) >= 0) {
      start++;
    }
    return word.substring(start, end);
  }

  /** A word with the first ending of some that it has as that is spelled, if enough is left. */
  private static String respelled(String word, int left, String[] spellings) {
    for (int i = 0; i < spellings.length; i += 2) {
      int end = word.length() - spellings[i].length();
      if (end >= left && word.endsWith(spellings[i])) {
        return word.substring(0, end) + spellings[i + 1];
      }
    }
    return word;
  }

  private static String joined(String stem, Language language) {
    String rest =
        language == Language.GERMAN || language == Language.DUTCH
            ? withoutParticiple(stem, language == Language.DUTCH)
            : stem;
    return respelled(rest, LEFT_LETTERS, JOINED.getOrDefault(language, NONE));
  }

  /** A stem of German or Dutch without the t or d of verbs, and the ge of their participles. */
  private static String withoutParticiple(String stem, boolean isDutch) {
    int end = stem.length() - 1;
    boolean isVerb = stem.charAt(end) == 't' || (isDutch && stem.charAt(end) == 'd');
    if (!isVerb || end <= LEFT_LETTERS || isVowel(stem.charAt(end - 1)) || NOUNS.contains(stem)) {
      return stem;
    }
    boolean isParticiple = stem.startsWith("ge") && end > LEFT_LETTERS + 2;
    String verb = stem.substring(isParticiple ? 2 : 0, end);
    int last = verb.length() - 1;
    boolean isLong = isDutch && last > 2 && verb.charAt(last - 1) == verb.charAt(last - 2);
    String rest = isLong ? verb.substring(0, last - 1) + verb.charAt(last) : verb;
    return SmallWords.contains(rest) ? stem : rest; // Nacht is not nach, and maand not man.
  }

  private static boolean isVowel(char c) {
    return "aeiouy".indexOf(c) >= 0;
  }

  /** Whether an ending of Turkish is often part of the word itself. */
  private static boolean isOften(String ending) {
    return ending.length() > 2 && "dmnt".indexOf(ending.charAt(0)) >= 0;
  }

  /** A word without its ending; of a language of which words have several, without all. */
  private static String without(String[] endings, String word, int least, boolean several) {
    String rest = word;
    String before;
    do {
      before = rest;
      rest = withoutLongest(endings, before, least, several);
    } while (several && rest.length() < before.length());
    return rest;
  }

  private static String withoutLongest(String[] endings, String word, int least, boolean several) {
    int left = word.length();
    for (String ending : endings) {
      if (word.endsWith(ending)) {
        int length = word.length() - ending.length();
        int kept = least + (several && isOften(ending) ? 1 : 0);
        left = length < kept ? left : Math.min(left, length);
      }
    }
    return word.substring(0, left);
  }

  private static String withoutArticle(String word) {
    return ARABIC_ARTICLES.stream()
        .filter(article -> word.startsWith(article))
        .filter(article -> word.length() - article.length() >= LEFT_LETTERS - 1)
        .findFirst()
        .map(article -> word.substring(article.length()))
        .orElse(word);
  }
}

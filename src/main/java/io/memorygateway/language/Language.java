package io.memorygateway.language;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The languages whose words are stemmed, and of some the relative dates understood, recognised by
 * their most frequent words. Texts of any other language are {@link #OTHER}.
 */
public enum Language {
  ENGLISH(
      "the and you that was for are with his they this have from what how did does is it to of i my"
          + " we been it's i'm at had her she he our me your on"),
  GERMAN(
      "der die und den das nicht ist ich wir ein eine mit auf für fur sie zu dem des auch wie hat"
          + " habe von im mein meine war bin er du hat hast was sind den ihr noch kein"),
  FRENCH(
      "le la les et est une des du je nous vous pas que qui dans pour avec sur au ce mon ma mes"
          + " j'ai c'est elle il suis ai un ne en de tu rien"),
  SPANISH(
      "el los las y es una del que en por con para como mi muy pero su se lo no un yo nos esta está"
          + " fue al la me he de"),
  ITALIAN(
      "il di che non è per con sono ho del della una mi ma anche nel alla gli questo ha ci si sei dei"
          + " le due al un si se ne"),
  DUTCH(
      "de het een en ik dat niet je zijn op te voor aan maar heb mijn wij bij ook naar hebben wordt"
          + " nog deze"),
  PORTUGUESE(
      "os não nao uma da dos das em para com que eu você voce meu minha foi mais por se na ao são sao"
          + " está um tem"),
  SWEDISH(
      "och att det som en på pa är jag inte med har till av ett ska kan mitt vi min om så när från"
          + " vad hur hon efter eller också mycket"),
  FINNISH(
      "ja ei että etta oli ovat mutta kun olen minä mina hän mitä mita nyt kuin tämä tama minun olemme"
          + " kanssa joka jos sitten vain vielä olivat mikä missä"),
  TURKISH(
      "ve bir bu için icin çok cok ama var yok gibi daha olarak sonra benim bana değil degil ben kadar"
          + " ile dün bugün ki oldu olan şey"),
  /** And Norwegian, which has the same endings. */
  DANISH(
      "og jeg ikke det er på pa til af av en et som med har vi de du kan mig meg min mitt hun"
          + " blev ble meget mye hvad hva hvor når nar også ogsa været vært fra nu nå skal efter etter mit"),
  HUNGARIAN(
      "az és nem hogy egy van volt meg már ezt azt mert csak én ő mi lesz vagy kell nagyon nekem még ez"
          + " mar en"),
  ROMANIAN(
      "și si nu este sunt pe din cu pentru ce ai mai la să sa fost dar când cand unde cum eu meu mea"
          + " foarte într-o un o îmi imi în"),
  POLISH(
      "nie się sie jest na że ze jak mam był byl była byla co od po dla czy już juz mój moj moja"
          + " przez przy ale są jestem tak tylko bardzo gdzie"),
  CZECH(
      "se je na že ze ne jsem jsme mám mam má jak ale pro byl byla bylo co od po už uz můj muj moje"
          + " také jsou mě která ktera který ktery velmi jsi jestli kde"),
  /** By words that Russian does not have. */
  UKRAINIAN(
      "й що це як з ви він вона вони є був була були мені моя мій мии від але також дуже ще вже щоб"
          + " якщо або її іі його иого є і"),
  OTHER("");

  /** The most words that are examined. */
  private static final int MAX_WORDS = 200;

  private static final Map<String, Set<Language>> BY_WORD = byWord();

  private final String frequent;

  Language(String frequent) {
    this.frequent = frequent;
  }

  private static Map<String, Set<Language>> byWord() {
    Map<String, Set<Language>> byWord = new HashMap<>();
    for (Language language : values()) {
      for (String word : language.frequent.split(" ", -1)) {
        byWord.computeIfAbsent(word, key -> EnumSet.noneOf(Language.class)).add(language);
      }
    }
    return byWord;
  }

  /**
   * The language of a text.
   *
   * @param words in lower case
   * @param unclear the result if the words do not decide
   */
  public static Language of(List<String> words, Language unclear) {
    Map<Language, Integer> hits = new EnumMap<>(Language.class);
    for (String word : words.subList(0, Math.min(words.size(), MAX_WORDS))) {
      for (Language language : BY_WORD.getOrDefault(word, Set.of())) {
        hits.merge(language, 1, Integer::sum);
      }
    }
    Language best = OTHER;
    int max = 0;
    boolean tie = true;
    for (Map.Entry<Language, Integer> language : hits.entrySet()) {
      if (language.getValue() > max) {
        best = language.getKey();
        max = language.getValue();
        tie = max < 2 && isAmbiguous(best);
      } else if (language.getValue() == max) {
        tie = true;
      }
    }
    return tie ? unclear : best;
  }

  /** Whether many of its frequent words are words of other languages, so that one tells nothing. */
  private static boolean isAmbiguous(Language language) {
    return language.compareTo(DANISH) >= 0 && language.compareTo(CZECH) <= 0;
  }

  /** Whether a word in lower case is among the most frequent ones of this language. */
  public boolean isFrequent(String word) {
    return BY_WORD.getOrDefault(word, Set.of()).contains(this);
  }
}

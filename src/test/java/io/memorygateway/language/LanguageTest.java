package io.memorygateway.language;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LanguageTest {

  @ParameterizedTest
  @CsvSource({
    "ENGLISH, i went to the market and bought the bread that you like",
    "GERMAN, ich war auf dem markt und habe das brot für dich nicht gefunden",
    "FRENCH, je suis allé au marché pour acheter le pain que vous aimez",
    "SPANISH, fui al mercado para comprar el pan que te gusta y no lo encontré",
    "SWEDISH, hon köpte mycket mjölk när butiken öppnade om morgonen",
    "FINNISH, lapset olivat pihalla kanssa isän joka vain nukkui",
    "TURKISH, dün kardeşim ile bahçede oldu her şey",
    "DANISH, jeg har ikke set hvad der skete efter mødet",
    "DANISH, jeg har ikke sett hva som skjedde etter møtet",
    "HUNGARIAN, nem tudom hogy hol van az új könyv és a kulcs",
    "ROMANIAN, nu știu unde este cartea și cheia pentru ușă",
    "POLISH, nie wiem gdzie jest książka i czy już ją mam",
    "CZECH, nevím kde je kniha a jestli ji už mám ale byla tu",
    "UKRAINIAN, я не знаю де книга але вона вже була тут",
    "GERMAN, hast du den film gesehen",
    "GERMAN, kennst du den weg",
    "OTHER, run jest",
    "CZECH, kde mám pas",
    "DANISH, hvor er mit pas",
    "POLISH, gdzie jest pas",
    "OTHER, les som du vil",
    "FRENCH, je ne sais pas",
    "ENGLISH, i ran a race yesterday",
    "ENGLISH, what do i have to do to be there at ten",
    "ENGLISH, i care most for what is to be done to me",
    "OTHER, я не знаю где книга но она уже была здесь"
  })
  void isToldByItsFrequentWords(Language language, String text) {
    assertThat(Language.of(words(text), Language.OTHER)).isEqualTo(language);
  }

  @Test
  void whereWordsDoNotTellTheGivenOneIsTaken() {
    assertThat(Language.of(List.of("tokyo", "2023"), Language.FRENCH)).isEqualTo(Language.FRENCH);
    assertThat(Language.of(List.of(), Language.OTHER)).isEqualTo(Language.OTHER);
  }

  private static List<String> words(String text) {
    return List.of(text.toLowerCase(Locale.ROOT).split(" "));
  }
}

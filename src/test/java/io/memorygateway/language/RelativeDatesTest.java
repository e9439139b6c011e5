package io.memorygateway.language;

import static org.assertj.core.api.Assertions.assertThat;

import java.text.Normalizer;
import java.time.LocalDate;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RelativeDatesTest {
  /** A Monday. */
  private static final LocalDate WRITTEN_ON = LocalDate.of(2023, 5, 8);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ENGLISH | I went there yesterday.      | I went there yesterday [May 7].
          ENGLISH | I go today.                  | I go today.
          ENGLISH | in 9 months                  | in 9 months [February 2024]
          ENGLISH | next year or this year       | next year [2024] or this year [2023]
          ENGLISH | Last night was great.        | Last night [May 7] was great.
          ENGLISH | the day before yesterday     | the day before yesterday [May 6]
          ENGLISH | See you tomorrow!            | See you tomorrow [May 9]!
          ENGLISH | We met last Friday.          | We met last Friday [May 5].
          ENGLISH | We met last Fri.             | We met last Fri [May 5].
          ENGLISH | We met last Monday.          | We met last Monday [May 1].
          ENGLISH | next Monday                  | next Monday [May 15]
          ENGLISH | I ran last week.             | I ran last week [week of May 1].
          ENGLISH | two weekends ago             | two weekends ago [weekend of April 29]
          ENGLISH | last month                   | last month [April]
          ENGLISH | I moved three years ago      | I moved three years ago [2020]
          ENGLISH | 10 days ago                  | 10 days ago [April 28]
          ENGLISH | a month ago                  | a month ago [April]
          ENGLISH | in two weeks                 | in two weeks [week of May 22]
          ENGLISH | in ſeven days                | in ſeven days [May 15]
          ENGLISH | next ſunday                  | next ſunday [May 14]
          ENGLISH | fİve days ago                | fİve days ago [May 3]
          GERMAN  | Gestern war ich dort.        | Gestern [May 7] war ich dort.
          GERMAN  | vor zwei Wochen              | vor zwei Wochen [week of April 24]
          GERMAN  | letzten Freitag              | letzten Freitag [May 5]
          GERMAN  | nächstes Jahr                | nächstes Jahr [2024]
          GERMAN  | Guten Morgen!                | Guten Morgen!
          FRENCH  | Je l'ai vu hier.             | Je l'ai vu hier [May 7].
          FRENCH  | la semaine dernière          | la semaine dernière [week of May 1]
          FRENCH  | il y a trois mois            | il y a trois mois [February]
          SPANISH | Ayer fui al cine.            | Ayer [May 7] fui al cine.
          SPANISH | hace dos años                | hace dos años [2021]
          SPANISH | el lunes pasado              | el lunes pasado [May 1]
          SPANISH | por la mañana                | por la mañana
          ITALIAN | Ci siamo visti lunedì scorso | Ci siamo visti lunedì scorso [May 1]
          ITALIAN | due settimane fa             | due settimane fa [week of April 24]
          PORTUGUESE | Foi na semana passada     | Foi na semana passada [week of May 1]
          PORTUGUESE | há três meses             | há três meses [February]
          DUTCH   | afgelopen vrijdag            | afgelopen vrijdag [May 5]
          DUTCH   | drie dagen geleden           | drie dagen geleden [May 5]
          OTHER   | Я был там вчера.             | Я был там вчера [May 7].
          OTHER   | Через две недели             | Через две недели [week of May 22]
          OTHER   | Неделю назад                 | Неделю назад [week of May 1]
          ENGLISH | كنت هناك قبل ثلاثة أيام       | كنت هناك قبل ثلاثة أيام [May 5]
          OTHER   | الأسبوع الماضي                | الأسبوع الماضي [week of May 1]
          OTHER   | पिछले साल                       | पिछले साल [2022]
          OTHER   | 我上周二去了                       | 我上周二 [May 2]去了
          OTHER   | 兩個星期前                        | 兩個星期前 [week of April 24]
          OTHER   | 大前天、前天和昨天                   | 大前天 [May 5]、前天 [May 6]和昨天 [May 7]
          OTHER   | 二十五天前                        | 二十五天前
          OTHER   | 来週の金曜日に会う                   | 来週の金曜日 [May 19]に会う
          OTHER   | ３日前に行った                     | ３日前 [May 5]に行った
          OTHER   | 지난주 금요일에 갔어요               | 지난주 금요일 [May 5]에 갔어요
          OTHER   | 두 달 전에                       | 두 달 전 [March]에
          OTHER   | I went there yesterday.      | I went there yesterday.
          """)
  void namesTheDateThatIsMeant(Language language, String text, String resolved) {
    assertThat(RelativeDates.resolve(text, language, WRITTEN_ON)).isEqualTo(resolved);
    if (!text.equals(resolved) && text.chars().allMatch(c -> c < 0x900)) {
      assertThat(words(text)).as("a hint").anyMatch(word -> RelativeDates.isHint(word, language));
    }
  }

  @Test
  void resolvesEachOfSeveralPhrasesOnce() {
    assertThat(
            RelativeDates.resolve(
                "Not yesterday, the day before yesterday, or last week?",
                Language.ENGLISH,
                WRITTEN_ON))
        .isEqualTo(
            "Not yesterday [May 7], the day before yesterday [May 6], or last week [week of May"
                + " 1]?");
  }

  @Test
  void leavesWordsThatOnlyHoldAPhraseAlone() {
    String text = "Yesterdays and unthistoday are no dates";
    assertThat(RelativeDates.resolve(text, Language.ENGLISH, WRITTEN_ON)).isEqualTo(text);
  }

  private static List<String> words(String text) {
    String plain = Normalizer.normalize(text.toLowerCase(Locale.ROOT), Normalizer.Form.NFD);
    return List.of(plain.replaceAll("\\p{M}", "").split("[^\\p{L}']+"));
  }
}

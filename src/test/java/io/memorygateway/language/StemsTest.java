package io.memorygateway.language;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Contract §11: forms of a word have one stem, as they are compared, without accents; else what is
 * said in one form is not found by another where messages have both.
 */
class StemsTest {
  private final Stems stems = new Stems();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          OTHER      | машина машинои/красныи красная красного/школа школои/рабочии рабочая/синии синяя/работающии работающего
          FRENCH     | opere operee operer/entre entree/reserver reservees/annee annees
          SPANISH    | habitacion habitaciones/reunion reuniones/luz luces/feliz felices/pais paises
          PORTUGUESE | informacao informacoes/aviao avioes/animal animais/hotel hoteis/dificil dificeis/homem homens/azul azuis
          GERMAN     | gebucht buchen/gekauft kaufen kaufte/bestellt bestellen/operiert operieren/reserviert reservierung/fuhr gefahren
          GERMAN     | gesicht gesichter/arzt arzte/markt markte
          DUTCH      | huis huizen/brief brieven/gemaakt maken/betaald betalen/geboekt boeken/hond honden
          FINNISH    | punainen punaisen
          TURKISH    | araba arabam arabalar arabamiz/kitap kitaplar kitabim/kedi kedimiz/cocuk cocugum/istanbul istanbulda
          ENGLISH    | child children/foot feet/buy bought/shot shots shoot/colour color/organise organize/wives wife/live lives/leave leaves/go went
          OTHER      | سيارة سيارتي السيارة سيارات/ابنتي ابنته/مدرسة مدرستي/شركة شركات
          OTHER      | כלב כלבים הכלב/דירה דירות/מכונית המכונית מכוניות/תרופה תרופות/רופא לרופא
          """)
  void formsOfAWordHaveOneStem(Language language, String words) {
    for (String forms : words.split("/", -1)) {
      assertThat(forms.split(" ", -1))
          .extracting(form -> stems.of(form, language))
          .containsOnly(stems.of(forms.substring(0, forms.indexOf(' ')), language));
    }
  }

  /** In a text of any language: the stemmer of Greek leaves nothing of some. */
  @ParameterizedTest
  @EnumSource
  void ofNoWordNothingIsLeft(Language language) {
    assertThat(stems.of("αγε", language)).endsWith("αγε");
  }

  @ParameterizedTest
  @CsvSource({
    "GERMAN, gesicht, sich",
    "GERMAN, markt, marke",
    "GERMAN, nacht, nach",
    "GERMAN, sicht, sich",
    "DUTCH, maand, man",
    "DUTCH, paard, par",
    "DUTCH, beeld, bel",
    "DUTCH, hoofd, hof",
    "TURKISH, hasta, hastane",
    "TURKISH, kira, kirmizi",
    "PORTUGUESE, mais, mal",
    "OTHER, بيتي, بية"
  })
  void otherWordsHaveOtherStems(Language language, String word, String other) {
    assertThat(stems.of(word, language)).isNotEqualTo(stems.of(other, language));
  }
}

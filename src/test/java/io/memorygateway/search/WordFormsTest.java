package io.memorygateway.search;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.memorygateway.language.SmallWords;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §11: the same word, number or date is found however it is written. */
class WordFormsTest {
  private static final Instant TIME = Instant.parse("2026-11-20T09:30:00Z");

  private static final LocalDate TODAY = LocalDate.of(2026, 11, 20);

  private final TermReader reader = new TermReader();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          Herr Müller kam zu spät                  | Mueller
          Herr Mueller kam zu spät                 | Müller
          Call getUserProfile first                | user profile
          The OrderServiceImpl fails               | order service
          It is an HTTPServer                      | server
          It is an IPv6Address                     | address
          It is an IPv6Address                     | ipv6
          It is an AWSEc2Client                    | aws
          It is an SQLDb2                          | sql
          Call utf8Decoder first                   | decoder
          Call sha256Sum first                     | sum
          Call base64Encode first                  | base64
          Call getHTTP2Server first                | http2
          Call getHTTP2Server first                | server
          The x86Assembler fails                   | assembler
          Call v2Client first                      | client
          Call v2ApiKey first                      | api key
          Fixed in v2.14.3 at last                 | 2.14.3
          Fixed in 2.14.3 at last                  | v2.14.3
          Das kostet 1.250,50 im Monat             | 1250,50
          That is 1,250.5 a month                  | 1.250,50
          Das kostet 1 250 € im Monat              | 1250 €
          It was 1,250,000 in all                  | 1250000
          Le loyer est de 1 250,50 € par mois      | 1250.5
          Le loyer est de 1 250,50 € par mois      | 1250,50 €
          My salary is 85k a year                  | 85,000
          The train leaves at 07:05 there          | 7:05
          On part à 14h30                          | 14:30
          It runs on Python3.11 there              | python 3.11
          She moved to the U.S.A. in May           | USA
          She moved to the USA in May              | U.S.A.
          She moved to the U.S.A. I did not        | USA
          We open at 9 a.m. U.S. Eastern time      | US
          He has a Ph.D. in physics                | PhD
          Vive en EE.UU. desde mayo                | EEUU
          Books by J. R. R. Tolkien                | JRR Tolkien
          Our boss is T.J. Maxwell                 | TJ
          The R&D floor is closed                  | RD
          We use node.js there                     | nodejs
          Maureen O'Brien bakes                    | OBrien
          Maureen O’Brien bakes                    | Brien
          We flew to Xi'an                         | Xian
          Моє прізвище Дем'яненко                  | Демʼяненко
          Моє прізвище Дем’яненко                  | Демяненко
          The fix is 9f86d081884c7d659a2f          | 9f86d08
          The fix is 9f86d08                       | 9f86d081884c7d659a2f
          We have twenty-one chickens              | 21 chickens
          We have 21 chickens                      | twenty-one
          I moulded the fibre                      | fiber
          The paediatrician came                   | pediatrician
          برادرم در بیمارستان کار می‌کند           | كار
          کتاب‌های من در کتابخانه است              | کتاب
          میری بہن لاہور میں رہتی ہے               | بهن
          قط أبيض نام على السرير                   | القط
          আমার বোনের চিনাবাদামে অ্যালার্জি আছে     | চিনাবাদাম
          আমি ঢাকায় থাকি                          | ঢাকার
          বইগুলো টেবিলে রাখা                       | বই
          நான் சென்னையில் வசிக்கிறேன்              | சென்னைக்கு
          புத்தகங்கள் மேசையில் உள்ளன               | புத்தகம்
          Call +49 170 1234567 after six           | 1701234567
          Call 0170/1234567 after six              | +49 170 1234567
          Call (555) 123-4567 after six            | 555-123-4567
          Due on 2024-05-03 at noon                | May 3, 2024
          Due on May 3rd, 2024 at noon             | 2024-05-03
          Fällig am 03.05.2024 um zwölf            | 3. Mai 2024
          Fällig am 3. Mai 2024 um zwölf           | 2024-05-03
          Le 3 mai 2024 à midi                     | 3 de mayo de 2024
          截止 2024年5月3日                        | 2024-05-03
          Im Mai 2024 war Regen                    | May 2024
          The serial is XK7-00918-B                | XK700918B
          The serial is XK700918B                  | XK7-00918-B
          The Wi-Fi is down                        | wifi
          The wifi is down                         | Wi-Fi
          Write me an e-mail                       | email
          Die Kühlschrank-Reparatur war teuer      | Kühlschrankreparatur
          Call 06.12.34.56.78 after six            | +33 6 12 34 56 78
          We build with 3.11.2 now                 | 3.11
          It weighs 83.4kg now                     | 83,4 kg
          We meet at 2pm there                     | 2 pm
          It is on the 3rd floor                   | third floor
          It took twelve days                      | 12 days
          We have three dogs                       | 3 dogs
          We have 3 dogs                           | three dogs
          我的電腦壞了                             | 电脑
          我的电脑坏了                             | 電腦
          C’est vrai\u202f! Le moteur\u202f: il chauffe | moteur
          Die Reparatur vom Kühlschrank war teuer  | Kühlschrankreparatur
          Ik heb een nieuwe verzekering            | ziektekostenverzekering
          Die Kühlschrankreparatur war teuer       | Reparatur Kühlschrank
          Ik heb een ziektekostenverzekering       | verzekering
          The kubernetes cluster is slow           | kuber
          Ho comprato due biciclette nuove         | bicicletta
          Le riunioni sono il lunedì               | riunione
          Wij hebben de fietsen gekocht            | fiets
          Czytam nowe książki                      | książka
          Kitaplarımızı okuyoruz                   | kitap
          Ostin uuden talon                        | talo
          Я люблю читати книжки                    | книжка
          קניתי את הספר אתמול                      | ספר
          הוא אמר לשלום מילה                       | שלום
          Ho letto le notizie per tutti            | notizia
          Ik heb de boeken naar huis gebracht      | boek
          Os meninos não viram as cidades          | cidade
          Jag har inte sett flickorna              | flicka
          Minä olen ostanut kukkia ja en muuta     | kukka
          Ben kitaplardan çok para bekledim        | kitap
          Διάβασα τα βιβλία χθες                   | βιβλίο
          İstanbul'daki daire pahalı               | istanbul
          Dün Ahmet’in arabası geldi               | Ahmet
          رقم الهاتف ٠٥٠١٢٣٤٥٦٧                    | 0501234567
          मेरा नंबर ९८७६५ है                         | 98765
          전화는 010-1234-5678입니다                | 01012345678
          가격은 25000원이고                        | 25000
          회의는 3시예요                            | 3시
          Call 5551234 today                       | ٥٥٥١٢٣٤
          We fly LH2043 at noon                    | LH 2043
          اشترينا شقة في الإسكندرية                | الشقة
          اشترينا الشقة في الإسكندرية              | شقة
          りんごを買いました                       | りんご
          We fly LH 2043 at noon                   | LH2043
          It is order 4471-B again                 | 4471B
          It is 10km to the sea                    | 10 km
          We meet on May 3 at noon                 | am 3. Mai
          Wir treffen uns am 3. Mai                | May 3rd
          截止 2024年5月3日                        | 5月3日
          2024년 5월 3일에 만나요                  | 2024-05-03
          ينتهي في 14 سبتمبر 2024                  | 2024-09-14
          शादी 14 सितंबर 2024 को है                | 2024-09-14
          गाड़ी की चाबियाँ मीना के पास हैं            | चाबी
          उनका फ़ोन बंद है                          | फोन
          पाँच किताबें मेज पर हैं                    | पांच
          """)
  void isFound(String text, String query) {
    assertThat(first(query, "Else nothing at all.", "Nothing 7 there.", text, "Or here."))
        .isEqualTo(2);
  }

  /** Where nothing is that word: else only what is meant is found. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          The kube cluster | The kubernetes node           | kube
          Die Reparatur    | Die Kühlschrankreparatur      | Reparatur
          A reaction       | An action                     | reaction
          """)
  void anotherWordStandsForOneThatIsThereNowhere(String text, String other, String query) {
    assertThat(all(query, text, other)).containsExactly(0);
  }

  /** Messages are found by the day on which they were written, not by its number alone. */
  @Test
  void aNumberIsNoDay() {
    assertThat(all("20", "It has 20 pages.", "It has many.")).containsExactly(0);
    assertThat(all("20 November", "It has 20 pages.", "It has many.")).contains(1);
  }

  /** Of a hash only what it begins with, or what begins with it. */
  @Test
  void anotherHashIsAnother() {
    assertThat(all("a1b2c3d4e5", "The fix is a1b2c3d4e6.", "The fix is a1b2c3d."))
        .containsExactly(1);
  }

  /** However many beginnings of it there are. */
  @Test
  void aHashIsFoundByManyOfItsBeginnings() {
    String hash = "a1b2c3d4e5f60718293a4b5c6d7e8f9001122334";
    String beginnings =
        IntStream.range(7, 40).mapToObj(length -> hash.substring(0, length)).collect(joining(" "));

    assertThat(all(hash, "The fixes are " + beginnings)).containsExactly(0);
  }

  @ParameterizedTest
  @CsvSource({"It is of 2026-07-05, 7", "See chapter 5 doc.txt, 5doc.txt"})
  void whatIsNoNumberHasNoOtherForms(String text, String form) {
    assertThat(words(text)).doesNotContain(form);
  }

  @ParameterizedTest
  @ValueSource(strings = {"x'\u0640", "xy'\u0640", "\u0640'\u0640", "\u0640.\u0640"})
  void noWordIsEmpty(String text) {
    assertThat(words(text)).doesNotContain("");
  }

  /** In another language they are other words. */
  @ParameterizedTest
  @CsvSource({"due, 2", "once, 11", "cent, 100", "otto, 8", "sei, 6", "seize, 16"})
  void namesOfNumbersInOneLanguageAreNoNumbers(String word, String number) {
    assertThat(all(word, "We have " + number, "It is " + word)).containsExactly(1);
  }

  /** Endings of Polish and Czech are those of many English words, too. */
  @Test
  void endingsOfOneLanguageAreNoneOfAnother() {
    String[] texts = {"It is hot.", "The wind is cold.", "The window of the hotel."};
    assertThat(all("hotel", texts)).containsExactly(2);
    assertThat(all("wind window", texts)).containsExactlyInAnyOrder(1, 2);
  }

  /** So that they are found beside the word as it stands. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          Ho visto una notizia e la città    | Ho letto le notizie per tutti         | notizia
          Het is een boek voor mijn moeder   | Ik heb de boeken naar huis gebracht   | boek
          Você não viu a cidade              | Os meninos não viram as cidades       | cidade
          Jag har inte sett en flicka        | Jag har inte sett flickorna           | flicka
          Minä olen nähnyt kukka ja en muuta | Minä olen ostanut kukkia ja en muuta  | kukka
          Jeg har en bil og et hus           | Jeg har ikke solgt bilerne til ham    | bil
          Jeg har en bil og et hus           | Det er mange ting i husene også       | hus
          Nem az a könyv van itt             | Nem láttam hogy hol vannak könyvek    | könyv
          Nu este o carte pentru mine        | Am pus cărțile pe masă și nu sunt     | cărți
          To jest książka i już ją mam       | Nie mam już w domu książkami nic      | książka
          To jest tylko Kraków               | Byłem już w Krakowie przez tydzień    | Kraków
          To je auto a už ho mám             | Jsem v autem a ne na kole ale jak     | auto
          Це книжка і вона вже є             | Ми були з книжками але він ні         | книжка
          Це Одеса і він є                   | Вона була в Одесі але вже ні          | Одесу
          """)
  void otherFormsAreStemmed(String text, String other, String query) {
    assertThat(all(query, text, "Nothing.", other)).contains(0, 2);
  }

  @Test
  void ofLanguagesTheOneThatIsAskedForStandsFirst() {
    String[] texts = {"I write C here.", "I write C++ here.", "I write C# here."};
    assertThat(first("C#", texts)).isEqualTo(2);
    assertThat(first("C++", texts)).isEqualTo(1);
  }

  @Test
  void aPhraseInQuotesStandsBeforeItsWords() {
    String[] texts = {
      "The key is red, the door is red, the red key is for a door.",
      "It is the red door key.",
      "A red door. A door key."
    };
    assertThat(first("\"red door key\"", texts)).isEqualTo(1);
    assertThat(first("where is „red door key“", texts)).isEqualTo(1);
    String[] joined = {"We use Fi. Wi-Fi.", "We use Wi-Fi here, and not there."};
    assertThat(first("\"we use wi-fi\"", joined)).isEqualTo(1);
    String[] names = {"By node.js served. Served by js node.", "Served by node.js and a node."};
    assertThat(first("\"served by node.js\"", names)).isEqualTo(1);
  }

  /** A question may stand behind what it is about, or before it. */
  @Test
  void aLongQueryAsksByItsEndsToo() {
    String pasted =
        IntStream.range(0, 150)
            .mapToObj(i -> "pasted" + (char) ('a' + i % 26) + i)
            .collect(joining(" "));
    String question = "what is the code of my gym locker?";
    for (String query : List.of(pasted + "\n" + question, question + "\n" + pasted)) {
      assertThat(first(query, "I went home.", "The gym locker has a code.", "No pasted text."))
          .isEqualTo(1);
    }
    String japanese = "新しい会議室の予約と来週の旅行の計画について上司と長い話をして帰りに買い物もした。";
    assertThat(first(japanese + "歯医者の名前は何ですか？", "歯医者は佐藤先生です。", "はい。", "そうです。")).isZero();
  }

  /** Of Han, katakana and Hangul wherever it stands, of hiragana where a word begins. */
  @ParameterizedTest
  @CsvSource({
    "猫, うちの猫です。, 犬です。",
    "茶, 红茶和牛奶, 咖啡",
    "ア, ドアです。, 窓です。",
    "집, 우리집은 커요., 학교는 작아요.",
    "え, え、本当？, いいえ。"
  })
  void oneCharacterIsFoundWhereItMaySaySomething(String query, String text, String other) {
    assertThat(all(query, other, text)).containsExactly(1);
  }

  /** Contract §11: grammar tells nothing, also where it is written without spaces. */
  @Test
  void grammarOfJapaneseTellsLittle() {
    Query query = Query.of("歯医者の名前は何ですか？", reader, TODAY);
    assertThat(
            IntStream.range(0, query.size())
                .mapToObj(query::word)
                .filter(word -> !SmallWords.contains(word)))
        .contains("歯医", "医者", "名前")
        .noneMatch(word -> word.chars().allMatch(c -> c >= 0x3041 && c <= 0x309f));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "早上好",
        "晚上好！",
        "了解です",
        "了解しました",
        "D'accord",
        "C’est bien",
        "Wie geht's?",
        "Доброе утро",
        "Добрый день",
        "صباح الخير",
        "Au revoir",
        "De acuerdo",
        "Come stai?",
        "Tudo bem?",
        "Hej, tack!",
        "Goedemorgen",
        "Fortsätt",
        "你好吗",
        "さようなら",
        "아니요",
        "Xin chào",
        "Доброго ранку",
        "Γεια σου!",
        "Ευχαριστώ πολύ",
        "Hei, kiitos!",
        "Jatka",
        "नमस्ते",
        "No problem, see you later!",
        "No problem, no problem",
        "Thanks for your help, great job.",
        "Kein Problem, bis später!",
        "Schönen Tag noch",
        "Pas de problème, bonne journée !",
        "Sin problema, ¡hasta luego!",
        "Sem problema, até logo!",
        "Nessun problema, a dopo!",
        "Graag gedaan, tot ziens",
        "Без проблем, хорошего дня!",
        "شكرا جزيلا",
        "لا مشكلة، أكمل من فضلك",
        "बहुत बहुत शुक्रिया",
        "ठीक है, जारी रखें",
        "太好了，请继续",
        "辛苦了，晚安",
        "お疲れ様でした、おやすみなさい",
        "수고하셨습니다, 안녕히 계세요",
        "え？",
        "ん",
        "哦",
        "行。",
        "응"
      })
  void greetingsSayNothing(String text) {
    assertThat(Query.says(text, reader)).isFalse();
  }

  /** Each text is of another day; the question is asked on 20 November 2026. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          2026-11-19 | What did I say yesterday?
          2026-11-17 | What did I tell you three days ago?
          2026-11-14 | And last week?
          2026-10-08 | What was it last month?
          2026-11-19 | Was habe ich gestern gesagt?
          2026-11-18 | ¿Qué me dijiste anteayer, y no me lo dijo él?
          2026-11-17 | What did we say last Tuesday?
          2026-11-17 | Che cosa hai detto martedì scorso?
          2026-11-19 | O que é que eu disse ontem?
          2026-11-19 | Wat heb ik gisteren gezegd?
          2026-11-19 | 昨天我们说了什么？
          2026-11-17 | 这周二我说了什么？
          2026-11-14 | 上周末我们说了什么？
          2026-11-17 | 三天前我说了什么？
          2026-11-18 | 一昨日、何の話をしましたか？
          2026-11-14 | 先週の土曜日に何を話した？
          2026-11-19 | 어제 무슨 이야기를 했죠?
          2026-11-17 | 3일 전에 뭐라고 했어?
          2026-11-19 | Что я говорил вчера?
          2026-11-17 | О чём мы говорили в прошлый вторник?
          2026-11-19 | ماذا قلت أمس؟
          2026-11-17 | ماذا قلنا يوم الثلاثاء الماضي؟
          2026-11-17 | तीन दिन पहले मैंने क्या कहा?
          2026-11-17 | Was war am 17. November?
          2026-11-17 | 11月17日我说了什么？
          """)
  void whatWasSaidOnARelativeDayIsFound(LocalDate day, String query) {
    List<LocalDate> days =
        List.of(
            TODAY,
            LocalDate.of(2025, 3, 4),
            LocalDate.of(2026, 11, 19),
            LocalDate.of(2026, 11, 18),
            LocalDate.of(2026, 11, 17),
            LocalDate.of(2026, 11, 14),
            LocalDate.of(2026, 10, 8));
    SegmentWriter writer = new SegmentWriter(0, 0);
    MessageTerms terms = new MessageTerms(reader);
    for (int seq = 0; seq < days.size(); seq++) {
      Instant time = days.get(seq).atTime(9, 30).toInstant(ZoneOffset.UTC);
      int count = terms.read("Text " + (char) ('a' + seq), time);
      writer.add(seq, Roles.number("user"), time.toEpochMilli(), 0, terms.terms(), 0, count);
    }
    List<ThreadTerms> threads = List.of(ThreadTerms.EMPTY.plus(writer.toSegment()));
    assertThat(
            Ranking.best(threads, Query.of(query, reader, TODAY), (of, role, at, seq) -> true, 5))
        .first()
        .satisfies(best -> assertThat(days.get(best.message())).isEqualTo(day));
  }

  /** The day of a message itself is found in the words of any language, too. */
  @Test
  void theDayOfAMessageIsFound() {
    assertThat(words("20. November 2026")).contains("2026-11-20");
    assertThat(words("1.250 2.14.3 31.02.2024 march on, 12 3 4"))
        .contains("1250")
        .noneMatch(word -> word.startsWith("2024-"));
  }

  /** They are kept for all projects, whose words may be any. */
  @Test
  void termsThatAreKeptAreThoseOfTheWord() {
    WordForms forms = new WordForms();
    forms.of("muller mueller", "muller mueller", reader);
    int[] terms = forms.of("muller", "mueller", reader);
    assertThat(terms).containsExactly(new WordForms().of("muller", "mueller", reader));
    assertThat(forms.of("muller", "mueller", reader)).isSameAs(terms);
    String large = "x".repeat(65);
    assertThat(forms.of(large, large, reader)).isNotSameAs(forms.of(large, large, reader));
  }

  /** Some letters stand for several words, or for a blank with a mark. */
  @Test
  void noWordIsEmptyOrHasABlank() {
    for (int character = 0; character <= Character.MAX_CODE_POINT; character++) {
      boolean isSurrogate =
          character >= Character.MIN_SURROGATE && character <= Character.MAX_SURROGATE;
      // Of those that stand for nothing, some.
      if (!isSurrogate && (Character.isDefined(character) || character % 64 == 0)) {
        String said = Character.toString(character);
        List<String> words = words("ok " + said + " ok" + said + "ok " + said.repeat(3));
        if (words.stream().anyMatch(word -> word.indexOf(' ') >= 0 || word.isBlank())) {
          fail("U+%X: %s", character, words);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ok \u037a ok", "ok \ufc5e ok", "\ufe70\ufe70", "\u309b"})
  void whatFoldsToABlankIsAskedForLikeAnyWord(String text) {
    Query.says(text, reader);
    assertThat(all(text, "Nothing.", "So it is.")).isEmpty();
  }

  private List<String> words(String text) {
    List<String> words = new ArrayList<>();
    reader.read(
        text,
        (word, spaced) -> {
          words.add(word);
          return true;
        });
    return words;
  }

  private int first(String query, String... texts) {
    List<Integer> all = all(query, texts);
    return all.isEmpty() ? -1 : all.get(0);
  }

  private List<Integer> all(String query, String... texts) {
    SegmentWriter writer = new SegmentWriter(0, 0);
    MessageTerms terms = new MessageTerms(reader);
    for (int seq = 0; seq < texts.length; seq++) {
      int count = terms.read(texts[seq], TIME);
      writer.add(seq, Roles.number("user"), seq, 0, terms.terms(), 0, count);
      writer.addWords(terms.longWords());
    }
    ThreadTerms thread = ThreadTerms.EMPTY.plus(writer.toSegment());
    List<Ranking.Ranked> best =
        Ranking.best(
            List.of(thread), Query.of(query, reader, TODAY), (of, role, time, seq) -> true, 5);
    return best.stream().map(Ranking.Ranked::message).toList();
  }
}

package io.memorygateway.language;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Words that say little by themselves, in some languages: those of grammar, greetings, thanks,
 * consent, and what asks to go on. In lower case, without accents.
 */
public final class SmallWords {
  private static final Set<String> WORDS =
      Set.copyOf(
          list(
              """
          a about after again all also am an and any anything are as at be because been before being but by can could
          did do does doing don't done else even ever for from get go going had has have having he her hers here hers him
          his how i i'd i'll i'm i've if in into is isn't it it's its just let let's like me more most much my no nor not
          now of off on once one only onto or other our out over own please she should since so some something such than
          that that's the their them then there there's these they they're this those through to too two under until up
          us very was we we're were what what's when where which while who whom whose why will with within would yes yet
          you you're your yours yours
          hello hi hey hiya thanks thank thx ty ok okay okey yeah yep yup nope sure fine good great nice cool perfect
          tell think know sounds lot really
          awesome amazing wonderful excellent alright right well welcome morning afternoon evening night bye goodbye
          cheers sorry continue proceed next carry keep ahead again lol haha wow oh ah hm hmm got understood agreed
              exactly absolutely definitely indeed certainly agree understand see later soon appreciate appreciated appreciates helpful
              fantastic brilliant lovely glad interesting whatever anyway too also everything k kk ty np yw pls plz hehe aha mhm uh um
          aber alle als also am an auch auf aus bei bin bis bist da damit dann das dass dein dem den der des die dir doch
          du ein eine einem einen einer er es etwas euch fur hab habe haben hat hatte ich ihm ihn ihr im in ist ja jetzt
          kann kein mal man mein meine mich mir mit nach nein nicht noch nun nur oder ohne schon sehr sein seine sich sie
          sind so uber um und uns unser vom von vor wann war waren warum was weil wenn wer werden wie wieder will wir wird
          wo zu zum zur hallo danke dankeschon bitte gut guten morgen abend tag gruss grusse servus tschuss genau klar
          prima super toll weiter mach fortfahren okay geht geht's
              verstanden verstehe passt gern gerne klingt naturlich selbstverstandlich stimmt richtig einverstanden perfekt wunderbar
              hervorragend ausgezeichnet fantastisch hilfreich freut egal moin ciao herzlichen vielen lieben alles jawohl jo nee ach aha
              spater bald einmal nachste nachstes kannst konnen nochmal nochmals mehr mache machen weitermachen weiterhin los fahr fahre fort dafur daran davon damit
          au aux avec c'est ce ces cette dans de des du elle en est et etait il ils j'ai je la le les leur lui ma mais me
          mes moi mon ne nos notre nous on ou par pas pour qu que quel quelle qui quoi sa se ses son suis sur ta te tes
          toi ton tu un une vos votre vous bonjour bonsoir salut merci beaucoup oui non accord revoir va continue continuez
          parfait tres bien
              ok plus autre autres entendu compris comprends vois vas hum volontiers enchante genial exactement absolument certainement super
              evidemment excellent formidable coucou poursuis poursuivez continuer allez peux peut pouvez suivant encore infiniment mdr
              faire fait fais y aussi alors donc bonne bon quand combien comment ou quoi
          al con como cual cuando de del donde el ella en era es esa ese esta este fue ha han hay he la las le lo los mas
          me mi mis muy no nos o para pero por porque que quien se ser si sin son su sus te tiene tu un una uno y ya yo
          estas tal adios acuerdo hola gracias muchas buenos buenas dias tardes noches vale claro perfecto bien si sigue continua adelante
              estupendo genial entendido entiendo exacto exactamente supuesto siguiente prosigue continuar continue dale listo excelente
              fantastico agradezco muchisimas muchisimo mucho favor jaja jajaja hasta luego pronto chao aja igualmente encantado
              encantada tengo tengas tener puedes puede otra otro vez tambien hazlo cuanto cuando quien
          il lo gli i un uno una di a da in con su per tra e o ma che chi cosa come dove quando perche non sono sei siamo
          hai ho ha mi ti si ci mio mia ciao grazie mille prego buongiorno buonasera va bene certo continua avanti stai perfetto
              capito esatto esattamente ottimo benissimo arrivederci buonanotte ancora figurati volentieri piacere okay anche bravo
          het een de van en in op te dat die is was ik je jij hij zij we wij niet met voor aan er maar om ook als dan wat
          wie waar hoe heb heeft had mijn hallo hoi dank bedankt goed prima graag verder oke goedemorgen goedemiddag goedenavond gaat
              begrepen snap perfect natuurlijk precies klopt mooi fijn alsjeblieft alstublieft doei tot ziens straks volgende nogmaals
              eens akkoord dankjewel dankuwel welterusten heel erg meer
          o a os as um uma de do da dos das em no na e que nao eu voce ele ela com para por mas ola oi obrigado obrigada
          sim bom dia boa tarde noite certo otimo continuar tudo bem pode
              otima perfeito perfeita beleza valeu legal entendi entendido compreendo concordo exato exatamente claro oi ola tchau ate
              logo mais favor prossiga prosseguir siga seguir proximo proxima aham kkk kkkk rs prazer igualmente tambem muito muita
              muitissimo bastante vai vou tenho ajudou isso quando quanto quem onde qual tem ter os as ao aos
          i w z na do nie to jest sie ze co jak gdzie kiedy kto ja ty on ona my moj moja czesc dzien dobry dzieki dziekuje
          tak prosze dalej dobrze
          jsem jsi jsme ahoj diky dekuji dobre ne pokracuj prosim
          es nem hogy egy van szia koszonom igen rendben folytasd kerem
          ja on ei se etta han mina sina me te he kun jos niin myos hei moi moikka terve kiitos kiitoksia paljon kylla joo
          hyva hyvaa selva jatka ole huomenta paivaa iltaa yota nakemiin heippa
          και το τη την της του τα με για απο που ειναι δεν θα να σε μου σου σας εγω εσυ ειμαι γεια χαιρετε καλημερα καλησπερα καληνυχτα ευχαριστω
          ευχαριστουμε πολυ ναι οχι ενταξει συνεχισε παρακαλω καλα ωραια αντιο
          si nu este sunt din salut buna multumesc da bine continua
          що це як я ви він привіт дякую так добре гаразд продовжуи далі доброго ранку дня вечора побачення
              дуже зрозумів зрозуміла згоден згодна звісно чудово вітаю буваи прошу мені мене мій моя
          hvad hva hvor meget mye ikke tusind takk goddag fortsatt fortsaet fortsett
          и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня
          еще нет о из ему когда кто где это мы мои привет здравствуите спасибо пожалуиста хорошо ладно ок продолжаи
              большое огромное благодарю прекрасно замечательно супер круто здорово класс угу ага понял поняла понимаю ясно конечно
              согласен согласна точно верно правильно неважно даваи даваите далее раз снова продолжи продолжить продолжаите подробнее
              можешь можете помогло помог помогла очень здравствуи приветствую счастливо удачи логично нормально сделаи рад рада вас
              вам тебе тебя моя мое моего моеи моему у на до без при или если какои какая какие чего чему
          дальше понятно отлично доброе добрыи утро день вечер свидания пока дела
          ve bir bu da de ne mi icin ile ben sen o biz siz merhaba selam tesekkurler tesekkur ederim sagol evet hayir
          tamam devam et peki guzel
          ja hej tak tack god morgon dag och i att det som en pa ar av for med den til er og jeg ikke
          في من على ان هل ما هو هي انا انت مرحبا السلام عليكم شكرا نعم لا حسنا تابع استمر صباح مساء الخير كيف حالك مع السلامة
              جزيلا عفوا اهلا وسهلا تمام طيب ممتاز رايع جميل موافق صحيح بالطبع طبعا اجل بلى فهمت افهم مفهوم تفضل تفضلي استمري واصل
              تابعي اكمل اكملي المتابعة التالي مرة اخرى ايضا المزيد اخبرني فضلك رجاء سمحت وداعا اللقاء الى لاحقا اراك جدا مفيد مفيدا لك
              كان كانت ذلك هذا هذه يبدو جيد جيدا وعليكم منطقي يمكنك افعل قد لقد التي الذي عن مع متى اين كم لماذا ماذا اي او ثم
          的 了 我 你 您 他 她 是 在 有 和 就 不 也 都 很 么 吗 呢 这 那 哪 个 们 什 什么 怎么 多少 哪里 这个 那个 我们 你们
          です ます まし した って てい いる ある りま ませ せん ない すか から まで ので のは たか この その あの どの これ それ なに どこ いつ だれ こと は が を に で と も の へ や か な
          은 는 이 가 을 를 에 의 도 로 고 요 다 나 니 지 까 하
          asi ensuite accordo poi depois wel lgtm nah
          mycket sa nej okej ses forstar forstatt forstaet tusen takk nei greit skjonner flott godmorgen mange fint fortsett nahdaan
          ymmarran ymmarsin hienoa bardzo kontynuuj swietnie zobaczenia rozumiem jasne pewnie super moc ano skvele rozumim jasne
          nashledanou jo napot koszonom koszi szepen tokeletes viszlat ertem oke ziua multumesc frumos rog revedere inteles
          gunaydin lutfen harika gorusuruz anladim tesekkurler sagol iyi geceler aksamlar τελεια καταλαβα ευχαριστω ні
          בוקר ערב לילה טוב טובה רבה בבקשה מעולה להתראות הבנתי תמשיך תמשיכי סבבה יופי נהדר מצוין
          cok ederim xin chao nhieu vang khong halo selamat pagi siang malam terima kasih banyak silakan tidak lanjutkan baik sampai jumpa
          mengerti नमस्ते धन्यवाद
              है हैं था थी थे हो हूं का की के को से में पर और या कि जो यह वह ये वे इस उस मैं मैंने मुझे मेरा मेरी मेरे आप आपका आपकी आपके
              तुम हम हमारा हमारी हमारे हमने क्या कब कहां कौन कैसे कैसा कैसी कितना कितने कितनी क्यों किस किसके नहीं मत ना हां जी भी ही तो लिए
              साथ पास कर करो करें करना रहा रही रहे गया गई गए होगा होगी बहुत शुक्रिया नमस्कार ठीक अच्छा अच्छी अच्छे बढिया शानदार वाह सही
              बिल्कुल जरूर कृपया जारी रखो रखें रख आगे बढो बढें फिर बताओ बताइए बताएं समझ समझा समझता समझती स्वागत मिलेंगे अलविदा शुभ
              सुप्रभात रात्रि अगला अगली ओके हम्म चलो हाल लगा सकते सकता सकती ऐसा कोई
          ممنون ممنونم متشكرم مرسي سلام بله خير لطفا ادامه بده بدهيد خيلي خوب باشه عالي خداحافظ است
              شكريه جي هاں نهيں جاري ركهيں ركهو ٹهيك هے اچها بهت مهرباني كريں كرو خدا حافظ
              ধন্যবাদ হ্যাঁ হ্যা না ঠিক আছে আচ্ছা চালিয়ে যাও যান নমস্কার অনেক ভালো করো করুন দয়া করে
              நன்றி மிக்க வணக்கம் சரி தொடரவும் தொடருங்கள் தொடரு ஆம் ஆமாம் இல்லை செய்யுங்கள்
              procedi fallo תעשה זה
          שלום תודה כן לא בסדר המשך אני אתה את הוא היא של על עם מה
          """));

  /**
   * Words that say nothing together, and something in other places. As they are compared, one
   * behind the other.
   */
  private static final List<List<String>> PHRASES =
      Stream.of(
              """
          no problem/no problems/no worries/makes sense/make sense/never mind/take care/nice day/good day/great day/nice weekend
          good weekend/nice to meet/pleased to meet/your help/the help/good job/great job/nice job/good work/great work/nice work
          excellent work/that helps/helps a lot/my pleasure/fair enough/good one/see you tomorrow/of course/try again
          kein problem/keine ursache/gruss gott/auf wiedersehen/schonen tag/schonen abend/schones wochenende/gute nacht/guten tag
          bis morgen/macht sinn/ergibt sinn/erzahl mir mehr/sag mir mehr/mach das/gute arbeit/deine hilfe/ihre hilfe/die hilfe
          pas de probleme/aucun probleme/pas de souci/aucun souci/de rien/ca marche/ca me va/est logique/te plait/vous plait/a bientot
          a demain/a plus tard/ca va/allez vous/bonne journee/bonne soiree/bonne nuit/bon week end/peu importe/bien sur/dis en/en prie
          une fois/tres utile/bon travail
          sin problema/de nada/hasta manana/tiene sentido/que mas/mucho gusto/buen dia/no importa/suena bien/muy util/buen trabajo
          cuentame mas/dime mas
          sem problema/sem problemas/ate amanha/ate breve/faz sentido/me conte mais/tanto faz/de novo/com certeza/parece bom/bom trabalho
          faca isso/tenha um bom
          nessun problema/a dopo/a presto/a domani/ha senso/per favore/che altro/buona giornata/buona notte/non importa/di niente
          sure thing/ship it/one more time/leg los/ca roule/muy amable/faz isso/pela ajuda/doe maar/ga zo door/зроби це/зроби так/zrob to
          rob dalej/dzieki wielkie/udelej to/gor det/tamam yap/multumesc mult/कर दो/cam on ban/duoc lam di
          cheers mate/you rock/thx bro/thanks bro/thanks mate/schonen dank/bien recu/continua pure/ga door/ga verder/vi ses
          hyvaa yota/do widzenia/na shledanou/dobre rano/am inteles/sag ol/iyi gunler/cam on/cam on nhieu/tiep tuc/duoc roi/hieu roi/tam biet
          geen probleem/graag gedaan/tot morgen/wat nog/fijne dag/goede nacht/maakt niet uit/vertel meer
          без проблем/не за что/до встречи/до завтра/хорошего дня/доброго дня/спокоинои ночи/не важно/все равно/расскажи подробнее
          звучит хорошо/хорошего вечера
          будь ласка/немае за що/до зустрічі
          لا مشكلة/يوما سعيدا/تصبح على خير/نهارك سعيد/ليلة سعيدة
          कोई बात/मदद मिली/दिन शुभ/शुभ दिन
          """
                  .strip()
                  .replace('\n', '/')
                  .split("/", -1))
          .map(SmallWords::list)
          .toList();

  /**
   * What says nothing in scripts without spaces, which is looked for in the text itself; the
   * longest first, as some contain others.
   */
  private static final List<String> UNSPACED =
      longestFirst(
          """
          你好 您好 谢谢你 谢谢您 谢谢 謝謝 多谢 继续 繼續 请继续 好的 好 是的 对 对的 嗯 没问题 早上好 晚上好
          再见 请 吧 了 啊 哦 行 你好吗 明白了 知道了 不客气 早安 こんにちは おはようございます おはよう こんばんは ありがとうございます ありがとうございました
          ありがとう 続けてください 続けて はい いいえ お願いします 了解です 了解しました 了解 わかりました さようなら すごい くれる いいね どうも お疲れ様です 안녕하세요
          안녕 감사합니다 고마워요 고마워 네 예 응 계속해주세요 계속해 계속 아니요 좋아요 좋아 알겠습니다 สวัสดีครับ
          非常感谢 非常感謝 感谢 感謝 很有帮助 有帮助 太好了 太棒了 完美 听起来不错 不错 不错哦 不用谢 不用了 回头见 收到 有道理 麻烦你了 麻烦
          还有呢 還有呢 多说一点 可以继续吗 可以吗 可以 嗯嗯 哈哈 哈 祝你愉快 晚安 我懂了 懂了 下一个 下一步 再来一次 再来 辛苦了 没关系 沒關係
          沒問題 好滴 好啊 好吧 没错 沒錯 当然 當然 请讲 接着说 接着 真的吗 真的 最近怎么样 怎么样 就这么做 明白 了解 嗨 哈喽 请 請 完成
          とても助かりました 助かりました 助かります 助かる 続き そうしてください そうですね そうです そう 元気ですか 完璧です 完璧 いいですね
          問題ありません 問題ないです どういたしまして またね またあとで なるほど 結構です 他には もっと教えて うん 笑 良い一日を おやすみなさい
          おやすみ 承知しました 承知です 次 もう一度 お疲れ様でした 大丈夫です 大丈夫 オーケー もちろん はじめまして よろしくお願いします
          よろしく どうぞ 最高です 最高 素晴らしい ください
          정말 많은 도움이 됐어요 도움이 되었습니다 그렇게 해 주세요 해주세요 주세요 좋은 아침이에요 잘 지내요 잘 지내세요 완벽해요 좋네요 문제없어요
          문제 없어요 천만에요 나중에 봐요 안녕히 계세요 안녕히 가세요 안녕히 주무세요 알겠어요 이해했어요 이해했습니다 그렇군요 부탁해요 부탁드려요
          부탁드립니다 괜찮아요 괜찮습니다 또 뭐가 있어요 더 말해 줘 더 말해줘 줄래 좋은 하루 되세요 그래요 그래 다음 다시 한번 다시 수고하셨습니다
          수고하셨어요 멋져요 멋지네요 오케이 맞아요 맞습니다 물론이죠 물론 반가워요 반갑습니다 넵 그럼요 최고예요 대박 음 ㅋ ㅎ ㅇ ㄱㅅ
          สวัสดีค่ะ สวัสดี ขอบคุณครับ ขอบคุณค่ะ ขอบคุณ ต่อ ครับ ค่ะ มาก ใช่ ไม่เป็นไร ไม่ เลย โอเค เข้าใจแล้ว เข้าใจ ตกลง
          좋은 아침 做吧
          """);

  /** The first letter of scripts without spaces: of Thai. */
  private static final char FIRST_UNSPACED = '\u0e00';

  /** Words; more of them say something. */
  private static final int MAX_WORDS = 40;

  private SmallWords() {}

  private static List<String> longestFirst(String words) {
    return list(words).stream().sorted(Comparator.comparingInt(String::length).reversed()).toList();
  }

  private static List<String> list(String words) {
    return List.of(words.strip().replace('\n', ' ').split(" ", -1));
  }

  /** A text without the words of scripts without spaces that say little. */
  public static String withoutUnspaced(String text) {
    String rest = text;
    if (text.chars().noneMatch(c -> c >= FIRST_UNSPACED)) {
      return text;
    }
    for (String word : UNSPACED) {
      rest = rest.replace(word, " ");
    }
    return rest;
  }

  /** Some words, of which those are left out that say nothing together. */
  public static List<String> withoutPhrases(List<String> words) {
    if (words.size() > MAX_WORDS) {
      return words;
    }
    List<String> rest = new ArrayList<>(words);
    for (List<String> phrase : PHRASES) {
      int at = Collections.indexOfSubList(rest, phrase);
      while (at >= 0) {
        rest.subList(at, at + phrase.size()).clear();
        at = Collections.indexOfSubList(rest, phrase);
      }
    }
    return rest;
  }

  /** Whether a word says little, as each letter of hiragana does by itself. */
  public static boolean contains(String word) {
    boolean isHiragana = word.length() == 1 && word.charAt(0) >= 'ぁ' && word.charAt(0) <= 'ゟ';
    return isHiragana || WORDS.contains(word);
  }
}

package io.memorygateway.language;

import java.util.Comparator;
import java.util.List;
import java.util.Set;

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
          aber alle als also am an auch auf aus bei bin bis bist da damit dann das dass dein dem den der des die dir doch
          du ein eine einem einen einer er es etwas euch fur hab habe haben hat hatte ich ihm ihn ihr im in ist ja jetzt
          kann kein mal man mein meine mich mir mit nach nein nicht noch nun nur oder ohne schon sehr sein seine sich sie
          sind so uber um und uns unser vom von vor wann war waren warum was weil wenn wer werden wie wieder will wir wird
          wo zu zum zur hallo danke dankeschon bitte gut guten morgen abend tag gruss grusse servus tschuss genau klar
          prima super toll weiter mach fortfahren okay geht geht's
          au aux avec c'est ce ces cette dans de des du elle en est et etait il ils j'ai je la le les leur lui ma mais me
          mes moi mon ne nos notre nous on ou par pas pour qu que quel quelle qui quoi sa se ses son suis sur ta te tes
          toi ton tu un une vos votre vous bonjour bonsoir salut merci beaucoup oui non accord revoir va continue continuez
          parfait tres bien
          al con como cual cuando de del donde el ella en era es esa ese esta este fue ha han hay he la las le lo los mas
          me mi mis muy no nos o para pero por porque que quien se ser si sin son su sus te tiene tu un una uno y ya yo
          estas tal adios acuerdo hola gracias muchas buenos buenas dias tardes noches vale claro perfecto bien si sigue continua adelante
          il lo gli i un uno una di a da in con su per tra e o ma che chi cosa come dove quando perche non sono sei siamo
          hai ho ha mi ti si ci mio mia ciao grazie mille prego buongiorno buonasera va bene certo continua avanti stai perfetto
          het een de van en in op te dat die is was ik je jij hij zij we wij niet met voor aan er maar om ook als dan wat
          wie waar hoe heb heeft had mijn hallo hoi dank bedankt goed prima graag verder oke goedemorgen goedemiddag goedenavond gaat
          o a os as um uma de do da dos das em no na e que nao eu voce ele ela com para por mas ola oi obrigado obrigada
          sim bom dia boa tarde noite certo otimo continuar tudo bem pode
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
          hvad hva hvor meget mye ikke tusind takk goddag fortsatt fortsaet fortsett
          и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня
          еще нет о из ему когда кто где это мы мои привет здравствуите спасибо пожалуиста хорошо ладно ок продолжаи
          дальше понятно отлично доброе добрыи утро день вечер свидания пока дела
          ve bir bu da de ne mi icin ile ben sen o biz siz merhaba selam tesekkurler tesekkur ederim sagol evet hayir
          tamam devam et peki guzel
          ja hej tak tack god morgon dag och i att det som en pa ar av for med den til er og jeg ikke
          في من على ان هل ما هو هي انا انت مرحبا السلام عليكم شكرا نعم لا حسنا تابع استمر صباح مساء الخير كيف حالك مع السلامة
          的 了 我 你 您 他 她 是 在 有 和 就 不 也 都 很 么 吗 呢 这 那 哪 个 们 什 什么 怎么 多少 哪里 这个 那个 我们 你们
          です ます まし した って てい いる ある りま ませ せん ない すか から まで ので のは たか この その あの どの これ それ なに どこ いつ だれ こと は が を に で と も の へ や か な
          은 는 이 가 을 를 에 의 도 로 고 요 다 나 니 지 까 하
          xin chao नमस्ते धन्यवाद
          שלום תודה כן לא בסדר המשך אני אתה את הוא היא של על עם מה
          """));

  /**
   * What says nothing in scripts without spaces, which is looked for in the text itself; the
   * longest first, as some contain others.
   */
  private static final List<String> UNSPACED =
      longestFirst(
          """
          你好 您好 谢谢你 谢谢您 谢谢 謝謝 多谢 继续 繼續 请继续 好的 好 是的 对 对的 嗯 没问题 早上好 晚上好
          再见 请 吧 了 啊 哦 行 你好吗 明白了 知道了 不客气 早安 こんにちは おはようございます おはよう こんばんは ありがとうございます ありがとうございました
          ありがとう 続けてください 続けて はい いいえ お願いします 了解です 了解しました 了解 わかりました さようなら すごい いいね どうも お疲れ様です 안녕하세요
          안녕 감사합니다 고마워요 고마워 네 예 응 계속해주세요 계속해 계속 아니요 좋아요 좋아 알겠습니다 สวัสดีครับ
          สวัสดีค่ะ สวัสดี ขอบคุณครับ ขอบคุณค่ะ ขอบคุณ ต่อ ครับ ค่ะ
          """);

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
    for (String word : UNSPACED) {
      rest = rest.replace(word, " ");
    }
    return rest;
  }

  /** Whether a word says little, as each letter of hiragana does by itself. */
  public static boolean contains(String word) {
    boolean isHiragana = word.length() == 1 && word.charAt(0) >= 'ぁ' && word.charAt(0) <= 'ゟ';
    return isHiragana || WORDS.contains(word);
  }
}

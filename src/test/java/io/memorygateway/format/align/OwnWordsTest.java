package io.memorygateway.format.align;

import static io.memorygateway.format.Talk.forms;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.format.Talk;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a call says otherwise than its thread. */
class OwnWordsTest {
  @ParameterizedTest(name = "[{0}] on [{1}]")
  @CsvSource(
      delimiter = '|',
      value = {
        "u:x b:+1+2 r:1=a r:2=b |u:a c:1 c:2            |0/0 {0=0}|two items",
        "u:x b:look+1 r:1=a     |u:a a:look c:1         |0/0 {0=0}|a text and a call",
        "u:h a:i u:x b:+1+2 r:1=a r:2=b|u:h a:i u:a c:1 c:2|0/0 {2=2}|in the middle",
        "u:s a:i u:x b:+1+2 r:1=a r:2=b|u:h a:k u:a a:i u:y c:1 c:2|0/0 {2=0, 4=2}|and other words"
            + " before that",
        "u:x a:y u:a a:b u:c    |u:a a:b                |2/0 {}|before the thread",
        "u:x u:a a:b u:c        |u:a a:b                |1/0 {}|one message",
        "a:x u:a a:b u:c        |u:a a:b                |1/0 {}|of the model",
        "u:x a:b u:c            |a:b                    |1/0 {}|a thread without its first"
            + " question",
        "r:1=x a:y u:a a:b u:c  |u:a a:b                |0/0 {}|a history cut within a tool loop",
        "u:x u:z a:y u:k a:b u:c|u:a a:b                |4/1 {}|in the place of other words, too",
        "u:de a:b u:c           |u:a a:h u:d u:e a:b    |0/0 {}|one message of two behind others",
        "u:d u:e a:b u:c        |u:a a:h u:de a:b       |0/0 {}|two of one",
        "p:x+y+a a:b u:c        |p:y+a a:b              |0/0 {0=0}|with a part more",
        "u:h a:i p:x+a a:b u:c  |u:h a:i p:a+y a:b      |0/0 {2=2}|with others, in the middle",
        "p:x+a a:b u:c          |p:y+a a:b              |0/0 {0=0}|with another part",
        "u:h a:i p:x+a a:b u:c  |u:h a:i p:y+a a:b      |0/0 {2=2}|with another, in the middle",
        "p:a+x+c a:d u:e        |u:a a:b u:c a:d        |0/0 {}|with the words before a lost"
            + " answer",
        "u:h a:i p:a+c a:d u:e  |u:h a:i u:a a:b u:c a:d|0/0 {}|in the middle, too",
        "p:r+a a:b p:r+x+c a:d u:e|p:r+a a:b u:c a:d    |0/0 {2=2}|with a part that came before",
        "u:y u:a a:b u:c        |p:y+a a:b              |0/0 {}|the parts as messages",
        "p:y+a a:b u:c          |u:y u:a a:b            |0/0 {}|and the reverse",
        "u:a a:d u:e            |u:a a:b u:c a:d        |0/0 {}|the thread's own first words",
      })
  void sendsTheCallersWordsBeforeAnAnswer(
      String incoming, String stored, String expected, String why) {
    Aligner aligner = new Aligner(forms(Talk.talk(incoming)), forms(Talk.talk(stored)), List.of());
    OwnWords own = aligner.ownWords(aligner.align(), false);

    assertThat(own.head() + "/" + own.instead() + " " + own.changed()).as(why).isEqualTo(expected);
    assertThat(own.between()).as(why).isEmpty();
  }

  /**
   * Of several choices the thread has the first; and some callers edit or shorten an answer, or
   * clear the result of a tool.
   */
  @ParameterizedTest(name = "[{0}] on [{1}]")
  @CsvSource(
      delimiter = '|',
      value = {
        "u:a a:2 u:c        |u:a a:1        |{1=1}|another choice",
        "u:a a:1 u:c        |u:a a:1        |{}   |the first one",
        "u:a a:2 u:c a:d u:e|u:a a:1 u:c a:d|{1=1}|of an earlier call",
        "u:a b:x+1 r:1=r u:c|u:a b:y+1 r:1=r a:d|{1=1}|words beside a call",
        "u:a c:1 r:1=cleared a:b u:c|u:a c:1 r:1=long a:b|{2=2}|a result",
        "u:a c:1 s:1=cleared+x a:b u:c|u:a c:1 s:1=long+x a:b|{2=2}|a result before words"
      })
  void sendsTheAnswerOrResultThatTheCallerHas(
      String incoming, String stored, String expected, String why) {
    Aligner aligner = new Aligner(forms(Talk.talk(incoming)), forms(Talk.talk(stored)), List.of());

    assertThat(aligner.ownWords(aligner.align(), false).changed()).as(why).hasToString(expected);
  }

  /** Words that a client puts among what the thread has, and what a failed call left unstored. */
  @ParameterizedTest(name = "[{0}] on [{1}]")
  @CsvSource(
      delimiter = '|',
      value = {
        "u:a a:b u:x u:c a:d u:e    |u:a a:b u:c a:d|[2]    |before a question",
        "u:a u:x a:b u:e            |u:a a:b        |[1]    |behind a question",
        "u:a a:b u:x u:y u:c a:d u:e|u:a a:b u:c a:d|[2, 3] |two of them",
        "u:a a:b u:x a:d u:e        |u:a a:b u:c a:d|[]     |in the place of others",
        "u:a a:b u:x u:y a:d u:e    |u:a a:b u:c a:d|[]     |several in the place of one",
        "u:x u:c a:d u:e            |u:a a:b u:c a:d|[]     |at the beginning of a cut history",
        "u:a a:b u:x u:c a:d u:e    |u:y c:1 u:a a:b r:1=x a:z u:c a:d|[2]|behind another window's"
            + " loop",
        "u:a a:b u:x                |u:a a:b        |[]     |new words"
      })
  void sendsTheCallersWordsBetweenNeighbours(
      String incoming, String stored, String expected, String why) {
    Aligner aligner = new Aligner(forms(Talk.talk(incoming)), forms(Talk.talk(stored)), List.of());
    assertThat(aligner.ownWords(aligner.align(), false).between()).as(why).hasToString(expected);
  }
}

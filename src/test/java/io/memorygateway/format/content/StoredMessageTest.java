package io.memorygateway.format.content;

import static io.memorygateway.format.Calls.json;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.json.JsonValue;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a stored message says of itself, and its short form; JSON in single quotes. */
class StoredMessageTest {
  private static final String CALL = "{'type':'tool_use','id':'t','name':'f','input':{'a':1}}";
  private static final String RESULT = "{'type':'tool_result','tool_use_id':'t','content':'sunny'}";
  private static final String IMAGE =
      "{'type':'image','source':{'type':'url','url':'https://example.com/a.png'}}";
  private static final String THOUGHT = "{'type':'thinking','thinking':'hm','signature':'s'}";

  @Test
  void aUsersMessageHasTheRoleAndNoResults() {
    assertThat(message("user", "'a'").isOfUser()).isTrue();
    assertThat(message("assistant", "'a'").isOfUser()).isFalse();
    assertThat(message("user", "[" + RESULT + "]").isOfUser()).isFalse();
  }

  @Test
  void itsTextIsWithoutToolsAndItsIdsAreThoseOfItsTools() {
    StoredMessage calls = message("assistant", "[{'type':'text','text':'a'}," + CALL + "]");
    assertThat(calls.text()).isEqualTo("a");
    assertThat(calls.callIds()).containsExactly("t");
    assertThat(calls.resultIds()).isEmpty();
    StoredMessage results = message("user", "[" + RESULT + "]");
    assertThat(results.text()).isEmpty();
    assertThat(results.callIds()).isEmpty();
    assertThat(results.resultIds()).containsExactly("t");
  }

  @Test
  void theRoleOfAMessageObjectIsAKnownOne() {
    assertThat(object("{'role':'assistant','content':'a'}").role()).isEqualTo("assistant");
    assertThat(object("{'role':'function','content':'a'}").role()).isEqualTo("tool");
    assertThat(object("{'role':'robot','content':'a'}").role()).isEqualTo("user");
  }

  @Test
  void aMessageObjectIsStoredBareIfItHasNothingButContent() {
    assertThat(content("{'role':'user','content':'a','name':null,'x':[]}")).isEqualTo("'a'");
    assertThat(content("{'role':'user','content':'a','name':'n'}"))
        .isEqualTo("{'content':'a','name':'n'}");
    assertThat(content("{'role':'user','content':1}")).isEqualTo("{'content':1}");
  }

  @Test
  void aShortFormKeepsIdsAndNamesOfToolsAndNamesOtherParts() {
    assertThat(shortened("[" + CALL + "]", 100)).isEqualTo("[" + CALL + "]");
    assertThat(shortened("[" + CALL + "]", 6))
        .isEqualTo("[{'type':'tool_use','id':'t','name':'f','input':{'omitted':'7 characters'}}]");
    assertThat(shortened("[" + RESULT + "]", 3))
        .contains("'tool_use_id':'t'")
        .contains("su [… 2 characters are not shown …] y");
    assertThat(shortened("[" + IMAGE + "," + THOUGHT + "]", 100))
        .isEqualTo("[{'type':'text','text':'[an image, not shown]'}]");
  }

  @Test
  void thePartsOfAShortFormShareItsCharacters() {
    String two = "[{'type':'text','text':'abcdef'},{'type':'text','text':'ghijkl'}]";
    assertThat(shortened(two, 12)).isEqualTo(two);
    assertThat(shortened(two, 6))
        .contains("ab [… 3 characters are not shown …] f")
        .contains("gh [… 3 characters are not shown …] l");
  }

  @Test
  void aShortTextIsItselfAndALongOneKeepsItsBeginningAndEnd() {
    assertThat(ShortForm.shortened("abcdef", 6)).isEqualTo("abcdef");
    assertThat(ShortForm.shortened("abcdefg", 6))
        .isEqualTo("abcd [… 1 characters are not shown …] fg");
    assertThat(ShortForm.shortened("abc", 0)).isEqualTo(" [… 3 characters are not shown …] ");
  }

  @Test
  void noCharacterIsCutInTwo() {
    String smile = "😀";
    String text = ShortForm.shortened("abc" + smile + "defg" + smile + "h", 6);
    assertThat(text).startsWith("abc [").endsWith("] h");
  }

  @Test
  void aNameIsAtMost256CharactersLong() {
    String call = "[{'type':'tool_use','id':'t','name':'" + "n".repeat(300) + "','input':{}}]";
    assertThat(shortened(call, 9)).contains("'name':'" + "n".repeat(256) + "'");
  }

  @Test
  void theWeightOfItsPartsIsCountedWhileTheyAreKept() {
    StoredMessage message = message("user", "[{'type':'text','text':'a'}]");
    assertThat(message.weightOfParts()).isZero();
    message.text();
    assertThat(message.weightOfParts()).isPositive();
    assertThat(message.withoutParts().weightOfParts()).isZero();
  }

  @Test
  void aResultWithoutAnIdIsAResult() {
    assertThat(object("{'role':'tool','tool_call_id':null,'content':'x'}").type())
        .isEqualTo("tool-result");
    for (String content :
        List.of(
            "'x'",
            "null",
            "[{'type':'text','text':'x'}]",
            "[{'type':'image_url','image_url':{'url':'u'}}]")) {
      for (String members :
          List.of("", "'name':'f',", "'tool_call_id':null,", "'tool_call_id':'',")) {
        assertThat(object("{'role':'tool'," + members + "'content':" + content + "}"))
            .extracting(StoredMessage::type, StoredMessage::resultIds)
            .containsExactly("tool-result", List.of(""));
      }
      assertThat(
              object("{'role':'user','tool_call_id':null,'content':" + content + "}").resultIds())
          .isEmpty();
    }
    assertThat(StoredMessage.of("tool", "\"x\"").named(List.of("c")).content())
        .isEqualTo(json("{'tool_call_id':'c','content':'x'}"));
    String foreign = "[{'type':'tool-result','toolCallId':'c','output':'x'}]";
    assertThat(object("{'role':'tool','content':" + foreign + "}").content())
        .isEqualTo(json(foreign));
    assertThat(object("{'role':'function','tool_call_id':null,'name':'f','content':'x'}").type())
        .isEqualTo("tool-result");
  }

  private static StoredMessage message(String role, String content) {
    return StoredMessage.of(role, json(content));
  }

  private static StoredMessage object(String message) {
    return StoredMessage.ofMessage(JsonValue.of(json(message)), Shape.CHAT);
  }

  private static String content(String message) {
    return object(message).content().replace('"', '\'');
  }

  private static String shortened(String content, int characters) {
    return message("user", content).shortened(characters).content().replace('"', '\'');
  }
}

package io.memorygateway.format.answer;

import static io.memorygateway.format.Calls.json;
import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.json.JsonValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values that are put together from pieces, in single quotes. */
class MergedTest {
  private long characters;
  private long values;
  private final Merged merged =
      new Merged(
          (moreCharacters, moreValues) -> {
            characters += moreCharacters;
            values += moreValues;
            return characters <= 1000;
          });

  @Test
  void aNameInPiecesEnds() {
    Merged endless = new Merged((moreCharacters, moreValues) -> true);
    for (int i = 0; i < 3000; i++) {
      endless.add(JsonValue.of(i == 0 ? "{\"name\":\"ab\"}" : "{\"name\":\"c\"}"));
    }
    assertThat(endless.member("name").text()).hasSize(1024).startsWith("abcc");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        // texts, and those that come in one piece
        "{'a':'x'} + {'a':'y','b':'z'} | {'a':'xy','b':'z'}",
        "{'id':'x','name':'f'} + {'id':'','name':'f'} + {'id':'y'} | {'id':'y','name':'f'}",
        "{'signature':'x'} + {'signature':'y'} | {'signature':'y'}",
        "{'a':'x'} + {'a':'n','a':'y','b':'z'} | {'a':'xy','b':'z'}",
        // objects, and what else there is
        "{'a':{'b':'x','n':1}} + {'a':{'b':'y','n':2.0}} + {'a':null} | {'a':{'b':'xy','n':2.0}}",
        "{'a':1} + {'a':'x'} + {'a':{'b':1}} + {'a':2} | {'a':'x'}",
        "{'a':null} + {'a':'x'} | {'a':'x'}",
        "{'a':''} + {'a':{'b':1}} | {'a':{'b':1}}",
        "{'a':[{'index':0,'b':'x'}]} + {'a':1} + {'a':[{'index':0,'b':'y'}]} | {'a':[{'index':0,'b':'xy'}]}",
        // entries by index
        "{'a':[{'index':1,'b':'x'},{'index':0,'b':'z'}]} + {'a':[{'index':1,'b':'y'}]} | {'a':[{'index':1,'b':'xy'},{'index':0,'b':'z'}]}",
        "{'a':[{'index':1000000000,'b':'x'},{'index':-1}]} + {'a':[{'index':1000000000,'b':'y'}]} | {'a':[{'index':1000000000,'b':'xy'},{'index':-1}]}",
        // by id, where the index does not tell
        "{'a':[{'index':0,'id':'p','b':'x'}]} + {'a':[{'index':0,'id':'q','b':'y'}]} + {'a':[{'index':0,'b':'z'}]} + {'a':[{'index':0,'id':'p','b':'w'}]} | {'a':[{'index':0,'id':'p','b':'xw'},{'index':0,'id':'q','b':'yz'}]}",
        "{'a':[{'id':'p','b':'x'},{'id':'q','b':'y'}]} + {'a':[{'id':'p','b':'z'}]} | {'a':[{'id':'p','b':'xz'},{'id':'q','b':'y'}]}",
        // by type
        "{'a':[{'index':0,'type':'t','text':'x'}]} + {'a':[{'index':0,'type':'u','data':'y'}]} | {'a':[{'index':0,'type':'t','text':'x'},{'index':0,'type':'u','data':'y'}]}",
        "{'a':[{'type':'t','text':'x'}]} + {'a':[{'type':'t','text':'y'},{'type':'u','text':'z'}]} | {'a':[{'type':'t','text':'xy'},{'type':'u','text':'z'}]}",
        "{'a':[{'type':'t','text':'x'}]} + {'a':[{'type':'t','signature':'s'}]} + {'a':[{'type':'t','signature':'r'}]} | {'a':[{'type':'t','text':'x','signature':'s'},{'type':'t','signature':'r'}]}",
        "{'a':[{'type':'t','url':'x'}]} + {'a':[{'type':'t','url':'y'}]} | {'a':[{'type':'t','url':'x'},{'type':'t','url':'y'}]}",
        "{'a':[1,'x']} + {'a':[1,'x',[2]]} | {'a':[1,'x',1,'x',[2]]}",
        // texts and parts
        "{'a':''} + {'a':[{'type':'text','text':'x'}]} + {'a':'y'} + {'a':''} | {'a':[{'type':'text','text':'xy'}]}",
        "{'a':'x'} + {'a':[{'type':'u','b':1}]} | {'a':[{'type':'text','text':'x'},{'type':'u','b':1}]}",
        // bytes are kept where there is but one piece
        "{'a':{'b' : 1.0e2,'c':'\\u0062'}} | {'a':{'b' : 1.0e2,'c':'\\u0062'}}",
      })
  void piecesArePutTogether(String pieces, String expected) {
    for (String piece : pieces.split(" \\+ ", -1)) {
      merged.addMembers(JsonValue.of(json(piece)));
    }

    assertThat(merged.json()).isEqualTo(json(expected));
  }

  @Test
  void ofDeepValuesTheLastCounts() {
    for (String text : new String[] {"x", "y"}) {
      merged.add(JsonValue.of("{\"a\":".repeat(50) + "\"" + text + "\"" + "}".repeat(50)));
    }

    assertThat(merged.json()).contains("\"y\"").doesNotContain("\"xy\"");
  }

  @Test
  void allThatIsHeldCounts() {
    merged.addMembers(JsonValue.of("{\"a\":\"0123\",\"b\":[1,{\"c\":2}]}"));
    assertThat(characters).isEqualTo(4 + 11);
    assertThat(values).as("two members, a text, and four in the list").isEqualTo(2 + 1 + 4);

    merged.addMembers(JsonValue.of("{\"a\":\"45\",\"b\":[{}]}"));
    assertThat(characters).as("not again for what is taken apart").isEqualTo(15 + 2 + 2);
  }

  @Test
  void whatDoesNotFitIsNotHeld() {
    String long1 = "x".repeat(600);
    merged.addMembers(JsonValue.of("{\"a\":\"" + long1 + "\"}"));
    merged.addMembers(JsonValue.of("{\"a\":\"" + long1 + "\",\"b\":[1]}"));

    assertThat(merged.json()).contains(long1).hasSizeLessThan(620);
  }
}

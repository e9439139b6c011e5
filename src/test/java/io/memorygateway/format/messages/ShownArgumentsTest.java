package io.memorygateway.format.messages;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.json.JsonValue;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ShownArgumentsTest {
  private static final String[] JSON = {
    "{}",
    " {\"a\" : 1 , \"b\":[true,null,-1.5e+3,\"x\\\"\\u00e9\\\\\"],\"c\":{\"d\":[]}} ",
    "{\"path\":\"a.txt\",\"lines\":[{\"n\":1},{\"n\":2}],\"é\":\"😀\"}"
  };

  @Test
  void showsWholeArgumentsAsTheyAreWhereverTheyAreSplit() {
    for (String json : JSON) {
      for (int one = 0; one <= json.length(); one++) {
        for (int other = one; other <= json.length(); other++) {
          ShownArguments arguments = new ShownArguments();
          String shown =
              arguments.add(json.substring(0, one))
                  + arguments.add(json.substring(one, other))
                  + arguments.add(json.substring(other));
          assertThat(shown + arguments.end(false)).isEqualTo(json);
        }
      }
    }
  }

  @Test
  void holdsBackNoMoreThanAWord() {
    ShownArguments arguments = new ShownArguments();

    assertThat(arguments.add("{\"a\":\"b")).isEqualTo("{\"a\":\"b");
    assertThat(arguments.add("c\",\"d\":tr")).isEqualTo("c\",\"d\":");
    assertThat(arguments.add("ue}")).isEqualTo("true}");
  }

  @Test
  void makesAnObjectOfWhateverAModelWrites() {
    Random random = new Random(7);
    String signs = "{}[]\",:\\u019aeE+-. \n\u0001é\ud83d";
    for (int round = 0; round < 50_000; round++) {
      StringBuilder json = new StringBuilder(JSON[random.nextInt(JSON.length)]);
      for (int i = random.nextInt(4); i > 0; i--) {
        int at = random.nextInt(json.length());
        char sign = signs.charAt(random.nextInt(signs.length()));
        switch (random.nextInt(3)) {
          case 0 -> json.insert(at, sign);
          case 1 -> json.setLength(at + 1);
          default -> json.setCharAt(at, sign);
        }
      }
      int split = random.nextInt(json.length() + 1);
      ShownArguments arguments = new ShownArguments();
      String shown = arguments.add(json.substring(0, split)) + arguments.add(json.substring(split));
      String all = shown + arguments.end(false);
      assertThat(all.isBlank() || JsonValue.of(all).isObject()).as("%s -> %s", json, all).isTrue();
      if (JsonValue.isValid(json.toString()) && JsonValue.of(json.toString()).isObject()) {
        assertThat(all).isEqualTo(json.toString());
      }
    }
  }

  @Test
  void leavesArgumentsOpenThatWereCutOff() {
    ShownArguments arguments = new ShownArguments();

    assertThat(arguments.add("{\"a\":\"b") + arguments.end(true)).isEqualTo("{\"a\":\"b");
  }
}

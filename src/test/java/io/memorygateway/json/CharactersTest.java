package io.memorygateway.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CharactersTest {
  @Test
  void theLengthIsThatOfTheEncodedString() {
    assertThat(Characters.utf8Length("")).isZero();
    for (int point = 0; point <= Character.MAX_CODE_POINT; point += point < 0x1000 ? 1 : 0xFF) {
      if (Character.getType(point) == Character.SURROGATE) {
        continue;
      }
      String string = "a" + Character.toString(point) + "z";
      assertThat(Characters.utf8Length(string)).isEqualTo(string.getBytes(UTF_8).length);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a", "\u0001", "\ud83d\ude00", "a\ud83d\ude00\udbff\udfff\uffff"})
  void charactersAreStorable(String string) {
    assertThat(Characters.areStorable(string)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a",
        " - ",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "\u200f\u05d0",
        "\ud83d\udc69\u200d\ud83d\udcbb",
        "e\u0301",
        "\ue000",
        "\ud83e\udfff"
      })
  void namesThatAreSeenMayBeGiven(String name) {
    assertThat(Characters.areShownName(name, 8)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "\u00a0\u2003",
        "\u200b",
        "\u200b\u200d\ufeff\u2060 ",
        "\u200e\u200f",
        "\u0301",
        "\ufe0f",
        "\u3164",
        "\u2800",
        "\udb40\udc41",
        "pohs\u202e",
        "\u2067shop\u2069",
        "a\nb",
        "nine char"
      })
  void namesThatNobodySeesOrThatTurnOthersAreNone(String name) {
    assertThat(Characters.areShownName(name, 8)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\0",
        "a\0",
        "\ud83d",
        "a\ud83d",
        "\ud83da",
        "\ude00",
        "\ude00\ud83d",
        "\ud83d\ud83d\ude00",
        "\ud83d\ude00\ude00",
        "\ud83d\ude00\0"
      })
  void nulAndHalfAPairAreNotStorable(String string) {
    assertThat(Characters.areStorable(string)).isFalse();
  }
}

package io.memorygateway.observation.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeadingsTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "# Plan",
        "###### Plan",
        "```java",
        "~~~",
        "`~`",
        "**Plan**",
        "**Plan**:",
        "__Plan__",
        "---",
        "| --- | :--: |",
        "= = =",
        "You need:",
        "You need:**",
        "a:"
      })
  void headingsAndRulesAreNoSentences(String heading) {
    assertThat(Headings.isOne(heading)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "#Plan",
        "####### Plan",
        "``java",
        "**Plan",
        "**My** plan**",
        "***Plan***",
        "--",
        ":",
        "You need: bread",
        "You need:***",
        "It is bold **here**"
      })
  void othersAreSentences(String sentence) {
    assertThat(Headings.isOne(sentence)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"Dear [Your Name],", "[Name]", "a [b] [Date of the meeting]!"})
  void placeholdersAreFound(String sentence) {
    assertThat(Headings.hasPlaceholder(sentence)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"[Name](http://x)", "[Your", "[my name]", "[", "[[[[", "[Name of \n]x"})
  void othersAreNone(String sentence) {
    assertThat(Headings.hasPlaceholder(sentence.replace("\n", "a".repeat(60)))).isFalse();
  }
}

package io.memorygateway.observation.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class CodeBlocksTest {
  @Test
  void codeIsLeftOut() {
    assertThat(without("One.\n```java\nint a;\n\nint b;\n```\nTwo.\n~~~\nc\n~~~\nThree."))
        .isEqualTo("One.\nTwo.\nThree.\n");
  }

  @Test
  void indentedBlocksOfListsAreCodeToo() {
    assertThat(without("1. Run:\n   ```\n   make\n   ```\n2. Done."))
        .isEqualTo("1. Run:\n2. Done.\n");
  }

  @Test
  void aPartThatBeginsWithinABlockRetainsWhatFollowsTheBlock() {
    assertThat(without("int b;\n```\nTwo.\n```java\nint c;\n```\nThree."))
        .isEqualTo("int b;\nTwo.\nThree.\n");
    assertThat(without("One.\n```\nint a;\nTwo?")).isEqualTo("One.\nint a;\nTwo?\n");
  }

  @Test
  void aMessageOfCodeAloneRemains() {
    assertThat(without("```\nint a;\n```")).isEqualTo("```\nint a;\n```");
  }

  @Test
  void codeWithinALineAndTextsOfToolsRemain() {
    assertThat(without("Use ```a``` here.")).isEqualTo("Use ```a``` here.\n");
    Passage result = passage(Passage.Kind.TOOL_RESULT, "```\na\n```\nb");
    assertThat(CodeBlocks.without(result)).isSameAs(result);
  }

  private static String without(String text) {
    return CodeBlocks.without(passage(Passage.Kind.TEXT, text)).text();
  }

  private static Passage passage(Passage.Kind kind, String text) {
    return new Passage("user", Instant.EPOCH, kind, "", text);
  }
}

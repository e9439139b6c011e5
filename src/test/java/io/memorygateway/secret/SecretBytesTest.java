package io.memorygateway.secret;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §6: the provider's key is found however it is echoed. */
class SecretBytesTest {
  private static final String KEY = "sk-a/B+c=9876543210.x";

  private final SecretBytes secret = SecretBytes.of(KEY);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sk-a/B+c=9876543210.x",
        "sk-a\\/B+c=9876543210.x",
        "sk-a\\/B\\u002bc\\u003d9876543210.x",
        "sk-a\\u002fB\\u002Bc\\u003D9876543210.x",
        "\\u0073k-a/B+c=9876543210.\\u0078",
        "\\u0073\\u006b\\u002D\\u0061/B+c=\\u0039876543210.x",
        "\\\\u0073k-a\\\\\\/B+c=9876543210.x",
      })
  void theSecretIsFoundInEveryEncoding(String encoded) {
    assertThat(secret.mask("a " + encoded + " b")).isEqualTo("a *** b");
    assertThat(secret.mask(encoded)).isEqualTo("***");
    assertThat(secret.mask(encoded + encoded + "9876543210.x" + encoded))
        .isEqualTo("******9876543210.x***");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "sk-a/B+c=9876543210.",
        "k-a/B+c=9876543210.x",
        "9876543210.x",
        "sk-a/B+c-9876543210.x",
        "sk-a\\u002gB+c=9876543210.x",
        "sk-a/B+c=9876543210.y sk-a/B+c=987654321",
      })
  void whatIsNotTheSecretIsNotCopied(String text) {
    byte[] bytes = text.getBytes(UTF_8);

    assertThat(secret.mask(bytes)).isSameAs(bytes);
  }

  @ParameterizedTest
  @CsvSource({"EMPTY", "1234567", "''"})
  void whatIsTooShortIsNoSecret(String word) {
    assertThat(SecretBytes.of(word)).isSameAs(SecretBytes.NONE);
    assertThat(SecretBytes.of(null).mask(word)).isEqualTo(word);
  }

  @Test
  void inRandomTextEverySecretIsFoundAndNothingElseChanges() {
    Random random = new Random(7);
    for (int round = 0; round < 2000; round++) {
      StringBuilder text = new StringBuilder();
      StringBuilder expected = new StringBuilder();
      for (int i = 0; i < random.nextInt(12); i++) {
        boolean secret = random.nextInt(3) == 0;
        int from = random.nextInt(KEY.length() - 1) + 1;
        String part =
            secret ? KEY : KEY.substring(from, from + random.nextInt(KEY.length() - from));
        text.append(part);
        expected.append(secret ? "***" : part);
      }
      assertThat(secret.mask(text.toString())).isEqualTo(expected.toString());
    }
  }
}

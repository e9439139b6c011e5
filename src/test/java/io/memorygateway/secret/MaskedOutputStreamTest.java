package io.memorygateway.secret;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MaskedOutputStreamTest {
  private static final String SECRET = "sk-0123456789";

  @ParameterizedTest
  @CsvSource({
    "a sk-0123456789 b, a *** b",
    "sk-0123456789sk-0123456789, ******",
    "sk-sk-0123456789, sk-***",
    "sk-012345678, sk-012345678",
    "x\\u0073k-0123456789y, x***y",
    "x\\u0073k-012345678, x\\u0073k-012345678",
  })
  void theSecretIsMaskedHoweverItIsSplit(String text, String shown) throws Exception {
    for (int first = 0; first <= text.length(); first++) {
      for (int second = first; second <= text.length(); second++) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        MaskedOutputStream masked = new MaskedOutputStream(SecretBytes.of(SECRET), out);
        write(masked, text.substring(0, first));
        write(masked, text.substring(first, second));
        write(masked, text.substring(second));
        masked.finish();

        assertThat(out.toString(UTF_8)).as("%d %d", first, second).isEqualTo(shown);
      }
    }
  }

  @Test
  void nothingElseIsHeld() throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    MaskedOutputStream masked = new MaskedOutputStream(SecretBytes.of(SECRET), out);

    write(masked, "data: sk and more\n\n");
    assertThat(out.toString(UTF_8)).isEqualTo("data: sk and more\n\n");
    write(masked, "x sk-01");
    assertThat(out.toString(UTF_8)).endsWith("\n\nx ");
  }

  private static void write(MaskedOutputStream out, String text) throws Exception {
    out.write(text.getBytes(UTF_8), 0, text.length());
  }
}

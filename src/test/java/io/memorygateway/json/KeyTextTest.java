package io.memorygateway.json;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Keys and tokens are recognised wherever they stand. */
class KeyTextTest {
  private static final String KEY = "msk_0123456789abcdef0123456789abcdef";

  @Test
  void aKeyIsItsPrefixAndDigitsAndNothingElse() {
    assertThat(KeyText.isKey(KEY, "msk_")).isTrue();
    assertThat(KeyText.isKey(KEY, "msa_")).isFalse();
    assertThat(KeyText.isKey(KEY + "0", "msk_")).isFalse();
    assertThat(KeyText.isKey(KEY.substring(1), "msk_")).isFalse();
    assertThat(KeyText.isKey(KEY.replace('f', 'F'), "msk_")).isFalse();
    assertThat(KeyText.isKey(KEY.replace('f', 'g'), "msk_")).isFalse();
  }

  @Test
  void aTextHoldsAKeyIfEnoughDigitsFollow() {
    assertThat(KeyText.isIn("my msk_msk_0aFc1", "msk_", 5)).isTrue();
    assertThat(KeyText.isIn("my msk_msk_0aFc", "msk_", 5)).isFalse();
    assertThat(KeyText.isIn("msk_x msk_0aFc1", "msk_", 5)).isTrue();
    assertThat(KeyText.isIn("my MSK_0AFC1", "msk_", 5)).isTrue();
    assertThat(KeyText.isIn("_msk", "msk_", 1)).isFalse();
    assertThat(KeyText.isIn("", "msk_", 1)).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "a msk_01234 b,a msk_*** b,a msk_0123*** b",
    "msa_0123456789,msa_***,msa_0123***",
    "MSK_0aBcDe.,MSK_***.,MSK_0aBc***.",
    "msk_0123 stays,msk_0123 stays,msk_0123 stays",
    "msk_msk_01234_msk_56789a,msk_msk_***_msk_***,msk_msk_0123***_msk_5678***",
    "mst_0123456 _0123456,mst_0123456 _0123456,mst_0123456 _0123456",
  })
  void keysAreMaskedButForTheirFirstDigits(String text, String none, String four) {
    assertThat(KeyText.masked(text, 0)).isEqualTo(none);
    assertThat(KeyText.masked(text, 4)).isEqualTo(four);
  }
}

package io.memorygateway.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.SecureRandom;
import org.junit.jupiter.api.Test;

/** Contract §1: {@code msk_} and 128 random bits; stored as SHA-256. */
class IssuedSecretTest {
  @Test
  void aNewOneIsWellFormedAndUnlikeTheLast() {
    SecureRandom random = new SecureRandom();
    String secret = IssuedSecret.API_KEY.generate(random);
    assertThat(secret)
        .matches("msk_[0-9a-f]{32}")
        .isNotEqualTo(IssuedSecret.API_KEY.generate(random));
    assertThat(IssuedSecret.API_KEY.isWellFormed(secret)).isTrue();
    assertThat(IssuedSecret.API_KEY.isWellFormed(secret + "0")).isFalse();
    assertThat(IssuedSecret.API_KEY.isWellFormed(secret.substring(1) + "0")).isFalse();
    assertThat(IssuedSecret.API_KEY.isWellFormed("msk_" + "0123456789ABCDEF".repeat(2))).isFalse();
    assertThat(IssuedSecret.ADMIN_TOKEN.isWellFormed(secret)).isFalse();
    assertThat(IssuedSecret.API_KEY.shown(secret)).isEqualTo(secret.substring(0, 8));
  }

  @Test
  void aPartIsFoundInLettersOfEitherCase() {
    assertThat(IssuedSecret.API_KEY.isIn("x msk_01234abc")).isTrue();
    assertThat(IssuedSecret.API_KEY.isIn("x MSK_01234ABC")).isTrue();
    assertThat(IssuedSecret.API_KEY.isIn("x msk_0123 abc")).isFalse();
  }

  @Test
  void theHashIsOfTheWholeKey() {
    // printf %s msk_00000000000000000000000000000000 | sha256sum
    assertThat(IssuedSecret.hash("msk_00000000000000000000000000000000"))
        .isEqualTo("dbbd43a5efdd296c40d626aa461aa06995d371650778ae9267a360f068af0f6e");
  }
}

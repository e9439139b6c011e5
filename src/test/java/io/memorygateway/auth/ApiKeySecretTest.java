package io.memorygateway.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.SecureRandom;
import org.junit.jupiter.api.Test;

/** Contract §1: {@code msk_} and 128 random bits; stored as SHA-256. */
class ApiKeySecretTest {
  @Test
  void aNewOneIsWellFormedAndUnlikeTheLast() {
    SecureRandom random = new SecureRandom();
    String secret = ApiKeySecret.generate(random);
    assertThat(secret).matches("msk_[0-9a-f]{32}").isNotEqualTo(ApiKeySecret.generate(random));
    assertThat(ApiKeySecret.isWellFormed(secret)).isTrue();
    assertThat(ApiKeySecret.prefix(secret)).isEqualTo(secret.substring(0, 8));
  }

  @Test
  void aPartIsFoundInLettersOfEitherCase() {
    assertThat(ApiKeySecret.isIn("x msk_01234abc")).isTrue();
    assertThat(ApiKeySecret.isIn("x MSK_01234ABC")).isTrue();
    assertThat(ApiKeySecret.isIn("x msk_0123 abc")).isFalse();
  }

  @Test
  void theHashIsOfTheWholeKey() {
    // printf %s msk_00000000000000000000000000000000 | sha256sum
    assertThat(ApiKeySecret.hash("msk_00000000000000000000000000000000"))
        .isEqualTo("dbbd43a5efdd296c40d626aa461aa06995d371650778ae9267a360f068af0f6e");
  }
}

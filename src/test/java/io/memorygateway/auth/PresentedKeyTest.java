package io.memorygateway.auth;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.ws.rs.core.MultivaluedHashMap;
import jakarta.ws.rs.core.MultivaluedMap;
import org.junit.jupiter.api.Test;

/** Contract §2: the first header that carries a gateway key decides. */
class PresentedKeyTest {
  private final MultivaluedMap<String, String> headers = new MultivaluedHashMap<>();

  @Test
  void thePassThroughHeaderComesFirst() {
    put("X-Memory-Gateway-Authorization", "Bearer msk_1");
    put("Authorization", "Bearer msk_2");
    put("x-api-key", "msk_3");
    assertThat(PresentedKey.of(headers::getFirst)).isEqualTo(new PresentedKey("msk_1", true));
  }

  @Test
  void thenTheBearerTokenThenTheApiKey() {
    put("X-Memory-Gateway-Authorization", "Bearer sk-1");
    put("Authorization", "bearer  msk_2 ");
    put("x-api-key", "msk_3");
    assertThat(PresentedKey.of(headers::getFirst)).isEqualTo(new PresentedKey("msk_2", false));
    put("Authorization", "Basic msk_2");
    assertThat(PresentedKey.of(headers::getFirst)).isEqualTo(new PresentedKey("msk_3", false));
    put("api-key", "msk_4");
    assertThat(PresentedKey.of(headers::getFirst)).isEqualTo(new PresentedKey("msk_3", false));
    put("x-api-key", "sk-3");
    assertThat(PresentedKey.of(headers::getFirst)).isEqualTo(new PresentedKey("msk_4", false));
    put("api-key", "4");
    assertThat(PresentedKey.of(headers::getFirst)).isNull();
  }

  @Test
  void nothingIsNothing() {
    assertThat(PresentedKey.of(headers::getFirst)).isNull();
    put("Authorization", "");
    put("x-api-key", "");
    assertThat(PresentedKey.of(headers::getFirst)).isNull();
    put("Authorization", "Bearer");
    assertThat(PresentedKey.of(headers::getFirst)).isNull();
  }

  @Test
  void itNeverShowsItself() {
    assertThat(new PresentedKey("msk_secret", false).toString()).doesNotContain("msk_secret");
  }

  private void put(String name, String value) {
    headers.putSingle(name, value);
  }
}

package io.memorygateway.auth;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.ws.rs.core.MultivaluedHashMap;
import jakarta.ws.rs.core.MultivaluedMap;
import org.junit.jupiter.api.Test;

/** Contract §2: the caller's own provider key beside a pass-through gateway key. */
class ProviderKeyTest {
  private final MultivaluedMap<String, String> headers = new MultivaluedHashMap<>();

  @Test
  void theBearerTokenComesFirstThenTheApiKeys() {
    headers.putSingle("x-goog-api-key", "AIza");
    assertThat(ProviderKey.of(headers)).isEqualTo(new ProviderKey("AIza", false));
    headers.putSingle("x-api-key", "sk-ant");
    assertThat(ProviderKey.of(headers)).isEqualTo(new ProviderKey("sk-ant", false));
    headers.putSingle("Authorization", "Bearer sk-openai");
    assertThat(ProviderKey.of(headers)).isEqualTo(new ProviderKey("sk-openai", true));
  }

  @Test
  void placeholdersBlanksAndGatewayKeysAreNone() {
    headers.putSingle("Authorization", "Bearer oauth-gateway-placeholder");
    headers.putSingle("x-api-key", "msk_0");
    headers.putSingle("x-goog-api-key", " ");
    assertThat(ProviderKey.of(headers)).isNull();
  }

  @Test
  void itNeverShowsItself() {
    assertThat(new ProviderKey("sk-secret", true).toString()).doesNotContain("sk-secret");
  }
}

package io.memorygateway.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.http.errors.ApiException;
import jakarta.ws.rs.core.MultivaluedHashMap;
import jakarta.ws.rs.core.MultivaluedMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §2: the caller's own provider key beside a pass-through gateway key. */
class ProviderKeyTest {
  private final MultivaluedMap<String, String> headers = new MultivaluedHashMap<>();

  @Test
  void theBearerTokenComesFirstThenTheApiKeys() {
    headers.putSingle("x-goog-api-key", "AIza");
    assertThat(ProviderKey.of(headers::getFirst)).isEqualTo(new ProviderKey("AIza", false));
    headers.putSingle("x-api-key", "sk-ant");
    assertThat(ProviderKey.of(headers::getFirst)).isEqualTo(new ProviderKey("sk-ant", false));
    headers.putSingle("Authorization", "Bearer sk-openai");
    assertThat(ProviderKey.of(headers::getFirst)).isEqualTo(new ProviderKey("sk-openai", true));
  }

  @Test
  void placeholdersBlanksAndGatewayKeysAreNone() {
    headers.putSingle("Authorization", "Bearer oauth-gateway-placeholder");
    headers.putSingle("x-api-key", "msk_0");
    headers.putSingle("x-goog-api-key", " ");
    assertThat(ProviderKey.of(headers::getFirst)).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Bearer msk_0123456789abcdef0123456789abcdef",
        "Bearer Bearer msk_0123456789abcdef0123456789abcdef",
        "bearer  bearer msk_0123456789abcdef0123456789abcdef",
        "msk_0123456789abcdef0123456789abcdef",
      })
  void aGatewayKeyInAnotherHeaderIsNoneHoweverManySchemesItHas(String value) {
    headers.putSingle("Authorization", value);
    headers.putSingle("x-api-key", value);
    headers.putSingle("x-goog-api-key", value);
    assertThat(ProviderKey.of(headers::getFirst)).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "abc,msk_0123456789abcdef0123456789abcdef",
        "Bearer abc msk_0123456789abcdef0123456789abcdef",
        "sk-own;msk_01234",
        "key=msk_0123456789ABCDEF0123456789ABCDEF",
      })
  void aGatewayKeyInTheMidstOfSomethingElseIsAMistakeThatIsTold(String value) {
    for (String header : new String[] {"x-api-key", "x-goog-api-key"}) {
      headers.clear();
      headers.putSingle(header, value);
      assertThatThrownBy(() -> ProviderKey.of(headers::getFirst))
          .isInstanceOfSatisfying(
              ApiException.class,
              e -> {
                assertThat(e.error().status()).isEqualTo(400);
                assertThat(e.error().message()).doesNotContain("msk_");
              });
    }
  }

  @Test
  void aSchemeIsNoPartOfAProvidersKey() {
    headers.putSingle("x-api-key", "Bearer sk-own");
    assertThat(ProviderKey.of(headers::getFirst)).isEqualTo(new ProviderKey("sk-own", false));
  }

  @Test
  void itNeverShowsItself() {
    assertThat(new ProviderKey("sk-secret", true).toString()).doesNotContain("sk-secret");
  }
}

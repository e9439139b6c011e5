package io.memorygateway.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.http.errors.ApiException;
import io.memorygateway.operator.ParameterValues;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Contract §15: scopes as operators give them, and as the database keeps them. */
class KeyScopesTest {
  private static final KeyScopes SOME =
      new KeyScopes(List.of("vllm/*"), List.of("chat"), "read", List.of("10.0.0.0/8"));

  @Test
  void whatIsNotGivenStaysAndWhatIsEmptyIsCleared() {
    assertThat(changed(SOME, Map.of())).isEqualTo(SOME);
    assertThat(changed(SOME, Map.of("models", "a/b, fast ,a/b")))
        .isEqualTo(
            new KeyScopes(List.of("a/b", "fast"), List.of("chat"), "read", SOME.addresses()));
    assertThat(changed(SOME, Map.of("endpoints", "", "memory", "")))
        .isEqualTo(new KeyScopes(SOME.models(), List.of(), null, SOME.addresses()));
    assertThat(changed(SOME, Map.of("memory", "all")).memory()).isNull();
    assertThat(changed(SOME, Map.of("addresses", "192.0.2.77/24,2001:DB8::1")).addresses())
        .containsExactly("192.0.2.0/24", "2001:db8::1");
    assertThat(changed(SOME, Map.of("models", "", "endpoints", "", "memory", "", "addresses", " ")))
        .isEqualTo(KeyScopes.ALL);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "models|a,,b",
        "models|,",
        "models|a\tb",
        "models|msk_0123456789abcdef0123456789abcdef",
        "endpoints|chat,zebra",
        "endpoints|Chat",
        "endpoints|files",
        "memory|write",
        "addresses|10.0.0.0/8,zebra",
        "addresses|10.0.0.0/64",
      })
  void nonsenseIs400AndNamesTheParameter(String parameter, String value) {
    assertThatThrownBy(() -> changed(SOME, Map.of(parameter, value)))
        .isInstanceOfSatisfying(
            ApiException.class,
            refused -> {
              assertThat(refused.error().status()).isEqualTo(400);
              assertThat(refused.error().message()).startsWith(parameter);
            });
  }

  @Test
  void listsAreBounded() {
    String most = IntStream.range(0, 64).mapToObj(i -> "m" + i).collect(Collectors.joining(","));

    assertThat(changed(SOME, Map.of("models", most)).models()).hasSize(64);
    assertThatThrownBy(() -> changed(SOME, Map.of("models", most + ",one-more")))
        .isInstanceOf(ApiException.class);
    assertThatThrownBy(() -> changed(SOME, Map.of("models", "x".repeat(256))))
        .isInstanceOf(ApiException.class);
  }

  @RepeatedTest(100)
  void whatIsStoredIsReadBack() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    Map<String, String> given = new HashMap<>();
    given.put("models", some(random, i -> "p" + i + "/\"\\é*" + random.nextInt(9)));
    given.put("endpoints", some(random, i -> KeyScopes.ENDPOINTS.get(random.nextInt(6))));
    given.put("memory", List.of("", "all", "read", "none").get(random.nextInt(4)));
    given.put("addresses", some(random, i -> i + ".2.3.4/" + random.nextInt(33)));
    KeyScopes scopes = changed(KeyScopes.ALL, given);

    assertThat(KeyScopes.parse(KeyScopes.format(scopes))).as("seed %d", seed).isEqualTo(scopes);
  }

  @Test
  void noScopesAreNoColumnAndAnUnknownPartOfALaterVersionIsPassedOver() {
    assertThat(KeyScopes.format(KeyScopes.ALL)).isNull();
    assertThat(KeyScopes.parse(null)).isEqualTo(KeyScopes.ALL);
    assertThat(KeyScopes.format(SOME))
        .isEqualTo(
            "{\"models\":[\"vllm/*\"],\"endpoints\":[\"chat\"],\"memory\":\"read\","
                + "\"addresses\":[\"10.0.0.0/8\"]}");
    assertThat(KeyScopes.parse("{\"later\":1,\"memory\":\"none\"}"))
        .isEqualTo(new KeyScopes(List.of(), List.of(), "none", List.of()));
  }

  private static String some(Random random, java.util.function.IntFunction<String> entry) {
    return IntStream.range(0, random.nextInt(5)).mapToObj(entry).collect(Collectors.joining(","));
  }

  private static KeyScopes changed(KeyScopes old, Map<String, String> given) {
    Map<String, String> all = new HashMap<>(given);
    all.put("id", "x");
    return KeyScopes.change(new ParameterValues(all, KeyAction.SCOPE.usage().parameters()))
        .apply(old);
  }
}

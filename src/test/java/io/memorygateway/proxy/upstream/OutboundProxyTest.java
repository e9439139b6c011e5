package io.memorygateway.proxy.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which proxy is on the way to a provider: ops/configuration.md, {@code providers.*.proxy}. */
class OutboundProxyTest {
  private static final OutboundProxy CONFIGURED = OutboundProxy.of("proxy", "http://configured:1");

  @ParameterizedTest
  @CsvSource({
    "https://api.example.com, https_proxy, true",
    "https://api.example.com, HTTPS_PROXY, true",
    "https://api.example.com, HTTP_PROXY, false",
    "http://api.example.com, HTTP_PROXY, true",
    "http://api.example.com, http_proxy, true",
    "http://localhost:8000/v1, HTTP_PROXY, false",
    "http://127.0.0.1:8000/v1, HTTP_PROXY, false",
    "'http://[::1]:8000/v1', HTTP_PROXY, false",
  })
  void thatOfTheEnvironmentGoesByTheSchemeAndIsNotForThisMachine(
      String address, String variable, boolean proxied) {
    OutboundProxy found =
        OutboundProxy.choose(address, null, List.of(), Map.of(variable, "http://p:3128"));

    assertThat(found == null ? null : found.toString()).isEqualTo(proxied ? "http://p:3128" : null);
  }

  @Test
  void theConfigurationWins() {
    Map<String, String> environment =
        Map.of("HTTPS_PROXY", "http://p:3128", "NO_PROXY", "api.example.com");

    assertThat(choose(CONFIGURED, List.of(), environment)).isEqualTo(CONFIGURED);
    assertThat(choose(null, List.of(), environment)).isNull();
    assertThat(choose(null, List.of("other.example"), environment)).hasToString("http://p:3128");
    assertThat(choose(CONFIGURED, List.of("*"), environment)).isNull();
    assertThat(choose(null, List.of(), Map.of("https_proxy", "", "HTTPS_PROXY", "p")))
        .hasToString("http://p:80");
  }

  @ParameterizedTest
  @CsvSource({
    "*, true",
    "api.example.com, true",
    "API.Example.com, true",
    "example.com, true",
    ".example.com, true",
    "*.example.com, true",
    "api.*, true",
    "api.example.com:443, true",
    "api.example.com:8443, false",
    "ple.com, false",
    "other.com, false",
    "apiXexample.com, false",
    "10.0.0.0/8, false",
    "'other.com, example.com', true",
  })
  void theseAreExcepted(String names, boolean excepted) {
    Map<String, String> environment = Map.of("HTTPS_PROXY", "http://p:3128", "NO_PROXY", names);

    assertThat(choose(null, List.of(), environment) == null).isEqualTo(excepted);
    assertThat(choose(CONFIGURED, Arrays.asList(names.split(",")), Map.of()) == null)
        .isEqualTo(excepted);
  }

  @ParameterizedTest
  @CsvSource({
    "http://10.1.2.3, 10.0.0.0/8, true",
    "http://10.1.2.3:8000, 10.1.2.0/24, true",
    "http://11.1.2.3, 10.0.0.0/8, false",
    "http://200.1.2.3, 0.0.0.0/0, true",
    "http://200.1.2.3, 200.0.0.0/7, true",
    "http://10.1.2.3, 10.0.0.0/x, false",
    "'http://[fd00::1]', fd00::/8, true",
    "'http://[fd00::1]', 10.0.0.0/8, false",
    "http://10.example.com, 10.0.0.0/8, false",
  })
  void blocksOfAddressesHoldAddresses(String address, String block, boolean excepted) {
    assertThat(OutboundProxy.choose(address, CONFIGURED, List.of(block), Map.of()) == null)
        .isEqualTo(excepted);
  }

  @Test
  void userAndPasswordAreDecodedAndNotShown() {
    OutboundProxy proxy = OutboundProxy.of("proxy", " http://us%40er:p+%3Aw@p.example.com:3128/ ");

    assertThat(proxy.user()).isEqualTo("us@er");
    assertThat(proxy.password()).isEqualTo("p+:w");
    assertThat(proxy).hasToString("http://***@p.example.com:3128");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "socks5://u:s3cret@p:1",
        "https://u:s3cret@p:1",
        "http://u:s3cret@",
        "http://u:s3cret@p:x",
        "http://u:s3cret@p:1/path",
        "http://u:s3cret@p:1?q",
        "http://u:s3%zzcret@p:1",
        "u:s3cret p"
      })
  void whatIsNoAddressIsRefusedWithoutShowingIt(String address) {
    assertThatThrownBy(() -> OutboundProxy.of("proxy", address))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("proxy must be the address of an HTTP proxy")
        .hasMessageNotContaining("cret")
        .hasNoCause();
  }

  private static @Nullable OutboundProxy choose(
      @Nullable OutboundProxy configured, List<String> excepted, Map<String, String> environment) {
    return OutboundProxy.choose("https://api.example.com/v1", configured, excepted, environment);
  }
}

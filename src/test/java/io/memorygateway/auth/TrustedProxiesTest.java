package io.memorygateway.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.net.InetAddresses;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §15: which address of {@code X-Forwarded-For} counts. */
class TrustedProxiesTest {
  private static final TrustedProxies PROXIES =
      new TrustedProxies(List.of("10.0.0.0/8", "192.0.2.7", "fd00::/8"));

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "the peer is no proxy             | 203.0.113.9 | 198.51.100.1                       | 203.0.113.9",
        "a proxy, and nothing             | 10.0.0.1    | ''                                 | 10.0.0.1",
        "one hop                          | 10.0.0.1    | 198.51.100.1                       | 198.51.100.1",
        "the rightmost that is no proxy   | 10.0.0.1    | 1.1.1.1, 198.51.100.1 ,10.9.9.9    | 198.51.100.1",
        "a single address is one, too     | 192.0.2.7   | 198.51.100.1, 192.0.2.7            | 198.51.100.1",
        "its neighbour is none            | 192.0.2.8   | 198.51.100.1                       | 192.0.2.8",
        "proxies only: the first          | 10.0.0.1    | 10.0.0.3,10.0.0.2                  | 10.0.0.3",
        "IPv6                             | fd00::1     | 2001:db8::5                        | 2001:db8:0::5",
        "IPv4 in IPv6                     | 10.0.0.1    | ::ffff:198.51.100.1                | 198.51.100.1",
        "with ports                       | 10.0.0.1    | 198.51.100.1:4711, [fd00::2]:80    | 198.51.100.1",
        "nonsense stands for nobody       | 10.0.0.1    | 198.51.100.1, unknown, 10.0.0.2    | 10.0.0.2",
        "nothing between commas, likewise | 10.0.0.1    | 198.51.100.1, , 10.0.0.2           | 10.0.0.2",
        "a name is never looked up        | 10.0.0.1    | localhost                          | 10.0.0.1",
        "no number is an address          | 10.0.0.1    | 3405803777                         | 10.0.0.1",
      })
  void theRightmostAddressThatIsNoProxysCounts(
      String because, String peer, String forwarded, String client) {
    assertThat(PROXIES.client(InetAddresses.forString(peer), List.of(forwarded)))
        .as(because)
        .isEqualTo(InetAddresses.forString(client));
  }

  @Test
  void severalHeadersAreOne() {
    InetAddress peer = InetAddresses.forString("10.0.0.1");

    assertThat(PROXIES.client(peer, List.of("1.1.1.1", "198.51.100.1,10.0.0.3", "10.0.0.2")))
        .isEqualTo(InetAddresses.forString("198.51.100.1"));
    assertThat(PROXIES.client(peer, List.of())).isEqualTo(peer);
  }

  /**
   * Whatever callers write to the left of what a proxy adds, it is the proxy's word that counts.
   */
  @RepeatedTest(200)
  void whatACallerWritesItselfNeverCounts() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    List<String> headers = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      headers.add(nonsense(random));
    }
    headers.add("198.51.100.1" + (random.nextBoolean() ? ", 10.1.2.3" : ""));

    assertThat(PROXIES.client(InetAddresses.forString("fd00::1"), headers))
        .as("seed %d: %s", seed, headers)
        .isEqualTo(InetAddresses.forString("198.51.100.1"));
  }

  /** The last good address, never an exception. */
  @RepeatedTest(200)
  void nonsenseIsNoFailure() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    String forwarded = nonsense(random);
    InetAddress stranger = InetAddresses.forString("203.0.113.9");

    assertThat(PROXIES.client(InetAddresses.forString("10.0.0.1"), List.of(forwarded)))
        .as("seed %d: %s", seed, forwarded)
        .isNotNull();
    assertThat(PROXIES.client(stranger, List.of(forwarded))).isEqualTo(stranger);
  }

  private static String nonsense(Random random) {
    String pieces = "0123456789abcdef.:,[]%/ \"_\u00e9\u0661-+x";
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(60); i > 0; i--) {
      switch (random.nextInt(8)) {
        case 0 -> text.append("10.0.0.").append(random.nextInt(300));
        case 1 -> text.append("fe80::1%eth0");
        default -> text.append(pieces.charAt(random.nextInt(pieces.length())));
      }
    }
    return text.toString();
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.0/8, 10.255.255.255, true",
    "10.0.0.0/8, 11.0.0.0, false",
    "10.1.2.3/8, 10.9.9.9, true",
    "0.0.0.0/0, 255.255.255.255, true",
    "0.0.0.0/0, ::1, false",
    "::/0, 2001:db8::1, true",
    "::/0, 10.0.0.1, false",
    "192.0.2.128/25, 192.0.2.127, false",
    "192.0.2.128/25, 192.0.2.255, true",
    "2001:db8::/33, 2001:db8:7fff::1, true",
    "2001:db8::/33, 2001:db8:8000::1, false",
    "::1, ::1, true",
  })
  void aRangeHoldsWhatHasItsPrefix(String range, String address, boolean holds) {
    AddressRange parsed = AddressRange.parse(range);

    assertThat(parsed.contains(InetAddresses.forString(address))).isEqualTo(holds);
    assertThat(AddressRange.parse(parsed.toString())).isEqualTo(parsed);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/8",
        "10.0.0.0/",
        "10.0.0.0/33",
        "10.0.0.0/-1",
        "10.0.0.0/+8",
        "10.0.0.0/8/8",
        "10.0.0/8",
        "010.0.0.1",
        "::/129",
        "fe80::1%eth0",
        "[::1]/128",
        "localhost",
        "*",
        "1.2.3.4:80"
      })
  void anythingElseIsNone(String text) {
    assertThatThrownBy(() -> AddressRange.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }
}

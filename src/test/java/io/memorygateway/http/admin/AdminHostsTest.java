package io.memorygateway.http.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which hosts the admin port is asked for by those who mean it (contract §12). */
class AdminHostsTest {
  private final AdminHosts hosts = new AdminHosts(List.of("Admin.example", "203.0.113.9"));
  private final InetSocketAddress arrivedAt = new InetSocketAddress("10.1.2.3", 8081);

  @ParameterizedTest
  @NullSource
  @ValueSource(
      strings = {
        "",
        "localhost",
        "LocalHost:8081",
        "localhost:9000",
        "127.0.0.1:8081",
        "127.0.0.2",
        "[::1]:8081",
        "[0:0:0:0:0:0:0:1]",
        "10.1.2.3:8081",
        "admin.example:8081",
        "ADMIN.EXAMPLE",
        "203.0.113.9:8081",
        "bound.example",
      })
  void ownAndConfiguredOnesAreServed(String host) {
    assertThat(hosts.allow(host, "Bound.example", arrivedAt)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "evil.example:8081",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "localhost.",
        "foo.localhost",
        "10.1.2.4:8081",
        "203.0.113.8",
        "[2001:db8::1]:8081",
        "2130706433",
        "127.1",
        "0x7f.0.0.1",
        "localhost:8081:8081",
        "user@localhost",
        "localhost, evil.example",
        "admin.example.evil.example",
        "::",
      })
  void othersAreNot(String host) {
    assertThat(hosts.allow(host, "bound.example", arrivedAt)).isFalse();
  }
}

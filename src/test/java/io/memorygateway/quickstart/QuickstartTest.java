package io.memorygateway.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract §9: the environment of {@code ops/quickstart}. */
class QuickstartTest {
  @TempDir Path folder;

  @Test
  void theEnvironmentMayNameAnotherConfigurationFile() throws Exception {
    Path other = Files.writeString(folder.resolve("other.yml"), "{}");

    assertThat(Quickstart.configurationFile(Map.of("GATEWAY_CONFIG", other.toString())))
        .isEqualTo(other.toString());
    assertThat(Quickstart.configurationFile(Map.of())).isEqualTo("config.yml");
  }

  @Test
  void aConfigurationFileThatIsNotThereIsNamed() {
    String missing = folder.resolve("missing.yml").toString();

    assertThatThrownBy(() -> Quickstart.configurationFile(Map.of("GATEWAY_CONFIG", missing)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(missing);
  }

  @Test
  void aPortInUseIsNamedWithItsVariable() throws Exception {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    try (ServerSocket taken = new ServerSocket(0, 1, loopback)) {
      Map<String, String> environment =
          Map.of("GATEWAY_PORT", Integer.toString(taken.getLocalPort()));

      assertThatThrownBy(
              () -> Quickstart.requireFree(environment, "GATEWAY_PORT", "8080", loopback))
          .isInstanceOf(IOException.class)
          .hasMessage(
              "port %d is in use: stop what listens there, or set GATEWAY_PORT",
              taken.getLocalPort());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"65536", "-1", "http"})
  void whatIsNoPortIsToldWithItsVariable(String text) {
    assertThatThrownBy(
            () ->
                Quickstart.requireFree(Map.of("GATEWAY_PORT", text), "GATEWAY_PORT", "8080", null))
        .isInstanceOf(IOException.class)
        .hasMessage("GATEWAY_PORT is not a port: %s", text);
  }

  @Test
  void theAddressesAreThoseThatTheServerTook() throws Exception {
    Server server = new Server();
    for (String name : List.of("application", "admin")) {
      ServerConnector connector = new ServerConnector(server);
      connector.setName(name);
      server.addConnector(connector);
    }
    server.start();
    try {
      RunningGateway gateway = RunningGateway.of(server);
      assertThat(List.of(gateway.port(), gateway.adminPort()))
          .isEqualTo(
              Arrays.stream(server.getConnectors())
                  .map(connector -> ((ServerConnector) connector).getLocalPort())
                  .toList())
          .doesNotContain(0);
    } finally {
      server.stop();
    }
  }
}

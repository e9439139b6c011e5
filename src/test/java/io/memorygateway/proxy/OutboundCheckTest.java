package io.memorygateway.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.CommandLine;
import io.memorygateway.testing.TestAuthority;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code check} and the start say of proxies and authorities of providers. */
class OutboundCheckTest {
  @TempDir Path folder;

  @Test
  void whichProvidersAreReachedByAProxyIsTold() throws Exception {
    TestAuthority authority = new TestAuthority(folder);
    String file =
        config("proxy", "http://u:s3cret@proxy.example.com:3128", "caCertificates", authority);

    CommandLine.Outcome outcome =
        gateway()
            .with("HTTPS_PROXY", "http://other.example.com:8080")
            .with("NO_PROXY", "openrouter.ai")
            .run("check", "--database", "no", file);

    assertThat(outcome.status()).as(outcome.err()).isZero();
    assertThat(outcome.out())
        .contains(
            "provider openai: by the proxy http://***@proxy.example.com:3128\n",
            "provider anthropic: by the proxy http://other.example.com:8080\n")
        .doesNotContain("provider openrouter: by", "s3cret");
  }

  @Test
  void whatIsWrongIsToldByTheNameOfTheKey() throws Exception {
    Path empty = Files.createFile(folder.resolve("empty.pem"));
    Path cut = Files.writeString(folder.resolve("cut.pem"), "-----BEGIN CERTIFICATE-----\nMIIB");

    assertRefused(config("proxy", "http://u:s3cret@p/x"), "providers", "openai", "proxy must be");
    assertRefused(
        config("caCertificates", folder.resolve("none")), "caCertificates", "cannot be read");
    assertRefused(config("caCertificates", empty), "caCertificates", "no certificate");
    assertRefused(config("caCertificates", cut), "caCertificates", "no certificate");
  }

  @Test
  void aWrongProxyOfTheEnvironmentIsToldByItsName() throws Exception {
    assertThat(
            gateway()
                .with("HTTPS_PROXY", "socks5://u:s3cret@p")
                .run("check", "--database", "no", config())
                .failure())
        .contains("HTTPS_PROXY must be")
        .doesNotContain("s3cret");
  }

  private static void assertRefused(String file, String... words) {
    assertThat(gateway().run("check", "--database", "no", file).failure()).contains(words);
    assertThat(gateway().run("server", file).failure())
        .contains(words)
        .doesNotContain("Exception", "s3cret");
  }

  private static CommandLine gateway() {
    return new CommandLine().with("DATABASE_URL", "jdbc:mysql://127.0.0.1:1/none");
  }

  /** Keys and values of the provider openai. */
  private String config(Object... settings) throws Exception {
    return CommandLine.config(
        folder,
        config -> {
          for (int i = 0; i < settings.length; i += 2) {
            Object value = settings[i + 1];
            config
                .withObject("/providers/openai")
                .put(
                    settings[i].toString(),
                    value instanceof TestAuthority authority
                        ? authority.certificate().toString()
                        : value.toString());
          }
        });
  }
}

package io.memorygateway.http.setup;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.CommandLine;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Contract §9: a wrong key store stops the start with the key's name, and {@code check} sees it.
 */
@Tag("heavy")
class KeyStoresTest {
  private static final String PASSWORD = "correct-horse";

  @TempDir static Path folder;
  private static Path store;

  @BeforeAll
  static void makeKeyStore() throws Exception {
    store = keyStore("gateway.p12", "-validity", "90");
  }

  private static Path keyStore(String name, String... validity) throws Exception {
    Path store = folder.resolve(name);
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "gateway",
                "-keyalg",
                "EC",
                "-dname",
                "CN=localhost",
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                store.toString()));
    command.addAll(List.of(validity));
    Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(keytool.waitFor()).as(output).isZero();
    return store;
  }

  @Test
  void oneThatIsRightPasses() throws Exception {
    CommandLine.Outcome outcome = gateway().run("check", "--database", "no", config(https -> {}));
    assertThat(outcome.status()).as(outcome.err()).isZero();
    assertThat(outcome.out()).contains("configuration: good").doesNotContain("certificate");
  }

  @Test
  void aCertificateThatEndsSoonOrHasEndedIsToldAndDoesNotStopTheStart() throws Exception {
    Path soon = keyStore("soon.p12", "-validity", "10");
    Path ended = keyStore("ended.p12", "-startdate", "-20d", "-validity", "10");

    assertThat(checked(soon))
        .contains("warning: the certificate of server.applicationConnectors[0] ends at 20");
    assertThat(checked(ended))
        .contains("warning: the certificate of server.applicationConnectors[0] has ended at 20");
  }

  @Test
  void aSecretKeyBesideItHasNoCertificateToEnd() throws Exception {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    keys.setKeyEntry(
        "secret", new SecretKeySpec(new byte[16], "AES"), PASSWORD.toCharArray(), null);
    Path both = folder.resolve("secret.p12");
    try (OutputStream out = Files.newOutputStream(both)) {
      keys.store(out, PASSWORD.toCharArray());
    }
    assertThat(checked(both)).contains("configuration: good").doesNotContain("certificate");
  }

  private static String checked(Path keys) throws IOException {
    CommandLine.Outcome outcome =
        gateway()
            .run(
                "check",
                "--database",
                "no",
                config(https -> https.put("keyStorePath", keys.toString())));
    assertThat(outcome.status()).as(outcome.err()).isZero();
    return outcome.out();
  }

  @Test
  void aWrongPasswordIsToldByTheNameOfTheKey() throws Exception {
    String file = config(https -> https.put("keyStorePassword", "wrong-battery"));
    assertRefused(file, "server.applicationConnectors[0].keyStorePassword", store.toString());
  }

  @Test
  void aFileThatIsNotThereIsToldByTheNameOfTheKey() throws Exception {
    String file = config(https -> https.put("keyStorePath", folder.resolve("none").toString()));
    assertRefused(file, "server.applicationConnectors[0].keyStorePath", "cannot be read");
  }

  @Test
  void aFileOfAnotherKindIsToldByTheNameOfTheKey() throws Exception {
    Path pem = Files.writeString(folder.resolve("gateway.pem"), "-----BEGIN CERTIFICATE-----\n");
    String file = config(https -> https.put("keyStorePath", pem.toString()));
    assertRefused(file, "server.applicationConnectors[0].keyStorePath", "PKCS12");
  }

  @Test
  void aTypeAnAliasAndATrustStoreThatThereAreNot() throws Exception {
    assertRefused(
        config(https -> https.put("keyStoreType", "PEM")),
        "server.applicationConnectors[0].keyStoreType",
        "PEM");
    assertRefused(
        config(https -> https.put("certAlias", "other")),
        "server.applicationConnectors[0].certAlias");
    assertRefused(
        config(https -> https.put("trustStorePath", folder.resolve("none").toString())),
        "server.applicationConnectors[0].trustStorePath",
        "cannot be read");
  }

  /** With them the server would start, and no client could connect. */
  @Test
  void aKeyThatIsNotThatOfItsCertificateAndNoProtocolThatThereIs() throws Exception {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    for (String algorithm : List.of("EC", "RSA")) {
      PrivateKey other = KeyPairGenerator.getInstance(algorithm).generateKeyPair().getPrivate();
      keys.setKeyEntry(
          "gateway", other, PASSWORD.toCharArray(), keys.getCertificateChain("gateway"));
      Path mixed = folder.resolve(algorithm + ".p12");
      try (OutputStream out = Files.newOutputStream(mixed)) {
        keys.store(out, PASSWORD.toCharArray());
      }
      assertRefused(
          config(https -> https.put("keyStorePath", mixed.toString())),
          "server.applicationConnectors[0].keyStorePath",
          "gateway is not that of its certificate");
    }
    for (String key : List.of("supportedProtocols", "supportedCipherSuites")) {
      assertRefused(
          config(https -> https.putArray(key).add("ZEBRA")),
          "server.applicationConnectors[0]",
          "leave none");
    }
  }

  @Test
  void whatTheServerReadsOnlyWhenItStarts() throws Exception {
    assertRefused(
        config(https -> https.putArray("excludedCipherSuites").add("(")),
        "server.applicationConnectors[0]",
        "Unclosed group");
    assertRefused(
        config(https -> https.put("crlPath", folder.resolve("none").toString())),
        "server.applicationConnectors[0].crlPath",
        "cannot be read");
    assertRefused(
        config(https -> https.put("validateCerts", true)),
        "server.applicationConnectors[0]",
        "TLS cannot be set up");
  }

  /** By {@code check} as by {@code server}, and before the database is asked: it has none. */
  private static void assertRefused(String file, String... words) {
    assertThat(gateway().run("check", "--database", "no", file).failure()).contains(words);
    assertThat(gateway().run("server", file).failure())
        .contains(words)
        .doesNotContain("Exception", PASSWORD, "wrong-battery");
  }

  private static CommandLine gateway() {
    return new CommandLine().with("DATABASE_URL", "jdbc:mysql://127.0.0.1:1/none");
  }

  private static String config(Consumer<ObjectNode> edit) throws IOException {
    return CommandLine.config(
        folder,
        config -> {
          ObjectNode https = (ObjectNode) config.at("/server/applicationConnectors/0");
          https.put("type", "https").put("keyStorePath", store.toString());
          https.put("keyStoreType", "PKCS12").put("keyStorePassword", PASSWORD);
          edit.accept(https);
        });
  }
}

package io.memorygateway.testing;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ServerSocketFactory;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** An authority that nobody knows, and a certificate that it signed for a server on loopback. */
public final class TestAuthority {
  private static final String PASSWORD = "correct-horse";

  private final Path store;
  private final Path certificate;

  /** Makes both, in files below a folder. */
  public TestAuthority(Path folder) throws IOException, InterruptedException {
    store = folder.resolve("server.p12");
    certificate = folder.resolve("authority.pem");
    keytool("-genkeypair", "-alias", "ca", "-keyalg", "EC", "-dname", "CN=Test CA", "-ext", "bc:c");
    String[] server = {"-genkeypair", "-alias", "server", "-keyalg", "EC", "-dname", "CN=server"};
    String[] signed = {"-signer", "ca", "-ext", "san=ip:127.0.0.1"};
    keytool(Stream.of(server, signed).flatMap(Stream::of).toArray(String[]::new));
    keytool("-exportcert", "-alias", "ca", "-rfc", "-file", certificate.toString());
  }

  /** The authority's certificate in PEM. */
  public Path certificate() {
    return certificate;
  }

  /** Has a connector of a gateway speak TLS with the server's certificate. */
  public void secure(ObjectNode connector) {
    connector
        .put("type", "https")
        .put("keyStorePath", store.toString())
        .put("keyStorePassword", PASSWORD)
        .put("certAlias", "server");
  }

  /** Makes sockets of the server. */
  public ServerSocketFactory sockets() throws GeneralSecurityException, IOException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    keys.deleteEntry("ca");
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    return context.getServerSocketFactory();
  }

  private void keytool(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"));
    command.addAll(List.of(arguments));
    command.addAll(
        List.of("-storetype", "PKCS12", "-storepass", PASSWORD, "-keystore", store.toString()));
    Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (keytool.waitFor() != 0) {
      throw new IOException(output);
    }
  }
}

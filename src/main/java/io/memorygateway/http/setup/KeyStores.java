package io.memorygateway.http.setup;

import static com.google.common.base.Preconditions.checkArgument;

import com.codahale.metrics.MetricRegistry;
import com.google.common.base.Throwables;
import io.dropwizard.core.server.DefaultServerFactory;
import io.dropwizard.core.server.ServerFactory;
import io.dropwizard.jetty.ConnectorFactory;
import io.dropwizard.jetty.HttpsConnectorFactory;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.UnrecoverableKeyException;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import javax.net.ssl.SSLEngine;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.jspecify.annotations.Nullable;

/**
 * The key and trust stores and the other keys of connectors of type {@code https}, tried before the
 * server starts. The server itself would open them last, and say what is wrong without the name of
 * the key, or not at all: with a key that does not fit its certificate, it refuses every client.
 */
public final class KeyStores {
  private KeyStores() {}

  /**
   * Opens what the connectors name.
   *
   * @throws IllegalArgumentException with a one-line message for the operator
   */
  public static void check(ServerFactory serverFactory) {
    each(serverFactory, KeyStores::check);
  }

  /**
   * When the certificates of each connector are good no more: the time of the first of them.
   *
   * @throws IllegalArgumentException with a one-line message for the operator
   */
  static SortedMap<String, Instant> ends(ServerFactory serverFactory) {
    SortedMap<String, Instant> ends = new TreeMap<>();
    each(
        serverFactory,
        (connector, https) -> {
          if (https.getKeyStorePath() != null) {
            ends.put(
                connector.substring(0, connector.length() - 1),
                end(keys(connector, https), https.getCertAlias()));
          }
        });
    return ends;
  }

  private static void each(
      ServerFactory serverFactory, BiConsumer<String, HttpsConnectorFactory> what) {
    if (serverFactory instanceof DefaultServerFactory factory) {
      each("server.adminConnectors", factory.getAdminConnectors(), what);
      each("server.applicationConnectors", factory.getApplicationConnectors(), what);
    }
  }

  private static void each(
      String section,
      List<ConnectorFactory> connectors,
      BiConsumer<String, HttpsConnectorFactory> what) {
    for (int i = 0; i < connectors.size(); i++) {
      if (connectors.get(i) instanceof HttpsConnectorFactory https) {
        what.accept("%s[%d].".formatted(section, i), https);
      }
    }
  }

  private static Instant end(KeyStore keys, @Nullable String alias) {
    try {
      Instant end = Instant.MAX;
      for (String each : Collections.list(keys.aliases())) {
        Certificate[] chain = keys.getCertificateChain(each); // a secret key has none
        if (chain != null && (alias == null || alias.equalsIgnoreCase(each))) {
          for (Certificate one : chain) {
            Instant ends = ((X509Certificate) one).getNotAfter().toInstant();
            end = ends.isBefore(end) ? ends : end;
          }
        }
      }
      return end;
    } catch (KeyStoreException e) {
      throw new IllegalStateException(e); // it is open
    }
  }

  private static void check(String connector, HttpsConnectorFactory https) {
    String path = https.getKeyStorePath();
    if (path != null) {
      String keyPassword = https.getKeyManagerPassword();
      checkKey(
          connector,
          keys(connector, https),
          https.getCertAlias(),
          keyPassword == null ? https.getKeyStorePassword() : keyPassword);
    }
    if (https.getTrustStorePath() != null) {
      open(
          connector + "trustStore",
          https.getTrustStorePath(),
          https.getTrustStoreType(),
          https.getTrustStoreProvider(),
          https.getTrustStorePassword());
    }
    if (https.getCrlPath() != null) {
      requireReadable(connector + "crlPath", https.getCrlPath().toPath());
    }
    checkContext(connector.substring(0, connector.length() - 1) + ":", https);
  }

  /** Sets TLS up as the server does; its other keys are read only then. */
  private static void checkContext(String connector, HttpsConnectorFactory https) {
    Server server = new Server();
    https.build(server, new MetricRegistry(), connector, null);
    SslContextFactory.Server tls = server.getBean(SslContextFactory.Server.class);
    SSLEngine engine;
    try {
      tls.start();
      engine = tls.newSSLEngine();
      tls.stop();
    } catch (Exception e) {
      throw new IllegalArgumentException(
          connector + " TLS cannot be set up: " + Throwables.getRootCause(e).getMessage(), e);
    }
    checkArgument(
        engine.getEnabledProtocols().length > 0 && engine.getEnabledCipherSuites().length > 0,
        "%s its protocols and cipher suites leave none that this Java has",
        connector);
  }

  private static KeyStore keys(String connector, HttpsConnectorFactory https) {
    return open(
        connector + "keyStore",
        https.getKeyStorePath(),
        https.getKeyStoreType(),
        https.getKeyStoreProvider(),
        https.getKeyStorePassword());
  }

  private static KeyStore open(
      String name, String path, String type, @Nullable String provider, @Nullable String password) {
    KeyStore store;
    try {
      store = provider == null ? KeyStore.getInstance(type) : KeyStore.getInstance(type, provider);
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException(name + "Type: this Java has no such type: " + type, e);
    }
    Path file = Path.of(path);
    requireReadable(name + "Path", file);
    try (InputStream content = Files.newInputStream(file)) {
      store.load(content, password == null ? null : password.toCharArray());
      return store;
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalArgumentException(
          e.getCause() instanceof UnrecoverableKeyException
              ? name + "Password: is not the password of " + path
              : name + "Path: the file is not a store of the type " + type + ": " + path,
          e);
    }
  }

  private static void requireReadable(String name, Path file) {
    checkArgument(
        Files.isRegularFile(file) && Files.isReadable(file),
        "%s: the file cannot be read: %s",
        name,
        file);
  }

  private static void checkKey(
      String connector, KeyStore keys, @Nullable String alias, @Nullable String password) {
    try {
      checkArgument(
          alias == null || keys.isKeyEntry(alias),
          connector + "certAlias: the key store has no key of this name");
      boolean hasKey = false;
      for (String each : Collections.list(keys.aliases())) {
        Key key =
            keys.isKeyEntry(each)
                ? keys.getKey(each, password == null ? null : password.toCharArray())
                : null;
        hasKey |= key != null;
        checkArgument(
            !(key instanceof PrivateKey secret) || fits(secret, keys.getCertificate(each)),
            "%skeyStorePath: the key %s is not that of its certificate",
            connector,
            each);
      }
      checkArgument(hasKey, connector + "keyStorePath: the key store has no private key");
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException(
          connector + "keyManagerPassword: is not the password of the keys in the key store", e);
    }
  }

  /** Whether what a key signs is verified by its certificate; of other kinds of keys, true. */
  private static boolean fits(PrivateKey key, Certificate certificate)
      throws NoSuchAlgorithmException, SignatureException {
    String algorithm =
        switch (key.getAlgorithm()) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          case "EdDSA" -> "EdDSA";
          default -> null;
        };
    if (algorithm == null) {
      return true;
    }
    try {
      Signature signature = Signature.getInstance(algorithm);
      signature.initSign(key);
      byte[] signed = signature.sign();
      signature.initVerify(certificate.getPublicKey());
      return signature.verify(signed);
    } catch (InvalidKeyException e) {
      return false; // it is of another kind
    }
  }
}

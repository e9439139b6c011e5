package io.memorygateway.proxy.upstream;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/** Certificates of authorities that are trusted besides those that Java trusts by default. */
public record TrustedAuthorities(List<Certificate> certificates) {
  public TrustedAuthorities {
    certificates = List.copyOf(certificates);
  }

  /**
   * Reads a file of certificates in PEM.
   *
   * @param key that the file stands at
   * @throws IllegalArgumentException with a one-line message for the operator
   */
  public static TrustedAuthorities read(String key, String file) {
    try (InputStream in = Files.newInputStream(Path.of(file))) {
      List<Certificate> found =
          List.copyOf(CertificateFactory.getInstance("X.509").generateCertificates(in));
      if (found.isEmpty()) {
        throw new CertificateException("it is empty");
      }
      return new TrustedAuthorities(found);
    } catch (IOException | InvalidPathException e) {
      throw new IllegalArgumentException(key + ": the file " + file + " cannot be read", e);
    } catch (CertificateException e) {
      throw new IllegalArgumentException(
          key + ": the file " + file + " holds no certificate in PEM, or a damaged one", e);
    }
  }

  void install(HttpClient client) {
    try {
      KeyStore all = KeyStore.getInstance(KeyStore.getDefaultType());
      all.load(null, null);
      List<Certificate> trusted = new ArrayList<>(certificates);
      trusted.addAll(byDefault());
      for (Certificate each : trusted) {
        all.setCertificateEntry("authority-" + all.size(), each);
      }
      SslContextFactory.Client tls = new SslContextFactory.Client();
      tls.setTrustStore(all);
      client.setSslContextFactory(tls);
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("Java's own trust store cannot be read", e);
    }
  }

  private static List<X509Certificate> byDefault() throws GeneralSecurityException {
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init((KeyStore) null);
    List<X509Certificate> all = new ArrayList<>();
    for (TrustManager manager : factory.getTrustManagers()) {
      if (manager instanceof X509TrustManager trust) {
        all.addAll(List.of(trust.getAcceptedIssuers()));
      }
    }
    return all;
  }
}

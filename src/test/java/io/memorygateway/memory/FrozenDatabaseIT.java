package io.memorygateway.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.testing.DatabaseRelay;
import io.memorygateway.testing.EmbeddedMariaDb;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import io.memorygateway.testing.TestTimeout;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * While the database stands still, its connections open, every request that needs it is refused
 * after the time for one answer: not after one for the key, one for the rate limits, one for the
 * messages and one for finding out what became of them.
 */
@Tag("heavy")
class FrozenDatabaseIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();
  @TempDir static Path folder;

  private static EmbeddedMariaDb server;

  /** Waits are for ten seconds, all together; a new connection is given up after two more. */
  private static final Duration MAX_WAIT = Duration.ofSeconds(13);

  private static final String SCHEMA = "frozen";

  @BeforeAll
  static void serverThatCanEncrypt() throws Exception {
    Path store = folder.resolve("store.p12");
    KeyStore keys = KeyStore.getInstance("PKCS12");
    command(
        Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
        "-genkeypair",
        "-alias",
        "server",
        "-keyalg",
        "RSA",
        "-dname",
        "CN=localhost",
        "-storetype",
        "PKCS12",
        "-storepass",
        "changeit",
        "-keystore",
        store.toString());
    char[] password = "changeit".toCharArray();
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, password);
    }
    Path key = pem("PRIVATE KEY", keys.getKey("server", password).getEncoded());
    Path certificate = pem("CERTIFICATE", keys.getCertificate("server").getEncoded());
    server =
        EmbeddedMariaDb.start(
            Path.of("target", "mariadb"),
            folder.resolve("mariadb"),
            "--ssl-key=" + key,
            "--ssl-cert=" + certificate);
    try (Connection connection =
        DriverManager.getConnection(server.jdbcUrl(SCHEMA), server.user(), server.password())) {
      TestDatabase.migrate(connection);
    }
  }

  @AfterAll
  static void stopServer() {
    if (server != null) {
      server.close();
    }
  }

  @ParameterizedTest
  @CsvSource({"DISABLED", "REQUIRED"})
  void everyRequestEndsAfterTheTimeForOneAnswer(String encryption) throws Exception {
    ExecutorService callers = Executors.newCachedThreadPool();
    try (DatabaseRelay relay = DatabaseRelay.to(server.port())) {
      String url =
          server.jdbcUrl(SCHEMA).replace(":" + server.port() + "/", ":" + relay.port() + "/")
              + "&sslMode="
              + encryption;
      assertThat(isEncrypted(url)).isEqualTo(encryption.equals("REQUIRED"));
      TestGateway gateway =
          new TestGateway(DATABASE, UPSTREAM)
              .withShippedTimeouts()
              .with("DATABASE_URL", url)
              .with("DATABASE_USER", server.user())
              .with("DATABASE_PASSWORD", server.password());
      gateway.start();
      try {
        MemoryClient client = new MemoryClient(gateway, gateway.issueKey("p-" + encryption));
        Map<String, Callable<MemoryClient.Reply>> requests = requests(client, encryption);
        for (int i = 0; i < 3; i++) {
          create(client, encryption + i).is(201);
          append(client, encryption + i).is(201);
        }

        // A busy machine adds to the waits, and never shortens them: each is in time once.
        Set<String> late = new TreeSet<>(requests.keySet());
        await()
            .until(
                () -> {
                  relay.freeze();
                  late.retainAll(late(requests, callers));
                  relay.thaw();
                  await().until(() -> append(client, encryption + 1).status() == 201);
                  return late.isEmpty();
                });
      } finally {
        relay.thaw();
        gateway.stop();
      }
    } finally {
      callers.shutdownNow();
    }
  }

  /** Those that are not refused in time, of two each. */
  private static Set<String> late(
      Map<String, Callable<MemoryClient.Reply>> requests, ExecutorService callers)
      throws Exception {
    Map<String, List<Future<Duration>>> ends = new LinkedHashMap<>();
    for (int round = 0; round < 2; round++) {
      requests.forEach(
          (name, request) ->
              ends.computeIfAbsent(name, n -> new ArrayList<>())
                  .add(callers.submit(() -> refusedAfter(request))));
    }
    Set<String> late = new TreeSet<>();
    for (Map.Entry<String, List<Future<Duration>>> end : ends.entrySet()) {
      for (Future<Duration> took : end.getValue()) {
        if (took.get(TestTimeout.SECONDS, TimeUnit.SECONDS).compareTo(MAX_WAIT) > 0) {
          late.add(end.getKey());
        }
      }
    }
    return late;
  }

  private static Map<String, Callable<MemoryClient.Reply>> requests(
      MemoryClient client, String thread) {
    Map<String, Callable<MemoryClient.Reply>> requests = new LinkedHashMap<>();
    requests.put("append", () -> append(client, thread + 0));
    requests.put("append elsewhere", () -> append(client, thread + 1));
    requests.put("create", () -> create(client, thread + "-new"));
    requests.put("patch", () -> client.patch("/threads/" + thread + 2, "{\"title\":\"later\"}"));
    requests.put("messages", () -> client.get("/threads/" + thread + "0/messages"));
    requests.put("threads", () -> client.get("/threads?resourceId=r"));
    return requests;
  }

  private static Duration refusedAfter(Callable<MemoryClient.Reply> request) throws Exception {
    long start = System.nanoTime();
    request.call().isError(503, "service_unavailable");
    return Duration.ofNanos(System.nanoTime() - start);
  }

  private static MemoryClient.Reply create(MemoryClient client, String id) {
    return client.post("/threads", "{\"id\":\"" + id + "\",\"resourceId\":\"r\"}");
  }

  private static MemoryClient.Reply append(MemoryClient client, String thread) {
    return client.post(
        "/threads/" + thread + "/messages",
        "{\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}]}");
  }

  private static boolean isEncrypted(String url) throws Exception {
    try (Connection connection =
            DriverManager.getConnection(url, server.user(), server.password());
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SHOW STATUS LIKE 'Ssl_cipher'")) {
      return row.next() && !row.getString(2).isEmpty();
    }
  }

  private static void command(String... words) throws Exception {
    Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
  }

  private static Path pem(String kind, byte[] bytes) throws Exception {
    String text =
        Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes)
            + "\n-----END "
            + kind
            + "-----\n";
    return Files.writeString(
        folder.resolve(kind.replace(' ', '-') + ".pem"), "-----BEGIN " + kind + "-----\n" + text);
  }
}

package io.memorygateway.faults;

import io.memorygateway.testing.ReservedPort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A gateway from the jar, in a process of its own, which may be killed and started again. */
final class JarGateway implements AutoCloseable {
  /** Java options of a small gateway that starts fast. */
  static final List<String> SMALL = List.of("-XX:TieredStopAtLevel=1", "-Xmx512m");

  private static final Duration START = Duration.ofMinutes(2);

  private final String jar;
  private final String config;
  private final List<String> options;
  private final Path logs;
  private final Map<String, String> environment;

  /** Nobody else gets them while the gateway is down. */
  private final ReservedPort port = new ReservedPort();

  private final ReservedPort adminPort = new ReservedPort();
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();
  private volatile Process process;

  /**
   * Starts nothing yet.
   *
   * @param config the configuration file
   * @param options of its Java
   * @param logs the folder for what it writes
   * @param environment besides ports
   */
  JarGateway(
      String jar, String config, List<String> options, Path logs, Map<String, String> environment)
      throws IOException {
    this.jar = jar;
    this.config = config;
    this.options = List.copyOf(options);
    this.logs = logs;
    this.environment = Map.copyOf(environment);
    // A run that fails or is told to end leaves no process behind.
    Runtime.getRuntime().addShutdownHook(new Thread(this::close));
  }

  int port() {
    return port.number();
  }

  String url() {
    return "http://127.0.0.1:" + port.number();
  }

  String adminUrl() {
    return "http://127.0.0.1:" + adminPort.number();
  }

  void start() throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.addAll(List.of("-jar", jar, "server", config));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(environment);
    builder.environment().put("GATEWAY_PORT", String.valueOf(port.number()));
    builder.environment().put("GATEWAY_ADMIN_PORT", String.valueOf(adminPort.number()));
    process =
        builder
            .redirectErrorStream(true)
            .redirectOutput(
                ProcessBuilder.Redirect.appendTo(
                    logs.resolve("gateway-" + port.number() + ".log").toFile()))
            .start();
  }

  /**
   * Returns once it is healthy; one that has ended, because its database was away, is restarted.
   */
  void awaitHealthy() throws IOException, InterruptedException {
    for (long end = System.nanoTime() + START.toNanos(); ; ) {
      if (isHealthy()) {
        return;
      }
      if (!process.isAlive()) {
        start();
      }
      if (System.nanoTime() > end) {
        throw new IllegalStateException("a gateway does not come up");
      }
      Thread.sleep(200);
    }
  }

  private boolean isHealthy() throws InterruptedException {
    HttpRequest health =
        HttpRequest.newBuilder(URI.create(adminUrl() + "/healthcheck"))
            .timeout(Duration.ofSeconds(5))
            .build();
    try {
      return http.send(health, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
    } catch (IOException e) {
      return false; // not up yet
    }
  }

  /** What an admin task answers. */
  String task(String nameAndWords) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(adminUrl() + "/tasks/" + nameAndWords))
            .POST(HttpRequest.BodyPublishers.noBody())
            .build();
    return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
  }

  /**
   * What its process holds.
   *
   * @param connections sockets, listening ones and those of both ports included
   */
  record Held(long threads, long connections, long descriptors) {
    static Held sum(Held one, Held other) {
      return new Held(
          one.threads + other.threads,
          one.connections + other.connections,
          one.descriptors + other.descriptors);
    }
  }

  /** Counts what it holds, as Linux tells it. */
  Held held() throws IOException {
    Path proc = Path.of("/proc", String.valueOf(process.pid()));
    long threads;
    try (Stream<Path> tasks = Files.list(proc.resolve("task"))) {
      threads = tasks.count();
    }
    long connections = 0;
    long descriptors = 0;
    try (Stream<Path> open = Files.list(proc.resolve("fd"))) {
      for (Path descriptor : (Iterable<Path>) open::iterator) {
        descriptors++;
        connections += isSocket(descriptor) ? 1 : 0;
      }
    }
    return new Held(threads, connections, descriptors);
  }

  private static boolean isSocket(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString().startsWith("socket:");
    } catch (IOException e) {
      return false; // closed meanwhile
    }
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Kills it with -9. */
  void kill() {
    process.destroyForcibly();
    process.onExit().join();
  }

  @Override
  public void close() {
    if (process != null) {
      kill();
    }
    try {
      port.close();
      adminPort.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

package io.memorygateway.testing;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A real MariaDB server as a child process, on a loopback port of its own. It keeps everything in
 * the one folder that it is given, which belongs to one process at a time. A server that a killed
 * process left behind in that folder is stopped first.
 */
public final class EmbeddedMariaDb implements AutoCloseable {
  private static final long START_SECONDS = 60;
  private static final long STOP_SECONDS = 60;

  private final Process server;
  private final int port;
  private final Path pidFile;
  private final FileChannel lock;

  private EmbeddedMariaDb(Process server, int port, Path pidFile, FileChannel lock) {
    this.server = server;
    this.port = port;
    this.pidFile = pidFile;
    this.lock = lock;
  }

  /** The folder is in use by another living process. */
  public static final class InUseException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    InUseException(Path folder) {
      super("another process uses the database in " + folder);
    }
  }

  /** Starts a server whose binaries are unpacked into its own folder. */
  public static EmbeddedMariaDb start(Path folder, String... options) {
    return start(folder.resolve("base"), folder, options);
  }

  /**
   * Starts a server, making its data on the first start.
   *
   * @param binaries where the binaries are or are unpacked to; may be shared by many
   * @param folder holds the data, the temporary files and the server's own log
   * @param options further server options
   */
  public static EmbeddedMariaDb start(Path binaries, Path folder, String... options) {
    Path home = folder.toAbsolutePath().normalize();
    Path base = binaries.toAbsolutePath().normalize();
    FileChannel lock = lock(home);
    try {
      Path pidFile = home.resolve("mariadbd.pid");
      stopLeftover(pidFile, home);
      MariaDbFiles.prepare(base, home.resolve("data"), home.resolve("tmp"));
      for (int attempt = 1; ; attempt++) {
        int port = freePort();
        Process server = launch(base, home, port, options);
        Files.writeString(pidFile, Long.toString(server.pid()));
        EmbeddedMariaDb started = new EmbeddedMariaDb(server, port, pidFile, lock);
        if (started.isUp()) {
          return started;
        }
        server.destroyForcibly();
        String log = Files.readString(home.resolve("mariadbd.log"));
        // Somebody else may have taken the port between our look and the server's.
        if (attempt == 3 || !log.contains("Address already in use")) {
          throw new IllegalStateException(
              "the embedded MariaDB did not start; its log is "
                  + home.resolve("mariadbd.log")
                  + ":\n"
                  + log.substring(Math.max(0, log.length() - 1000)));
        }
      }
    } catch (IOException e) {
      close(lock);
      throw new UncheckedIOException(e);
    } catch (RuntimeException e) {
      close(lock);
      throw e;
    }
  }

  public int port() {
    return port;
  }

  /** The server's process id. */
  public long pid() {
    return server.pid();
  }

  /**
   * JDBC address of a schema, made if it is missing; the user is {@code root} without a password.
   */
  public String jdbcUrl(String schema) {
    return "jdbc:mysql://127.0.0.1:" + port + "/" + schema + "?createDatabaseIfNotExist=true";
  }

  /** Stops the server in order and returns when it has ended. Again: does nothing. */
  @Override
  public synchronized void close() {
    if (!lock.isOpen()) {
      return;
    }
    stop(server.toHandle());
    try {
      Files.deleteIfExists(pidFile);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      close(lock);
    }
  }

  /** Lets go of the server as a process does that is killed: for tests. */
  void abandon() {
    close(lock);
  }

  private static Process launch(Path base, Path home, int port, String... options)
      throws IOException {
    List<String> command = new ArrayList<>();
    // A process group of its own: Ctrl-C must reach the gateway alone, which still needs its
    // database to drain.
    program("setsid").ifPresent(command::add);
    command.addAll(endingWithItsParent());
    command.addAll(
        List.of(
            base.resolve("bin/mariadbd").toString(),
            "--no-defaults",
            "--basedir=" + base,
            "--datadir=" + home.resolve("data"),
            "--tmpdir=" + home.resolve("tmp"),
            "--socket=" + home.resolve("mariadbd.sock"),
            "--port=" + port,
            "--bind-address=127.0.0.1",
            "--skip-grant-tables",
            // A certificate of its own at every start would cost up to half a minute.
            "--skip-ssl",
            "--skip-name-resolve",
            "--max-allowed-packet=64M",
            "--character-set-server=utf8mb4",
            "--collation-server=utf8mb4_bin"));
    if ("root".equals(System.getProperty("user.name"))) {
      command.add("--user=root");
    }
    command.addAll(List.of(options));
    File log = home.resolve("mariadbd.log").toFile();
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(home.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log);
    builder.environment().put("LD_LIBRARY_PATH", base.resolve("libs").toString());
    return startOnAThreadOfItsOwn(builder);
  }

  /** What makes the kernel stop a server whose process was killed, where that can be had. */
  private static List<String> endingWithItsParent() throws IOException {
    Optional<String> setpriv = program("setpriv");
    if (setpriv.isEmpty()) {
      return List.of();
    }
    List<String> command = List.of(setpriv.get(), "--pdeathsig", "TERM");
    List<String> trial = new ArrayList<>(command);
    trial.add("true");
    try {
      // Older ones do not know the option.
      Process known =
          new ProcessBuilder(trial)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return known.waitFor() == 0 ? command : List.of();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return List.of();
    }
  }

  private static Optional<String> program(String name) {
    return List.of("/usr/bin/" + name, "/bin/" + name).stream()
        .filter(program -> Files.isExecutable(Path.of(program)))
        .findFirst();
  }

  /** To the kernel a child's parent is the thread that started it: it must live as long. */
  private static Process startOnAThreadOfItsOwn(ProcessBuilder builder) throws IOException {
    CompletableFuture<Process> started = new CompletableFuture<>();
    Thread parent =
        new Thread(
            () -> {
              try {
                Process process = builder.start();
                started.complete(process);
                process.onExit().join();
              } catch (IOException e) {
                started.completeExceptionally(e);
              }
            },
            "mariadbd");
    parent.setDaemon(true);
    parent.start();
    try {
      return started.join();
    } catch (CompletionException e) {
      throw new IOException("mariadbd cannot be started", e.getCause());
    }
  }

  private boolean isUp() throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    try {
      while (System.nanoTime() < deadline && !server.waitFor(20, TimeUnit.MILLISECONDS)) {
        try (Socket socket = new Socket()) {
          socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
          return true;
        } catch (IOException e) {
          // Not yet.
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return false;
  }

  private static void stopLeftover(Path pidFile, Path home) throws IOException {
    if (!Files.exists(pidFile)) {
      return;
    }
    String pid = Files.readString(pidFile).strip();
    if (pid.matches("\\d{1,18}")) {
      // The number may long belong to somebody else: only a server on this very folder is ours.
      String ours = "--datadir=" + home.resolve("data");
      ProcessHandle.of(Long.parseLong(pid))
          .filter(
              process -> List.of(process.info().arguments().orElse(new String[] {})).contains(ours))
          .ifPresent(EmbeddedMariaDb::stop);
    }
    Files.delete(pidFile);
  }

  private static void stop(ProcessHandle process) {
    process.destroy();
    try {
      process.onExit().get(STOP_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
    } catch (TimeoutException | java.util.concurrent.ExecutionException e) {
      process.destroyForcibly();
      process.onExit().join();
    }
  }

  private static FileChannel lock(Path folder) {
    try {
      Files.createDirectories(folder);
      FileChannel file =
          FileChannel.open(
              folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      try {
        if (file.tryLock() != null) {
          return file;
        }
      } catch (OverlappingFileLockException e) {
        // This very process has it: the same answer.
      }
      file.close();
      throw new InUseException(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void close(FileChannel lock) {
    try {
      lock.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}

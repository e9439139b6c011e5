package io.memorygateway.testing;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/**
 * A real MariaDB server as a child process, on a loopback port of its own. It keeps everything in
 * the one folder that it is given, which belongs to one process at a time, and writes nowhere else;
 * its only account has a password. A server that a killed process left behind in that folder is
 * stopped first.
 */
public final class EmbeddedMariaDb implements AutoCloseable {
  private static final long START_SECONDS = 60;
  private static final long STOP_SECONDS = 60;
  private static final int PORTS = 5;

  private final Process server;
  private final int port;
  private final RootAccount account;
  private final Path pidFile;
  private final FileChannel lock;

  private EmbeddedMariaDb(
      Process server, int port, RootAccount account, Path pidFile, FileChannel lock) {
    this.server = server;
    this.port = port;
    this.account = account;
    this.pidFile = pidFile;
    this.lock = lock;
  }

  /** Where ports come from that nobody uses yet. */
  interface Ports {
    int next() throws IOException;
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
    return start(EmbeddedMariaDb::freePort, binaries, folder, options);
  }

  /** The same, on the first of these ports that is still free when the server wants it. */
  static EmbeddedMariaDb start(Ports ports, Path binaries, Path folder, String... options) {
    Path home = folder.toAbsolutePath().normalize();
    Path base = binaries.toAbsolutePath().normalize();
    FileChannel lock = lock(home);
    try {
      stopLeftover(pidFile(home), home);
      MariaDbFiles.prepare(base, home.resolve("data"), home.resolve("tmp"));
      PrivateFile.createFolder(home.resolve("files"));
      RootAccount account = RootAccount.in(home);
      Path statements = home.resolve("mariadbd.init");
      PrivateFile.write(statements, account.statements());
      try {
        return start(ports, base, home, account, lock, options);
      } finally {
        Files.deleteIfExists(statements);
      }
    } catch (IOException e) {
      close(lock);
      throw new UncheckedIOException(e);
    } catch (RuntimeException e) {
      close(lock);
      throw e;
    }
  }

  private static EmbeddedMariaDb start(
      Ports ports, Path base, Path home, RootAccount account, FileChannel lock, String... options)
      throws IOException {
    for (int attempt = 1; ; attempt++) {
      int port = ports.next();
      Path log = home.resolve("mariadbd.log");
      PrivateFile.createEmpty(log);
      Process server = launch(base, home, port, log.toFile(), options);
      PrivateFile.write(pidFile(home), Long.toString(server.pid()));
      EmbeddedMariaDb started = new EmbeddedMariaDb(server, port, account, pidFile(home), lock);
      if (started.isUp(log)) {
        return started;
      }
      server.destroyForcibly().onExit().join();
      String said = read(log);
      // Somebody else may have taken the port between our look and the server's.
      if (attempt == PORTS || !said.contains("Address already in use")) {
        throw new IllegalStateException(
            "the embedded MariaDB did not start; its log is "
                + log
                + ":\n"
                + said.substring(Math.max(0, said.length() - 1000)));
      }
    }
  }

  public int port() {
    return port;
  }

  /** The server's process id. */
  public long pid() {
    return server.pid();
  }

  /** Who may do everything. */
  public String user() {
    return RootAccount.USER;
  }

  /** The password of that user; also in the file {@code mariadbd.password} of the folder. */
  public String password() {
    return account.password();
  }

  /** JDBC address of a schema, made if it is missing. */
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

  private static Process launch(Path base, Path home, int port, File log, String... options)
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
            // None: everybody could write to it, and its path may be too long.
            "--socket=",
            "--port=" + port,
            "--bind-address=127.0.0.1",
            "--init-file=" + home.resolve("mariadbd.init"),
            "--secure-file-priv=" + home.resolve("files"),
            "--local-infile=OFF",
            "--skip-symbolic-links",
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
    return startOnAThreadOfItsOwn(
        MariaDbFiles.program(base, command).directory(home.toFile()).redirectOutput(log));
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

  /** Whether it says so itself: who answers on the port may be somebody else. */
  private boolean isUp(Path log) throws IOException {
    Pattern ready =
        Pattern.compile("ready for connections\\..*\\sport: " + port + "\\s", Pattern.DOTALL);
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    try {
      while (System.nanoTime() < deadline && !server.waitFor(20, TimeUnit.MILLISECONDS)) {
        if (ready.matcher(read(log)).find()) {
          return true;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return false;
  }

  private static String read(Path log) throws IOException {
    return Files.readString(log, StandardCharsets.ISO_8859_1);
  }

  private static Path pidFile(Path home) {
    return home.resolve("mariadbd.pid");
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
      PrivateFile.createFolder(folder);
      FileChannel file = PrivateFile.open(folder.resolve("lock"));
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

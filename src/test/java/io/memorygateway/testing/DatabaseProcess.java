package io.memorygateway.testing;

import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/**
 * An embedded MariaDB for a shell script: prints its JDBC address and runs until TERM. The password
 * of its user root is in the file {@code mariadbd.password} of its folder.
 */
public final class DatabaseProcess {
  private DatabaseProcess() {}

  /** Takes the folder for its files. */
  public static void main(String[] args) throws InterruptedException {
    EmbeddedMariaDb mariadb = EmbeddedMariaDb.start(Path.of("target", "mariadb"), Path.of(args[0]));
    Runtime.getRuntime().addShutdownHook(new Thread(mariadb::close));
    System.out.println(mariadb.jdbcUrl("memory_gateway") + "&sslMode=DISABLED");
    new CountDownLatch(1).await();
  }
}

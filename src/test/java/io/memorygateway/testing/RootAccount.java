package io.memorygateway.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * The one account that an embedded server has at its start: it may do everything, comes from this
 * machine over TCP, and has a password. The folder keeps the password, for its owner alone.
 */
record RootAccount(String password) {
  static final String USER = "root";

  private static final String FILE = "mariadbd.password";
  private static final int PASSWORD_BYTES = 16;

  /** Of a server with its files in this folder; made at its first start. */
  static RootAccount in(Path folder) throws IOException {
    Path file = folder.resolve(FILE);
    if (!Files.exists(file)) {
      byte[] random = new byte[PASSWORD_BYTES];
      new SecureRandom().nextBytes(random);
      PrivateFile.write(file, HexFormat.of().formatHex(random) + "\n");
    }
    return new RootAccount(Files.readString(file).strip());
  }

  /**
   * What the server has to run at each start, one statement a line. So a folder whose accounts have
   * no passwords, or whose file was lost, is as good as any other.
   */
  String statements() {
    return """
        DELETE FROM mysql.global_priv WHERE User IN ('', '%1$s');
        DELETE FROM mysql.db WHERE User IN ('', '%1$s');
        DELETE FROM mysql.proxies_priv;
        FLUSH PRIVILEGES;
        CREATE USER %1$s@'127.0.0.1' IDENTIFIED BY '%2$s';
        GRANT ALL PRIVILEGES ON *.* TO %1$s@'127.0.0.1' WITH GRANT OPTION;
        """
        .formatted(USER, password);
  }
}

package io.memorygateway.quickstart;

import io.memorygateway.testing.PrivateFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/** The gateway key of the quickstart, in a file that only its owner can read: one a database. */
record StoredKey(Path file) {

  /**
   * The key of the embedded database, or of one's own.
   *
   * @param databaseUrl null for the embedded one
   */
  static StoredKey in(Path dataFolder, String databaseUrl) {
    if (databaseUrl == null) {
      return new StoredKey(dataFolder.resolve("key"));
    }
    String place = databaseUrl.replaceFirst("\\?.*$", "");
    return new StoredKey(dataFolder.resolve("key-" + hash(place).substring(0, 12)));
  }

  Optional<String> read() throws IOException {
    return Files.exists(file) ? Optional.of(Files.readString(file).strip()) : Optional.empty();
  }

  void write(String key) throws IOException {
    PrivateFile.write(file, key + "\n");
  }

  private static String hash(String text) {
    try {
      return HexFormat.of()
          .formatHex(
              MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}

package io.memorygateway.quickstart;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
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
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    Files.deleteIfExists(fresh);
    Files.createFile(
        fresh, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(fresh, key + "\n");
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
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

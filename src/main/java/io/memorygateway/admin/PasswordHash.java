package io.memorygateway.admin;

import at.favre.lib.crypto.bcrypt.BCrypt;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** bcrypt hashes of passwords, as {@code htpasswd -B} writes them. */
final class PasswordHash {
  /**
   * Cost 10 takes about 50 ms; with less, a stolen hash can be guessed; above 14, a login takes
   * seconds.
   */
  private static final Pattern SHAPE = Pattern.compile("\\$2[aby]\\$1[0-4]\\$[./A-Za-z0-9]{53}");

  /** bcrypt ignores the rest of a password. */
  static final int MAX_PASSWORD_BYTES = 72;

  /** Hash of an unknown password, with the usual cost. */
  static final String UNKNOWN_USER = "$2y$12$" + "K".repeat(21) + "e" + "K".repeat(31);

  private PasswordHash() {}

  /**
   * Checks the format of a configured hash.
   *
   * @throws IllegalArgumentException that names the user and not the hash
   */
  static void require(String user, String hash) {
    if (!SHAPE.matcher(hash).matches()) {
      throw new IllegalArgumentException(
          "users."
              + user
              + ".password must be a bcrypt hash of cost 10 to 14, as 'htpasswd -nBC 12 "
              + user
              + "' prints it");
    }
  }

  /** Whether a password has that hash; the hash's cost determines the time it takes. */
  static boolean matches(String password, String hash) {
    byte[] bytes = password.getBytes(StandardCharsets.UTF_8);
    return bytes.length > 0
        && bytes.length <= MAX_PASSWORD_BYTES
        && BCrypt.verifyer().verify(bytes, hash.getBytes(StandardCharsets.US_ASCII)).verified;
  }
}

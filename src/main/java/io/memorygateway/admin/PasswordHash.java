package io.memorygateway.admin;

import at.favre.lib.crypto.bcrypt.BCrypt;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** bcrypt hashes of passwords, as {@code htpasswd -B} writes them. */
final class PasswordHash {
  /**
   * Cost 10 takes about 50 ms; below, a stolen hash is worth trying; above 14, a login takes
   * seconds.
   */
  private static final Pattern SHAPE = Pattern.compile("\\$2[aby]\\$1[0-4]\\$[./A-Za-z0-9]{53}");

  /** bcrypt reads no more of a password. */
  static final int LONGEST_PASSWORD_BYTES = 72;

  /** Of no password that anybody knows; of the usual cost. */
  static final String OF_NOBODY = "$2y$12$" + "K".repeat(21) + "e" + "K".repeat(31);

  private PasswordHash() {}

  /**
   * Checks a configured hash.
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

  /** Whether a password has that hash; takes as long as the cost of the hash says. */
  static boolean matches(String password, String hash) {
    byte[] bytes = password.getBytes(StandardCharsets.UTF_8);
    return bytes.length > 0
        && bytes.length <= LONGEST_PASSWORD_BYTES
        && BCrypt.verifyer().verify(bytes, hash.getBytes(StandardCharsets.US_ASCII)).verified;
  }
}

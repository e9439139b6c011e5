package io.memorygateway.admin;

import at.favre.lib.crypto.bcrypt.BCrypt;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** bcrypt hashes of passwords, as {@code htpasswd -B} writes them. */
final class PasswordHash {
  /**
   * Cost 10 takes about 50 ms; with less, a stolen hash can be guessed; above 14, a login takes
   * seconds.
   */
  private static final Pattern SHAPE = Pattern.compile("\\$2[aby]\\$1[0-4]\\$[./A-Za-z0-9]{53}");

  /** bcrypt ignores the rest of a password. */
  static final int MAX_PASSWORD_BYTES = 72;

  private static final int COST_FROM = 4;
  private static final int COST_TO = 6;

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

  /** Exponent of the time that checking a hash takes: one more takes twice as long. */
  static int cost(String hash) {
    return Integer.parseInt(hash.substring(COST_FROM, COST_TO));
  }

  /**
   * Hashes to check in vain after a failed check, so that each takes as long as one of the highest
   * cost: the time would show who exists.
   *
   * @param hash that was checked; null for a user who does not exist
   */
  static List<String> inVain(@Nullable String hash, int highestCost) {
    return hash == null
        ? List.of(unknown(highestCost))
        // 2^c + (2^c + 2^(c+1) + ... + 2^(h-1)) = 2^h
        : IntStream.range(cost(hash), highestCost).mapToObj(PasswordHash::unknown).toList();
  }

  static String unknown(int cost) {
    return "$2y$%02d$%s".formatted(cost, "K".repeat(21) + "e" + "K".repeat(31));
  }

  /** Whether a password has that hash; the hash's cost determines the time it takes. */
  static boolean matches(String password, String hash) {
    byte[] bytes = password.getBytes(StandardCharsets.UTF_8);
    return bytes.length > 0
        && bytes.length <= MAX_PASSWORD_BYTES
        && BCrypt.verifyer().verify(bytes, hash.getBytes(StandardCharsets.US_ASCII)).verified;
  }
}

package io.memorygateway.admin;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.regex.Pattern;

/** The secret text of an admin token: {@code msa_} and 128 random bits in lower-case hex. */
final class AdminTokenSecret {
  private static final String PREFIX = "msa_";
  private static final Pattern SHAPE = Pattern.compile("msa_[0-9a-f]{32}");
  private static final int RANDOM_BYTES = 16;
  private static final int PREFIX_LENGTH = PREFIX.length() + 4;

  private AdminTokenSecret() {}

  static String generate(SecureRandom random) {
    byte[] bits = new byte[RANDOM_BYTES];
    random.nextBytes(bits);
    return PREFIX + HexFormat.of().formatHex(bits);
  }

  static boolean isWellFormed(String secret) {
    return SHAPE.matcher(secret).matches();
  }

  /** Display prefix of a token, the part that may be shown. */
  static String prefix(String secret) {
    return secret.substring(0, PREFIX_LENGTH);
  }

  /**
   * Hash under which a token is stored: SHA-256 in lower-case hex. The secret is random, so a plain
   * digest is enough.
   */
  static String hash(String secret) {
    try {
      MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(sha256.digest(secret.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-256", e);
    }
  }
}

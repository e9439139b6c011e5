package io.memorygateway.auth;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * The secret text of an API key: {@code msk_} and 128 random bits in lower-case hex (contract §1).
 */
public final class ApiKeySecret {
  /** Prefix of every gateway key; a token without it belongs to somebody else. */
  public static final String PREFIX = "msk_";

  private static final Pattern SHAPE = Pattern.compile("msk_[0-9a-f]{32}");

  /** Part of a key that is longer than its display prefix, in letters of either case. */
  private static final Pattern ANYWHERE =
      Pattern.compile("msk_[0-9a-f]{5}", Pattern.CASE_INSENSITIVE);

  private static final int RANDOM_BYTES = 16;
  private static final int PREFIX_LENGTH = PREFIX.length() + 4;

  private ApiKeySecret() {}

  public static String generate(SecureRandom random) {
    byte[] bits = new byte[RANDOM_BYTES];
    random.nextBytes(bits);
    return PREFIX + HexFormat.of().formatHex(bits);
  }

  public static boolean isWellFormed(String secret) {
    return SHAPE.matcher(secret).matches();
  }

  /** Whether a text contains a key, or more of one than its display prefix. */
  public static boolean isIn(String text) {
    return ANYWHERE.matcher(text).find();
  }

  /** Display prefix of a key, the part that may be shown. */
  public static String prefix(String secret) {
    return secret.substring(0, PREFIX_LENGTH);
  }

  /**
   * Hash under which a key is stored: SHA-256 in lower-case hex. The secret is random, so a plain
   * digest is enough.
   */
  public static String hash(String secret) {
    try {
      MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(sha256.digest(secret.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-256", e);
    }
  }
}

package io.memorygateway.auth;

import io.memorygateway.json.KeyText;
import io.memorygateway.json.Sha256;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * Kind of secrets that the gateway issues: a prefix and 128 random bits in lower-case hex (contract
 * §1).
 */
public enum IssuedSecret {
  /** Keys of callers: {@code msk_…}. A token without this prefix belongs to somebody else. */
  API_KEY("msk_"),

  /** Tokens for the admin port: {@code msa_…}. */
  ADMIN_TOKEN("msa_");

  private static final int RANDOM_BYTES = 16;

  private final String prefix;

  IssuedSecret(String prefix) {
    this.prefix = prefix;
  }

  public String prefix() {
    return prefix;
  }

  public String generate(SecureRandom random) {
    byte[] bits = new byte[RANDOM_BYTES];
    random.nextBytes(bits);
    return prefix + HexFormat.of().formatHex(bits);
  }

  public boolean isWellFormed(String text) {
    return KeyText.isKey(text, prefix);
  }

  /**
   * Whether a text contains a secret of this kind, or more of one than may be shown, in letters of
   * either case.
   */
  public boolean isIn(String text) {
    return KeyText.isIn(text, prefix, KeyText.SHOWN_DIGITS + 1);
  }

  /** The beginning of a secret, which may be shown. */
  public String shown(String secret) {
    return secret.substring(0, prefix.length() + KeyText.SHOWN_DIGITS);
  }

  /**
   * Hash under which a secret is stored: SHA-256 in lower-case hex. The secret is random, so a
   * plain digest is enough.
   */
  public static String hash(String secret) {
    return Sha256.hex(secret);
  }
}

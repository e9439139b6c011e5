package io.memorygateway.json;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 of texts and bytes. */
public final class Sha256 {
  private static final int HEX_LENGTH = 64;

  private Sha256() {}

  /** A digest to which nothing was added yet. */
  public static MessageDigest begin() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-256", e);
    }
  }

  public static byte[] of(byte[] bytes) {
    return begin().digest(bytes);
  }

  public static byte[] of(String text) {
    return of(text.getBytes(StandardCharsets.UTF_8));
  }

  /** The hash of the UTF-8 of a text, in lower-case hex. */
  public static String hex(String text) {
    return HexFormat.of().formatHex(of(text));
  }

  /** A name in at most 64 characters, which every provider takes: of a longer one the hash. */
  public static String shortened(String name) {
    return name.length() > HEX_LENGTH ? hex(name) : name;
  }
}

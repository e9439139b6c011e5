package io.memorygateway.dialect;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Finds a secret in bytes from an upstream, and replaces it by {@code ***}. In JSON it may be
 * escaped (a backslash before a slash, four hexadecimal digits), as far as encoders do that:
 * letters and digits are not. Bytes without the secret are not copied.
 */
public final class SecretBytes {
  /** The search for calls without a key, which finds nothing. */
  public static final SecretBytes NONE = new SecretBytes("");

  /**
   * Servers without keys are configured with words such as "EMPTY" as the key: those are no
   * secrets.
   */
  private static final int MIN_SECRET_LENGTH = 8;

  private static final byte[] MASK = {'*', '*', '*'};

  /** The longest escape of one byte: a backslash, u, and four digits. */
  private static final int MAX_ESCAPE_LENGTH = 6;

  private final byte[] secret;

  /** The longest part of the secret that no encoder escapes; it is searched for first. */
  private final byte[] plainRun;

  private final int runOffset;

  /** By byte, how far the search may jump if it is the last byte compared (Horspool). */
  private final int[] jumps = new int[256];

  private SecretBytes(String secret) {
    this.secret = secret.getBytes(UTF_8);
    int longestRun = 0;
    int longestAt = 0;
    for (int at = 0; at < this.secret.length; at++) {
      int end = at;
      while (end < this.secret.length && isNeverEscaped(this.secret[end])) {
        end++;
      }
      if (end - at > longestRun) {
        longestRun = end - at;
        longestAt = at;
      }
      at = end;
    }
    plainRun = Arrays.copyOfRange(this.secret, longestAt, longestAt + longestRun);
    runOffset = longestAt;
    Arrays.fill(jumps, longestRun);
    for (int i = 0; i < longestRun - 1; i++) {
      jumps[plainRun[i] & 0xFF] = longestRun - 1 - i;
    }
  }

  /** A search for a secret; {@link #NONE} for null and for a value that is too short to be one. */
  public static SecretBytes of(@Nullable String secret) {
    return secret == null || secret.length() < MIN_SECRET_LENGTH ? NONE : new SecretBytes(secret);
  }

  /** The text with the secret masked. */
  public String mask(String text) {
    byte[] bytes = text.getBytes(UTF_8);
    byte[] masked = mask(bytes);
    return masked == bytes ? text : new String(masked, UTF_8);
  }

  /** The bytes with the secret masked; the array itself if they do not contain it. */
  public byte[] mask(byte[] bytes) {
    byte[] masked = mask(bytes, 0, bytes.length);
    return masked == null ? bytes : masked;
  }

  /** The bytes with the secret masked; null if they do not contain it. */
  byte @Nullable [] mask(byte[] bytes, int start, int end) {
    int run = plainRun.length == 0 ? -1 : findRun(bytes, start, end);
    ByteArrayOutputStream out = null;
    int copied = start;
    while (run >= 0) {
      int match = matchStart(bytes, copied, run, end);
      if (match >= 0) {
        if (out == null) {
          out = new ByteArrayOutputStream(end - start);
        }
        out.write(bytes, copied, match - copied);
        out.writeBytes(MASK);
        copied = matchEnd(bytes, match, end);
      }
      run = findRun(bytes, Math.max(run + 1, copied), end);
    }
    if (out == null) {
      return null;
    }
    out.write(bytes, copied, end - copied);
    return out.toByteArray();
  }

  /** The most bytes that the secret may take, all of it escaped. */
  int maxEscapeLength() {
    return secret.length * MAX_ESCAPE_LENGTH;
  }

  private int findRun(byte[] bytes, int start, int end) {
    int length = plainRun.length;
    byte last = plainRun[length - 1];
    int at = start + length - 1;
    while (at < end) {
      byte b = bytes[at];
      if (b == last && Arrays.equals(bytes, at - length + 1, at + 1, plainRun, 0, length)) {
        return at - length + 1;
      }
      at += jumps[b & 0xFF];
    }
    return -1;
  }

  /** Start of the secret whose plain run is at {@code run}; -1 if it is not there. */
  private int matchStart(byte[] bytes, int from, int run, int end) {
    int first = Math.max(from, run - runOffset * MAX_ESCAPE_LENGTH);
    for (int at = first; at <= run - runOffset; at++) {
      if (matchEnd(bytes, at, end) > run) {
        return at;
      }
    }
    return -1;
  }

  /** End of the secret that begins here; -1 if there is none. */
  private int matchEnd(byte[] bytes, int start, int end) {
    int at = start;
    for (byte expected : secret) {
      if (at < end && bytes[at] == expected) {
        at++;
      } else if (at + 1 < end && bytes[at] == '\\' && bytes[at + 1] == expected) {
        at += 2;
      } else if (isUnicodeEscape(bytes, at, end, expected)) {
        at += MAX_ESCAPE_LENGTH;
      } else {
        return -1;
      }
    }
    return at;
  }

  private static boolean isUnicodeEscape(byte[] bytes, int at, int end, byte expected) {
    return at + MAX_ESCAPE_LENGTH <= end
        && bytes[at] == '\\'
        && bytes[at + 1] == 'u'
        && bytes[at + 2] == '0'
        && bytes[at + 3] == '0'
        && Character.digit(bytes[at + 4], 16) * 16 + Character.digit(bytes[at + 5], 16) == expected;
  }

  private static boolean isNeverEscaped(byte b) {
    return (b >= '0' && b <= '9')
        || (b >= 'A' && b <= 'Z')
        || (b >= 'a' && b <= 'z')
        || b == '-'
        || b == '_'
        || b == '.';
  }

  /** A constant text without the secret. */
  @Override
  public String toString() {
    return "SecretBytes";
  }
}

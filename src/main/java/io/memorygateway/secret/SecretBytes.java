package io.memorygateway.secret;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Locale;
import org.eclipse.jetty.util.SearchPattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds a secret in bytes from an upstream, and replaces it by {@code ***}. In JSON each of its
 * characters may be escaped (a backslash before it, or as four hexadecimal digits), also within a
 * JSON text that is itself a string of another. Bytes without the secret are not copied.
 */
public final class SecretBytes {
  /** The search for calls without a key, which finds nothing. */
  public static final SecretBytes NONE = new SecretBytes("");

  /**
   * Servers without keys are configured with words such as "EMPTY" as the key: those are no
   * secrets.
   */
  static final int MIN_SECRET_LENGTH = 8;

  static final byte[] MASK = {'*', '*', '*'};

  /** The most backslashes of one escape: a JSON text in a string of one in a string of another. */
  private static final int MAX_BACKSLASHES = 4;

  /** The longest escape of one byte: backslashes, u, and four digits. */
  private static final int MAX_ESCAPE_LENGTH = MAX_BACKSLASHES + 5;

  /** The beginning of an escape of an ASCII character by its number. */
  private static final SearchPattern NUMBERED_ESCAPE = SearchPattern.compile("\\u00");

  private final byte[] secret;

  /**
   * The longest part of the secret that encoders escape only by numbers, which is searched for
   * first; null if there is none.
   */
  private final @Nullable SearchPattern plainRun;

  private final int runOffset;

  private SecretBytes(String secret) {
    this.secret = secret.getBytes(UTF_8);
    int longestRun = 0;
    int longestAt = 0;
    for (int at = 0; at < this.secret.length; at++) {
      int end = at;
      while (end < this.secret.length && isEscapedByNumberOnly(this.secret[end])) {
        end++;
      }
      if (end - at > longestRun) {
        longestRun = end - at;
        longestAt = at;
      }
      at = end;
    }
    plainRun =
        longestRun == 0
            ? null
            : SearchPattern.compile(
                Arrays.copyOfRange(this.secret, longestAt, longestAt + longestRun));
    runOffset = longestAt;
  }

  /** A search for a secret; {@link #NONE} for null and for a value that is too short to be one. */
  public static SecretBytes of(@Nullable String secret) {
    return secret == null || secret.length() < MIN_SECRET_LENGTH ? NONE : new SecretBytes(secret);
  }

  /** Whether the name of a header, which has no upper case, contains the secret. */
  public boolean isNamedIn(String header) {
    return secret.length > 0 && header.contains(new String(secret, UTF_8).toLowerCase(Locale.ROOT));
  }

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
    if (secret.length == 0) {
      return null;
    }
    boolean anyEscape = NUMBERED_ESCAPE.match(bytes, start, end - start) >= 0;
    ByteArrayOutputStream out = null;
    int copied = start;
    int match = find(bytes, start, end, anyEscape);
    while (match >= 0) {
      if (out == null) {
        out = new ByteArrayOutputStream(end - start);
      }
      out.write(bytes, copied, match - copied);
      out.writeBytes(MASK);
      copied = matchEnd(bytes, match, end);
      match = find(bytes, copied, end, anyEscape);
    }
    if (out == null) {
      return null;
    }
    out.write(bytes, copied, end - copied);
    return out.toByteArray();
  }

  /**
   * Where the end of some bytes begins that may be a beginning of the secret; their length if none.
   */
  int beginsAt(byte[] bytes) {
    if (secret.length == 0) {
      return bytes.length;
    }
    for (int at = Math.max(0, bytes.length - maxEscapeLength() + 1); at < bytes.length; at++) {
      if (mayBeginWith(bytes[at]) && endsWithin(bytes, at)) {
        return at;
      }
    }
    return bytes.length;
  }

  /** Whether the bytes from here to their end are a beginning of the secret. */
  private boolean endsWithin(byte[] bytes, int start) {
    int at = start;
    for (int index = 0; at < bytes.length && index < secret.length; index++) {
      int length = encodedLength(bytes, at, bytes.length, index);
      if (length == 0) {
        return bytes[at] == '\\' && bytes.length - at < MAX_ESCAPE_LENGTH;
      }
      at += length;
    }
    return at == bytes.length;
  }

  /** Bytes of the secret when nothing is escaped. */
  int length() {
    return secret.length;
  }

  /** The most bytes that the secret may take, all of it escaped. */
  int maxEscapeLength() {
    return secret.length * MAX_ESCAPE_LENGTH;
  }

  /** Whether an occurrence in a JSON text may begin with a byte. */
  boolean mayBeginWith(byte b) {
    return b == secret[0] || b == '\\';
  }

  /**
   * Length of what stands for one byte of the secret at a place of a JSON text; 0 if another byte
   * stands there.
   *
   * @param index of the byte of the secret
   */
  int encodedLength(byte[] bytes, int at, int end, int index) {
    byte expected = secret[index];
    if (at < end && bytes[at] == expected) {
      return 1;
    }
    int character = at;
    while (character < end && character - at < MAX_BACKSLASHES && bytes[character] == '\\') {
      character++;
    }
    if (character == at || character == end) {
      return 0;
    }
    if (bytes[character] == expected) {
      return character + 1 - at;
    }
    return isNumber(bytes, character, end, expected) ? character + 5 - at : 0;
  }

  /** Start of the first secret; -1 if there is none. */
  private int find(byte[] bytes, int start, int end, boolean anyEscape) {
    if (anyEscape || plainRun == null) {
      for (int at = start; at < end; at++) {
        if (mayBeginWith(bytes[at]) && matchEnd(bytes, at, end) >= 0) {
          return at;
        }
      }
      return -1;
    }
    int run = plainRun.match(bytes, start, end - start);
    while (run >= 0) {
      int match = matchStart(bytes, start, run, end);
      if (match >= 0) {
        return match;
      }
      run = plainRun.match(bytes, run + 1, end - run - 1);
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
    for (int index = 0; index < secret.length; index++) {
      int length = encodedLength(bytes, at, end, index);
      if (length == 0) {
        return -1;
      }
      at += length;
    }
    return at;
  }

  /** Whether there is {@code u} with the number of a character. */
  private static boolean isNumber(byte[] bytes, int at, int end, byte expected) {
    return at + 5 <= end
        && bytes[at] == 'u'
        && bytes[at + 1] == '0'
        && bytes[at + 2] == '0'
        && Character.digit(bytes[at + 3], 16) * 16 + Character.digit(bytes[at + 4], 16) == expected;
  }

  private static boolean isEscapedByNumberOnly(byte b) {
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

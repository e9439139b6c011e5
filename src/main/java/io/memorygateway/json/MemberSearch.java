package io.memorygateway.json;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Arrays;

/**
 * A cheap search in JSON for members of a few names whose value is not null. It may report one that
 * is none, but misses none in JSON that writes these names without escapes, as all servers do.
 */
public final class MemberSearch {
  private final byte[][] quotedNames;

  public MemberSearch(String... names) {
    quotedNames = new byte[names.length][];
    for (int i = 0; i < names.length; i++) {
      quotedNames[i] = ('"' + names[i] + '"').getBytes(US_ASCII);
    }
  }

  /** Whether a range of bytes may hold such a member. */
  public boolean find(byte[] data, int start, int end) {
    for (int at = start; at < end; at++) {
      if (data[at] == '"') {
        for (byte[] name : quotedNames) {
          int after = at + name.length;
          if (after < end
              && data[at + 1] == name[1]
              && Arrays.equals(data, at, after, name, 0, name.length)
              && !isNull(data, after, end)) {
            return true;
          }
        }
      }
    }
    return false;
  }

  private static boolean isNull(byte[] data, int afterName, int end) {
    int at = skipSpace(data, afterName, end);
    if (at == end || data[at] != ':') {
      return true; // a string, not the name of a member
    }
    at = skipSpace(data, at + 1, end);
    return at < end && data[at] == 'n';
  }

  private static int skipSpace(byte[] data, int from, int end) {
    int at = from;
    while (at < end && isSpace(data[at])) {
      at++;
    }
    return at;
  }

  private static boolean isSpace(byte b) {
    return b == ' ' || b == '\n' || b == '\r' || b == '\t';
  }
}

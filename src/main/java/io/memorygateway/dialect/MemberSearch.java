package io.memorygateway.dialect;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Arrays;

/**
 * A cheap look over the bytes of some JSON: may it hold a member of one of these names whose value
 * is not null? It may say yes where a parser would say no, never the other way round for JSON that
 * spells these names without escapes, as all servers do.
 */
final class MemberSearch {
  private final byte[][] quotedNames;

  MemberSearch(String... names) {
    quotedNames = new byte[names.length][];
    for (int i = 0; i < names.length; i++) {
      quotedNames[i] = ('"' + names[i] + '"').getBytes(US_ASCII);
    }
  }

  boolean find(SseEvent event) {
    byte[] data = event.dataArray();
    int end = event.dataEnd();
    for (int at = event.dataStart(); at < end; at++) {
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
    while (at < end && (data[at] == ' ' || data[at] == '\n' || data[at] == '\t')) {
      at++;
    }
    return at;
  }
}

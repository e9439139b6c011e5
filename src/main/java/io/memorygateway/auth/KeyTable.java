package io.memorygateway.auth;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Keys as a table for people. */
final class KeyTable {
  private static final List<String> HEAD =
      List.of(
          "ID", "PROJECT", "NAME", "KEY", "LIMITS", "CREATED", "EXPIRES", "REVOKED", "LAST USED");

  private KeyTable() {}

  static void print(List<KeyView> keys, PrintStream out) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(HEAD);
    for (KeyView key : keys) {
      rows.add(
          List.of(
              key.id(),
              key.project(),
              key.name(),
              key.key() == null ? key.prefix() + "…" : key.key(),
              key.limits().isEmpty() ? "-" : key.limits().toString(),
              orDash(key.createdAt()),
              orDash(key.expiresAt()),
              orDash(key.revokedAt()),
              orDash(key.lastUsedAt())));
    }
    int[] widths = new int[HEAD.size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        line.append(row.get(i)).append(" ".repeat(widths[i] - row.get(i).length() + 2));
      }
      out.println(line.toString().stripTrailing());
    }
  }

  private static String orDash(@Nullable String value) {
    return value == null ? "-" : value;
  }
}

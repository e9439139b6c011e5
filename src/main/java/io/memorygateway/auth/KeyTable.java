package io.memorygateway.auth;

import io.memorygateway.cli.Table;
import java.io.PrintStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Keys as a table for people. */
final class KeyTable {
  private static final List<String> HEAD =
      List.of(
          "ID", "PROJECT", "NAME", "KEY", "LIMITS", "CREATED", "EXPIRES", "REVOKED", "LAST USED");

  private KeyTable() {}

  static void print(List<KeyView> keys, PrintStream out) {
    Table table = new Table(HEAD);
    for (KeyView key : keys) {
      table.add(
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
    out.print(table.text());
  }

  private static String orDash(@Nullable String value) {
    return value == null ? "-" : value;
  }
}

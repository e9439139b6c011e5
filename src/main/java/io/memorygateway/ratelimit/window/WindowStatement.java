package io.memorygateway.ratelimit.window;

import static java.util.stream.Collectors.joining;

import io.memorygateway.database.SqlText;
import io.memorygateway.http.api.RequestKind;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Builder of the one statement that decides a batch, for one set of rules in their slots.
 *
 * <p>The values of an inserted row are the statement's inputs: how many permits of each kind are
 * requested ({@code granted_…}) and the key's limits ({@code used_N}). If the row exists, the
 * assignments run from left to right, each seeing the results of those before it: counters of past
 * windows start anew, each kind gets as much as every one of its rules has left, and the counters
 * rise by that. A row that did not exist is left with the inputs and, since {@code start_N} is
 * null, with a window that has ended: it has decided nothing, and the batch asks again for its key.
 *
 * <p>A window's start never moves back, so a late statement counts into the newer window.
 */
final class WindowStatement {
  static final String NOW = SqlText.NOW_MILLIS;

  private static final String INSERT =
      "INSERT INTO rate_limit_windows (key_id, touched_at, %s, %s) VALUES ";
  private static final String UPDATE =
      " ON DUPLICATE KEY UPDATE touched_at = GREATEST(touched_at, VALUES(touched_at))";
  private static final String RESET =
      ", used_%1$d = IF(start_%1$d >= %2$s, used_%1$d, 0)"
          + ", start_%1$d = IF(start_%1$d >= %2$s, start_%1$d, %2$s)";
  private static final String WINDOW_START = "VALUES(touched_at) - VALUES(touched_at) MOD %d";
  private static final String GRANT = ", %1$s = GREATEST(0, LEAST(VALUES(%1$s), %2$s))";
  private static final String COUNT = ", used_%1$d = used_%1$d + %2$s";
  private static final String SELECT =
      "; SELECT key_id, touched_at, %s AS held, %s, %s, %s FROM rate_limit_windows WHERE key_id IN (";
  private static final String ORDER = ") ORDER BY key_id; ";

  private final RuleSet rules;
  private final int[] slots;
  private final Holders holders;
  private final List<RequestKind> kinds;
  private final String insert;
  private final String update;
  private final String select;

  /**
   * @param slots of the rules, by index
   * @param holders of permits that are reserved
   * @param kinds of request in the batch; each has a rule
   */
  WindowStatement(RuleSet rules, int[] slots, Holders holders, Set<RequestKind> kinds) {
    this.rules = rules;
    this.slots = slots.clone();
    this.holders = holders;
    this.kinds = List.copyOf(EnumSet.copyOf(kinds));
    String granted = this.kinds.stream().map(WindowStatement::column).collect(joining(", "));
    String starts = each(slot -> "start_" + slot);
    String used = each(slot -> "used_" + slot);
    this.insert = INSERT.formatted(granted, used);
    this.update = UPDATE + resets() + this.kinds.stream().map(this::grant).collect(joining());
    this.select = SELECT.formatted(holders.heldByOthers(), granted, starts, used);
  }

  /** The kinds in the order of their columns. */
  List<RequestKind> kinds() {
    return kinds;
  }

  /**
   * The text, including the transaction.
   *
   * @param keys ascending, so that two nodes never deadlock
   */
  String text(List<KeyBatch> keys) {
    StringBuilder sql =
        new StringBuilder(insert.length() + update.length() + select.length() + 160 * keys.size());
    sql.append(insert);
    String separator = "(";
    for (KeyBatch key : keys) {
      sql.append(separator).append(key.keyId()).append(',').append(NOW);
      for (RequestKind kind : kinds) {
        sql.append(',').append(key.wanted(kind));
      }
      for (long limit : key.limits()) {
        sql.append(',').append(limit);
      }
      separator = "),(";
    }
    sql.append(')').append(update).append(select);
    separator = "";
    for (KeyBatch key : keys) {
      sql.append(separator).append(key.keyId());
      separator = ",";
    }
    return sql.append(ORDER).append(holders.announcement(keys, rules)).append("COMMIT").toString();
  }

  private String resets() {
    StringBuilder sql = new StringBuilder();
    for (int i = 0; i < slots.length; i++) {
      sql.append(RESET.formatted(slots[i], WINDOW_START.formatted(rules.windowMillis(i))));
    }
    return sql.toString();
  }

  private String grant(RequestKind kind) {
    int[] own = Arrays.stream(rules.applicable(kind)).map(i -> slots[i]).toArray();
    String left =
        Arrays.stream(own)
            .mapToObj("VALUES(used_%1$d) - used_%1$d"::formatted)
            .collect(joining(", "));
    String counts =
        Arrays.stream(own).mapToObj(slot -> COUNT.formatted(slot, column(kind))).collect(joining());
    return GRANT.formatted(column(kind), left) + counts;
  }

  private static String column(RequestKind kind) {
    return "granted_" + kind.counter();
  }

  private String each(IntFunction<String> column) {
    return IntStream.of(slots).mapToObj(column).collect(joining(", "));
  }
}

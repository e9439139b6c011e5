package io.memorygateway.ratelimit.window;

import static java.util.stream.Collectors.joining;

import io.memorygateway.database.Home;
import io.memorygateway.database.RowPages;
import java.util.Collection;
import java.util.List;

/**
 * Statements on {@code rate_limit_holders}: which nodes hold permits of a key that they have not
 * handed out.
 *
 * <p>A node writes its row in the transaction that reserves the permits, and deletes it in the one
 * that returns what is left of them. Both change the key's row of {@code rate_limit_windows} first,
 * so that who finds a window full under the lock of that row sees who may still return something.
 */
final class Holders {
  /** The slots in which other nodes may hold permits of the row's key. */
  private final String heldByOthers;

  private final Home home;
  private final long node;
  private final int[] slots;

  Holders(Home home, long node, int[] slots) {
    this.home = home;
    this.node = node;
    this.slots = slots.clone();
    this.heldByOthers =
        "(SELECT COALESCE(BIT_OR(slots), 0) FROM rate_limit_holders AS holders"
            + " WHERE holders.key_id = rate_limit_windows.key_id AND node <> "
            + node
            + ")";
  }

  String heldByOthers() {
    return heldByOthers;
  }

  /** The rules of slots, a bit each. */
  int rules(long slotBits) {
    int rules = 0;
    for (int i = 0; i < slots.length; i++) {
      rules |= (int) (slotBits >> slots[i] & 1) << i;
    }
    return rules;
  }

  /** Announces the keys of which permits are reserved for the first time; may be empty. */
  String announcement(List<KeyBatch> keys, RuleSet rules) {
    String rows =
        keys.stream()
            .filter(key -> key.announced(rules) != 0)
            .map(key -> "(" + key.keyId() + "," + node + "," + slots(key.announced(rules)) + ")")
            .collect(joining(","));
    return rows.isEmpty()
        ? ""
        : "INSERT INTO rate_limit_holders (key_id, node, slots) VALUES "
            + rows
            + " ON DUPLICATE KEY UPDATE slots = slots | VALUES(slots); ";
  }

  private int slots(int ruleBits) {
    int bits = 0;
    for (int i = 0; i < slots.length; i++) {
      bits |= (ruleBits >> i & 1) << slots[i];
    }
    return bits;
  }

  /** Deletes this node's rows of keys of which it holds nothing. */
  String release(Collection<Long> keys) {
    return "DELETE FROM rate_limit_holders WHERE node = " + node + " AND key_id IN " + list(keys);
  }

  /** Asks all nodes for what they hold of keys. */
  String recall(Collection<Long> keys) {
    return "UPDATE rate_limit_holders SET recalled_at = "
        + WindowStatement.NOW
        + " WHERE recalled_at = 0 AND key_id IN "
        + list(keys);
  }

  /** Keys of which this node is asked for what it holds, some of them if they are many. */
  String recalled() {
    return "SELECT key_id FROM rate_limit_holders WHERE node = "
        + node
        + " AND recalled_at > 0 AND key_id BETWEEN "
        + home.first()
        + " AND "
        + home.last()
        + " LIMIT "
        + RowPages.ROWS;
  }

  /** Deletes the rows of nodes that did not return what they were asked for. */
  String forget(Collection<Long> keys) {
    return "DELETE FROM rate_limit_holders WHERE recalled_at > 0 AND key_id IN " + list(keys);
  }

  private static String list(Collection<Long> keys) {
    return keys.stream().sorted().map(String::valueOf).collect(joining(",", "(", ")"));
  }
}

package io.memorygateway.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Topology of the database (one server, Group Replication, Galera, Vitess), and what follows from
 * that for the gateway's sessions and for the operator (contract §13). Read from variables that
 * every account may read.
 *
 * @param kind of cluster, or none
 * @param advice lines for the operator: recommended settings of the cluster
 */
public record DatabaseTopology(Kind kind, List<String> advice) {
  /** Topologies that the gateway knows. */
  public enum Kind {
    ONE_SERVER("one server", ""),
    GROUP_SINGLE_PRIMARY("Group Replication, single-primary", ""),
    // A read on another member than the one that was written to sees what was acknowledged.
    GROUP_MULTI_PRIMARY(
        "Group Replication, multi-primary", "group_replication_consistency='BEFORE'"),
    GALERA("Galera", "wsrep_sync_wait=7"),
    /** Recognised by what it limits: transactions, and not sessions. */
    VITESS("Vitess", SessionLimits.OF_TRANSACTIONS);

    private final String title;
    private final String session;

    Kind(String title, String session) {
      this.title = title;
      this.session = session;
    }

    /** Name shown to operators. */
    public String title() {
      return title;
    }

    /** Session variables with which it keeps the promises. */
    String session() {
      return session;
    }
  }

  public DatabaseTopology {
    advice = List.copyOf(advice);
  }

  static DatabaseTopology of(Connection connection) throws SQLException {
    if (SessionLimits.areOfTransactions(connection)) {
      return new DatabaseTopology(Kind.VITESS, List.of());
    }
    Map<String, String> group = variables(connection, "group_replication%");
    if (!group.getOrDefault("group_replication_group_name", "").isEmpty()) {
      return group(group);
    }
    Map<String, String> galera = variables(connection, "wsrep%");
    if (isOn(galera, "wsrep_on") && !galera.getOrDefault("wsrep_cluster_address", "").isEmpty()) {
      return new DatabaseTopology(Kind.GALERA, List.of());
    }
    return new DatabaseTopology(Kind.ONE_SERVER, List.of());
  }

  private static DatabaseTopology group(Map<String, String> variables) {
    List<String> advice = new ArrayList<>();
    boolean single = isOn(variables, "group_replication_single_primary_mode");
    if (single
        && variables
            .getOrDefault("group_replication_consistency", "")
            .toUpperCase(Locale.ROOT)
            .equals("EVENTUAL")) {
      advice.add(
          "group_replication_consistency=BEFORE_ON_PRIMARY_FAILOVER: else a new primary answers"
              + " before it has caught up");
    }
    if (!isOn(variables, "group_replication_start_on_boot")) {
      advice.add(
          "super_read_only=ON in the configuration of each member: else one that starts again takes"
              + " writes before it has joined the others, and they are lost");
    }
    if (variables.getOrDefault("group_replication_unreachable_majority_timeout", "0").equals("0")) {
      advice.add(
          "group_replication_unreachable_majority_timeout=5: else writes wait without end on a"
              + " member that has lost the others");
    }
    return new DatabaseTopology(
        single ? Kind.GROUP_SINGLE_PRIMARY : Kind.GROUP_MULTI_PRIMARY, advice);
  }

  private static boolean isOn(Map<String, String> variables, String name) {
    String value = variables.getOrDefault(name, "");
    return value.equalsIgnoreCase("ON") || value.equals("1");
  }

  private static Map<String, String> variables(Connection connection, String like)
      throws SQLException {
    Map<String, String> variables = new HashMap<>();
    try (PreparedStatement statement =
        connection.prepareStatement("SHOW GLOBAL VARIABLES LIKE ?")) {
      statement.setString(1, like);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          variables.put(rows.getString(1).toLowerCase(Locale.ROOT), rows.getString(2));
        }
      }
    }
    return variables;
  }
}

package io.memorygateway.embedding;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** SQL by which a search reads vectors. */
final class VectorStatements {
  private static final String STATES =
      "SELECT thread_id, resource_hash, next_seq, revision FROM embedding_threads WHERE project_id"
          + " = ? AND ";

  private static final String VECTORS = "SELECT thread_id, seq, vector FROM message_vectors WHERE ";

  private static final String RANGE =
      "(project_id = ? AND resource_hash = ? AND thread_id = ? AND seq >= ? AND seq < ? AND"
          + " model_id = ?)";

  private VectorStatements() {}

  /**
   * The progress of a thread's embedding.
   *
   * @param nextSeq messages below have vectors, unless there is nothing to embed in them
   * @param revision changes whenever vectors below may have changed
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record State(long thread, byte[] resourceHash, long nextSeq, long revision) {}

  /** Messages of a thread, the end not included. */
  record Range(long project, State thread, long from, long to, int model) {}

  /** A stored vector. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Row(long thread, long seq, byte[] vector) {}

  /** Reads the states of a resource's threads that have vectors of a model. */
  static Map<Long, State> ofResource(
      Connection connection, long project, byte[] resourceHash, int model, int limit)
      throws SQLException {
    String sql = STATES + "resource_hash = ? AND model_id = ? LIMIT ?";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, project);
      statement.setBytes(2, resourceHash);
      statement.setInt(3, model);
      statement.setInt(4, limit);
      return states(statement);
    }
  }

  /** Reads the state of one thread, if it has vectors of a model. */
  static Map<Long, State> ofThread(Connection connection, long project, long thread, int model)
      throws SQLException {
    String sql = STATES + "thread_id = ? AND model_id = ?";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, project);
      statement.setLong(2, thread);
      statement.setInt(3, model);
      return states(statement);
    }
  }

  private static Map<Long, State> states(PreparedStatement statement) throws SQLException {
    Map<Long, State> states = new HashMap<>();
    try (ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        State state = new State(row.getLong(1), row.getBytes(2), row.getLong(3), row.getLong(4));
        states.put(state.thread(), state);
      }
    }
    return states;
  }

  /** Reads all vectors of some ranges, thread by thread, ascending. */
  static List<Row> vectors(Connection connection, List<Range> ranges) throws SQLException {
    String sql =
        VECTORS
            + String.join(" OR ", Collections.nCopies(ranges.size(), RANGE))
            + " ORDER BY thread_id, seq";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      int parameter = 1;
      for (Range range : ranges) {
        parameter = bind(statement, parameter, range);
      }
      return rows(statement);
    }
  }

  /** Reads the newest vectors of a range, descending. */
  static List<Row> newest(Connection connection, Range range, int limit) throws SQLException {
    String sql = VECTORS + RANGE + " ORDER BY seq DESC LIMIT ?";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setInt(bind(statement, 1, range), limit);
      return rows(statement);
    }
  }

  private static int bind(PreparedStatement statement, int parameter, Range range)
      throws SQLException {
    statement.setLong(parameter, range.project());
    statement.setBytes(parameter + 1, range.thread().resourceHash());
    statement.setLong(parameter + 2, range.thread().thread());
    statement.setLong(parameter + 3, range.from());
    statement.setLong(parameter + 4, range.to());
    statement.setInt(parameter + 5, range.model());
    return parameter + 6;
  }

  private static List<Row> rows(PreparedStatement statement) throws SQLException {
    List<Row> rows = new ArrayList<>();
    try (ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        rows.add(new Row(row.getLong(1), row.getLong(2), row.getBytes(3)));
      }
    }
    return rows;
  }
}

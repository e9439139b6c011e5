package io.memorygateway.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.SplittableRandom;

/**
 * 1,000,000 messages of the newest project: resources of 1,000, 10,000 and 100,000 messages, and
 * others to fill up, in threads of 500. Words are as rare as those of a language: the n-th occurs a
 * n-th as often as the first.
 */
final class SearchData {
  static final int[] SIZES = {1_000, 10_000, 100_000};

  /** Resources of each size. */
  static final int[] RESOURCES = {50, 20, 3};

  private static final int MESSAGES = 1_000_000;
  private static final int OF_THREAD = 500;
  private static final int VOCABULARY = 30_000;

  private final Connection database;
  private final SplittableRandom random = new SplittableRandom(1);

  SearchData(Connection database) {
    this.database = database;
  }

  /** A text of 8 to 60 words. */
  static String text(SplittableRandom random) {
    StringBuilder text = new StringBuilder();
    int words = 8 + random.nextInt(53);
    for (int i = 0; i < words; i++) {
      int rank = (int) Math.exp(random.nextDouble() * Math.log(VOCABULARY));
      text.append(i == 0 ? "" : " ").append(word(rank));
    }
    return text.toString();
  }

  private static String word(int rank) {
    return "w" + Integer.toString(rank * 7919 + 1000, 36);
  }

  static String resource(int size, int number) {
    return "resource-" + size + "-" + number;
  }

  /** The id of a thread of a resource. */
  static String thread(String resource, int number) {
    return resource + "-" + number;
  }

  /** Stores the rows as the gateway would, but many at once; does nothing if they are there. */
  void fill() throws SQLException {
    if (number("SELECT COUNT(*) FROM threads WHERE public_id = 'resource-1000-0-0'") > 0) {
      return;
    }
    database.setAutoCommit(false);
    int stored = 0;
    for (int i = 0; i < SIZES.length; i++) {
      for (int resource = 0; resource < RESOURCES[i]; resource++) {
        stored += fill(resource(SIZES[i], resource), SIZES[i]);
      }
    }
    for (int resource = 0; stored < MESSAGES; resource++) {
      stored += fill(resource(5_000, resource), 5_000);
    }
    database.setAutoCommit(true);
    database.createStatement().execute("ANALYZE TABLE threads, thread_heads, messages");
  }

  private int fill(String resource, int messages) throws SQLException {
    long project = number("SELECT MAX(id) FROM projects");
    for (int thread = 0; thread * OF_THREAD < messages; thread++) {
      long id = number("SELECT COALESCE(MAX(id), 0) + 1 FROM threads");
      update(
          "INSERT INTO threads (id, project_id, public_id, resource_id, created_at) VALUES"
              + " (?,?,?,?,UTC_TIMESTAMP(3))",
          id,
          project,
          thread(resource, thread),
          resource);
      long bytes = 0;
      try (PreparedStatement insert =
          database.prepareStatement(
              "INSERT INTO messages (thread_id, seq, public_id, role, type, content, created_at,"
                  + " content_bytes) VALUES "
                  + "(?,?,?,'user','text',?,UTC_TIMESTAMP(3),?),".repeat(OF_THREAD - 1)
                  + "(?,?,?,'user','text',?,UTC_TIMESTAMP(3),?)")) {
        int column = 1;
        for (int seq = 0; seq < OF_THREAD; seq++) {
          String content = '"' + text(random) + '"';
          insert.setLong(column++, id);
          insert.setLong(column++, seq);
          insert.setString(column++, "0199d3a0-0000-7000-8000-%012x".formatted(seq));
          insert.setString(column++, content);
          insert.setInt(column++, content.length());
          bytes += content.length();
        }
        insert.executeUpdate();
      }
      update(
          """
          INSERT INTO thread_heads (thread_id, project_id, public_id, resource_id, base_seq, next_seq, message_count, updated_at,
                                    observe_at, stored_bytes)
          VALUES (?,?,?,?,0,500,500,UTC_TIMESTAMP(3),1000000000000,?)
          """,
          id,
          project,
          thread(resource, thread),
          resource,
          bytes);
    }
    database.commit();
    return messages;
  }

  private void update(String sql, Object... values) throws SQLException {
    try (PreparedStatement statement = database.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      statement.executeUpdate();
    }
  }

  private long number(String query) throws SQLException {
    try (ResultSet row = database.createStatement().executeQuery(query)) {
      row.next();
      return row.getLong(1);
    }
  }
}

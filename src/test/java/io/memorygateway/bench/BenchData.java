package io.memorygateway.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.SplittableRandom;

/** 1,000,000 messages in 10,000 threads of the newest project, one of them with 200,000. */
final class BenchData {
  static final int THREADS = 10_000;

  private static final int MESSAGES = 1_000_000;
  private static final int LARGE = 200_000;
  private static final int OF_OTHERS = (MESSAGES - LARGE) / (THREADS - 1);
  private static final int ROWS = 500;

  private final Connection database;
  private final SplittableRandom random = new SplittableRandom(1);

  BenchData(Connection database) {
    this.database = database;
  }

  /** A message of a chat: 40 to 600 characters. */
  static String text(SplittableRandom random) {
    return text(random, 60_466_176, 8 + random.nextInt(100));
  }

  /**
   * Words, separated by spaces.
   *
   * @param vocabulary number of different words
   */
  static String text(SplittableRandom random, long vocabulary, int words) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < words; i++) {
      text.append(Long.toString(random.nextLong(vocabulary), 36)).append(' ');
    }
    return text.toString().trim();
  }

  /** Stores the rows as the gateway would, but many at once; does nothing if they are there. */
  void fill() throws SQLException {
    if (number("SELECT COUNT(*) FROM threads WHERE public_id = 'thread-0'") > 0) {
      return;
    }
    long project = number("SELECT MAX(id) FROM projects");
    long firstThread = number("SELECT COALESCE(MAX(id), 0) + 1 FROM threads");
    database.setAutoCommit(false);
    fillThreads(project, firstThread);
    try (PreparedStatement insert =
        database.prepareStatement(
            "INSERT INTO messages (thread_id, seq, public_id, role, type, content, created_at, content_bytes) VALUES "
                + "(?,?,?,'user','text',?,UTC_TIMESTAMP(3),?),".repeat(ROWS - 1)
                + "(?,?,?,'user','text',?,UTC_TIMESTAMP(3),?)")) {
      int column = 1;
      for (int thread = 0; thread < THREADS; thread++) {
        for (int seq = 0; seq < messagesOf(thread); seq++) {
          insert.setLong(column++, firstThread + thread);
          insert.setLong(column++, seq);
          insert.setString(column++, "0199d3a0-0000-7000-8000-%012x".formatted(seq));
          String content = '"' + text(random) + '"';
          insert.setString(column++, content);
          insert.setLong(column++, content.length());
          if (column > ROWS * 5) {
            insert.executeUpdate();
            database.commit();
            column = 1;
          }
        }
      }
      // What does not fill a statement is left out; the heads say so.
      int missing = (column - 1) / 5;
      database
          .createStatement()
          .executeUpdate(
              "UPDATE thread_heads SET next_seq = next_seq - %1$d, message_count = message_count - %1$d WHERE thread_id = %2$d"
                  .formatted(missing, firstThread + THREADS - 1));
      database.commit();
    }
    database.setAutoCommit(true);
    database
        .createStatement()
        .execute("ANALYZE TABLE threads, thread_heads, messages, thread_counts");
  }

  private void fillThreads(long project, long firstThread) throws SQLException {
    try (PreparedStatement insert =
        database.prepareStatement(
            """
            INSERT INTO threads (id, project_id, public_id, resource_id, created_at)
            VALUES (?, ?, ?, ?, UTC_TIMESTAMP(3) - INTERVAL ? SECOND)
            """)) {
      for (int thread = 0; thread < THREADS; thread++) {
        insert.setLong(1, firstThread + thread);
        insert.setLong(2, project);
        insert.setString(3, "thread-" + thread);
        insert.setString(4, "user-" + thread % 1000);
        insert.setInt(5, random.nextInt(30 * 86_400));
        insert.executeUpdate();
      }
    }
    database
        .createStatement()
        .executeUpdate(
            """
            INSERT INTO thread_heads (thread_id, project_id, public_id, resource_id, base_seq, next_seq, message_count, updated_at, observe_at)
            SELECT id, project_id, public_id, resource_id, 0, n, n, created_at, 1000000000000
            FROM (SELECT t.*, IF(public_id = 'thread-0', %1$d, %2$d) AS n FROM threads t WHERE project_id = %3$d) filled
            """
                .formatted(LARGE, OF_OTHERS, project));
    database
        .createStatement()
        .executeUpdate(
            """
            INSERT INTO thread_counts (project_id, resource_id, slot, threads)
            SELECT project_id, '', id %% 8, COUNT(*) FROM threads WHERE project_id = %1$d GROUP BY project_id, id %% 8
            UNION ALL
            SELECT project_id, resource_id, id %% 8, COUNT(*) FROM threads WHERE project_id = %1$d
            GROUP BY project_id, resource_id, id %% 8
            """
                .formatted(project));
    database.commit();
  }

  private static int messagesOf(int thread) {
    return thread == 0 ? LARGE : OF_OTHERS;
  }

  private long number(String query) throws SQLException {
    try (ResultSet row = database.createStatement().executeQuery(query)) {
      row.next();
      return row.getLong(1);
    }
  }

  /** Explains the statements that the gateway has just been sending. */
  void printPlans() throws SQLException {
    long project = number("SELECT MAX(project_id) FROM threads");
    for (BenchPlans plan : BenchPlans.values()) {
      System.out.println("\n" + plan.title());
      try (PreparedStatement explain = plan.explain(database, project);
          ResultSet rows = explain.executeQuery()) {
        while (rows.next()) {
          System.out.printf(
              "  %-10s type %-7s key %-20s rows %-6s %s%n",
              rows.getString("table"),
              rows.getString("type"),
              rows.getString("key"),
              rows.getString("rows"),
              rows.getString("Extra"));
        }
      }
    }
  }
}

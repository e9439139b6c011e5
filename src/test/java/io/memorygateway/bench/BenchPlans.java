package io.memorygateway.bench;

import io.memorygateway.database.Home;
import io.memorygateway.memory.read.PageStatements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** The statements that pages of 50 are made with, to be explained. */
enum BenchPlans {
  FIRST_PAGE("first page of messages", PageStatements.messagesOldestFirst(), 0),
  DEEP_PAGE("page of messages at 190,000", PageStatements.messagesOldestFirst(), 190_000),
  NEWEST_PAGE("newest page of messages", PageStatements.messagesNewestFirst(), 0),
  FIRST_THREADS("first page of threads", PageStatements.threads(), 0),
  DEEP_THREADS("page of threads at 9,000 of 10,000", PageStatements.threadsFromTheEnd(), 950);

  private static final int LIMIT = 50;

  private final String title;
  private final String statement;
  private final long offset;

  BenchPlans(String title, String statement, long offset) {
    this.title = title;
    this.statement = statement;
    this.offset = offset;
  }

  String title() {
    return title;
  }

  PreparedStatement explain(Connection connection, long project) throws SQLException {
    PreparedStatement explain =
        connection.prepareStatement("EXPLAIN FORMAT=TRADITIONAL " + statement);
    Object[] values =
        switch (this) {
          case FIRST_PAGE, DEEP_PAGE, NEWEST_PAGE ->
              new Object[] {
                offset, offset + LIMIT, project, "thread-0", null, 0L, Home.FIRST.last()
              };
          case FIRST_THREADS, DEEP_THREADS ->
              new Object[] {project, "", project, 0L, Home.FIRST.last(), LIMIT, offset};
        };
    for (int i = 0; i < values.length; i++) {
      explain.setObject(i + 1, values[i]);
    }
    return explain;
  }
}

package io.memorygateway.bench;

import io.memorygateway.memory.PageStatements;

/** The statements that pages are made with, with values in the place of their parameters. */
enum BenchPlans {
  FIRST_PAGE("first page of messages", PageStatements.messagesOldestFirst(), 0),
  DEEP_PAGE("page of messages at 190,000", PageStatements.messagesOldestFirst(), 190_000),
  NEWEST_PAGE("newest page of messages", PageStatements.messagesNewestFirst(), 0),
  FIRST_THREADS("first page of threads", PageStatements.threads(), 0),
  DEEP_THREADS("page of threads at 9,000 of 10,000", PageStatements.threadsFromTheEnd(), 950);

  private final String title;
  private final String statement;

  BenchPlans(String title, String statement, long offset) {
    this.title = title;
    this.statement =
        statement
            .replace(":publicId", "'thread-0'")
            .replace(":limit", "50")
            .replace(":offset", Long.toString(offset));
  }

  String title() {
    return title;
  }

  String statement() {
    return statement;
  }
}

package io.memorygateway.memory.read;

/** For the benchmark: the SQL of pages, as the product has it. */
public final class PageStatements {
  private PageStatements() {}

  public static String messagesOldestFirst() {
    return MessagePageQuery.OLDEST_FIRST;
  }

  public static String messagesNewestFirst() {
    return MessagePageQuery.NEWEST_FIRST;
  }

  public static String threads() {
    return ThreadPageQuery.OF_PROJECT;
  }

  public static String threadsFromTheEnd() {
    return ThreadPageQuery.OF_PROJECT_FROM_THE_END;
  }
}

package io.memorygateway.memory;

/** For the benchmark: the SQL of pages, as the DAOs have it. */
public final class PageStatements {
  private PageStatements() {}

  public static String messagesOldestFirst() {
    return MessagePageDao.OLDEST_FIRST;
  }

  public static String messagesNewestFirst() {
    return MessagePageDao.NEWEST_FIRST;
  }

  public static String threads() {
    return ThreadPageDao.OF_PROJECT + ThreadPageDao.NEWEST_FIRST + ThreadPageDao.ROWS;
  }

  public static String threadsFromTheEnd() {
    return ThreadPageDao.OF_PROJECT + ThreadPageDao.OLDEST_FIRST + ThreadPageDao.ROWS;
  }
}

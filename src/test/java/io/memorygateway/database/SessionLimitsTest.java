package io.memorygateway.database;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SessionLimitsTest {
  private static final String URL = "jdbc:mysql://h/s";

  @Test
  void limitsStandBehindWhatTheOperatorSets() {
    assertThat(SessionLimits.addedTo(URL, null, "")).startsWith("innodb_lock_wait_timeout=1,");
    assertThat(SessionLimits.addedTo(URL, "sql_mode='ANSI'", ""))
        .startsWith("sql_mode='ANSI',innodb_lock_wait_timeout=1,");
    assertThat(SessionLimits.addedTo(URL + "?a=b&sessionVariables=x%3D1&c=d", null, ""))
        .startsWith("x=1,innodb_lock_wait_timeout=1,");
  }

  @Test
  void theyAreAddedOnce() {
    String once = SessionLimits.addedTo(URL, null, "");
    assertThat(SessionLimits.addedTo(URL, once, "")).isEqualTo(once);
  }

  @Test
  void reportsHaveLessTimeWhereTheServerTakesItFromAVariable() {
    String limits = SessionLimits.addedTo(URL, null, SessionLimits.OF_TRANSACTIONS);
    assertThat(SessionLimits.withStatements(limits, 2_000))
        .isEqualTo(limits.replace("query_timeout=15000", "query_timeout=2000"))
        .isNotEqualTo(limits);
    String plain = SessionLimits.addedTo(URL, null, "");
    assertThat(SessionLimits.withStatements(plain, 2_000)).isEqualTo(plain);
  }
}

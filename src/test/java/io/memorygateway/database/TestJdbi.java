package io.memorygateway.database;

import org.jdbi.v3.core.ConnectionFactory;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.ColonPrefixSqlParser;
import org.jdbi.v3.core.statement.SqlParser;
import org.jdbi.v3.core.statement.SqlStatements;

/** Jdbi of a test, which remembers what it learns of interfaces and statements, as a gateway's. */
public final class TestJdbi {
  /** All databases of a JVM are sent the same statements, and to read one takes a millisecond. */
  private static final SqlParser STATEMENTS = new ColonPrefixSqlParser();

  private TestJdbi() {}

  /** Opens connections by a factory. */
  public static Jdbi of(ConnectionFactory connections) {
    Jdbi jdbi = SqlObjects.install(Jdbi.create(connections));
    jdbi.getConfig(SqlStatements.class).setSqlParser(STATEMENTS);
    return jdbi;
  }
}

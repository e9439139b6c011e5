package io.memorygateway.database;

import liquibase.database.Database;
import liquibase.exception.ValidationErrors;
import liquibase.sql.Sql;
import liquibase.sql.UnparsedSql;
import liquibase.sqlgenerator.SqlGeneratorChain;
import liquibase.sqlgenerator.core.AbstractSqlGenerator;
import liquibase.statement.core.CreateDatabaseChangeLogTableStatement;

/**
 * Creates Liquibase's table of executed changes with a primary key. Liquibase gives it none, and
 * Group Replication refuses to write to a table without one (contract §13). Liquibase finds this
 * class as a service. Other engines and formats of rows, which may be the server's defaults, have
 * no room for such a key.
 */
public final class KeyedChangeLogTable
    extends AbstractSqlGenerator<CreateDatabaseChangeLogTableStatement> {
  @Override
  public int getPriority() {
    return PRIORITY_DATABASE;
  }

  @Override
  public ValidationErrors validate(
      CreateDatabaseChangeLogTableStatement statement,
      Database database,
      SqlGeneratorChain<CreateDatabaseChangeLogTableStatement> chain) {
    return chain.validate(statement, database);
  }

  @Override
  public Sql[] generateSql(
      CreateDatabaseChangeLogTableStatement statement,
      Database database,
      SqlGeneratorChain<CreateDatabaseChangeLogTableStatement> chain) {
    Sql[] statements = chain.generateSql(statement, database);
    String create = statements[0].toSql();
    int end = create.lastIndexOf(')');
    statements[0] =
        new UnparsedSql(
            create.substring(0, end)
                + ", PRIMARY KEY (ID, AUTHOR, FILENAME)) ENGINE = InnoDB ROW_FORMAT = DYNAMIC"
                + create.substring(end + 1));
    return statements;
  }
}

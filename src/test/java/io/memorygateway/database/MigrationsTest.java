package io.memorygateway.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import liquibase.Liquibase;
import liquibase.changelog.ChangeSet;
import liquibase.database.core.MySQLDatabase;
import liquibase.resource.ClassLoaderResourceAccessor;
import org.junit.jupiter.api.Test;

class MigrationsTest {
  @Test
  void idsOfAllChangesAreThoseThatLiquibaseReads() throws Exception {
    List<ChangeSet> read =
        new Liquibase(Migrations.CHANGELOG, new ClassLoaderResourceAccessor(), new MySQLDatabase())
            .getDatabaseChangeLog()
            .getChangeSets();

    assertThat(Migrations.changeSets())
        .containsExactlyElementsOf(read.stream().map(ChangeSet::getId).toList())
        .doesNotHaveDuplicates();
  }
}

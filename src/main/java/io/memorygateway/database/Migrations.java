package io.memorygateway.database;

import io.dropwizard.core.Configuration;
import io.dropwizard.db.DataSourceFactory;
import io.dropwizard.db.PooledDataSourceFactory;
import io.dropwizard.migrations.MigrationsBundle;
import java.util.function.Function;

/** The {@code db} command, which applies the changes in {@code migrations}. */
public final class Migrations<C extends Configuration> extends MigrationsBundle<C> {
  static final String CHANGELOG = "migrations/changelog.yaml";

  private final Function<C, DataSourceFactory> database;

  public Migrations(Function<C, DataSourceFactory> database) {
    this.database = database;
  }

  @Override
  public PooledDataSourceFactory getDataSourceFactory(C configuration) {
    return Database.forMigrations(database.apply(configuration));
  }

  @Override
  public String getMigrationsFileName() {
    return CHANGELOG;
  }
}

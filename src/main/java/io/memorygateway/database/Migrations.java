package io.memorygateway.database;

import io.dropwizard.core.Configuration;
import io.dropwizard.db.DataSourceFactory;
import io.dropwizard.db.PooledDataSourceFactory;
import io.dropwizard.migrations.MigrationsBundle;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** The {@code db} command, which applies the changes in {@code migrations}. */
public final class Migrations<C extends Configuration> extends MigrationsBundle<C> {
  /** Subcommands of {@code db}, as Dropwizard names them. */
  public static final List<String> ACTIONS =
      List.of(
          "calculate-checksum",
          "clear-checksums",
          "drop-all",
          "dump",
          "fast-forward",
          "generate-docs",
          "locks",
          "migrate",
          "prepare-rollback",
          "rollback",
          "status",
          "tag",
          "test");

  static final String CHANGELOG = "migrations/changelog.yaml";

  private static final String DIRECTORY = "/migrations/";

  private static final Pattern INCLUDED = Pattern.compile("^ +file: (\\S+)$", Pattern.MULTILINE);

  private static final Pattern CHANGE_SET =
      Pattern.compile("^--changeset memory-gateway:(\\S+)$", Pattern.MULTILINE);

  private final Function<C, DataSourceFactory> database;

  public Migrations(Function<C, DataSourceFactory> database) {
    this.database = database;
  }

  /** Returns the ids of all changes, in order. Liquibase needs a tenth of a start to tell them. */
  static List<String> changeSets() {
    return matches(INCLUDED, "changelog.yaml").flatMap(file -> matches(CHANGE_SET, file)).toList();
  }

  /** Returns how many of some change sets, each named once, the schema does not have. */
  static int missing(Handle handle, List<String> changeSets) {
    int there =
        handle
            .createQuery("SELECT COUNT(DISTINCT ID) FROM DATABASECHANGELOG WHERE ID IN (<ids>)")
            .bindList("ids", changeSets)
            .mapTo(Integer.class)
            .one();
    return changeSets.size() - there;
  }

  /** Returns how many changes the schema has that this version does not know. */
  public static int unknown(Jdbi jdbi) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery("SELECT COUNT(*) FROM DATABASECHANGELOG WHERE ID NOT IN (<ids>)")
                .bindList("ids", changeSets())
                .mapTo(Integer.class)
                .one());
  }

  private static Stream<String> matches(Pattern pattern, String file) {
    try (InputStream in = Migrations.class.getResourceAsStream(DIRECTORY + file)) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return pattern.matcher(text).results().map(found -> found.group(1));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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

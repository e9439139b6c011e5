package io.memorygateway.database;

import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.extension.ExtensionFactory;
import org.jdbi.v3.core.extension.Extensions;
import org.jdbi.v3.core.extension.HandleSupplier;
import org.jdbi.v3.sqlobject.SqlObjectFactory;

/**
 * Makes Jdbi cache what it learns about an interface of SQL statements. By default it does not: a
 * handle works on a copy of the configuration, and what it learns, by reflection at several times
 * the price of a statement, is discarded with it. Here the original configuration learns the same
 * when an interface is first requested, so that every later handle starts with it.
 */
record CachedMetadata(Extensions original, ExtensionFactory sqlObjects)
    implements ExtensionFactory {
  /** Installs the cache; to be called when everything else is installed. */
  static void install(Jdbi jdbi) {
    Extensions extensions = jdbi.getConfig(Extensions.class);
    extensions
        .findFactory(SqlObjectFactory.class)
        .ifPresent(sqlObjects -> extensions.register(new CachedMetadata(extensions, sqlObjects)));
  }

  /** Always false: only observes which types are requested, which the original factory creates. */
  @Override
  public boolean accepts(Class<?> type) {
    if (sqlObjects.accepts(type)) {
      var unused = original.findMetadata(type, sqlObjects);
    }
    return false;
  }

  @Override
  public <E> E attach(Class<E> type, HandleSupplier handles) {
    throw new UnsupportedOperationException("it makes nothing");
  }
}

package io.memorygateway.database;

import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.extension.ExtensionFactory;
import org.jdbi.v3.core.extension.Extensions;
import org.jdbi.v3.core.extension.HandleSupplier;
import org.jdbi.v3.sqlobject.SqlObjectFactory;

/**
 * Makes Jdbi keep what it finds out about an interface of SQL statements. Left to itself it
 * forgets: a handle works on a copy of the configuration, and what it learns, by reflection at
 * several times the price of a statement, is thrown away with it. This has the original learn the
 * same when an interface is first asked for, so that every later handle starts with it.
 */
final class KeptMetadata implements ExtensionFactory {
  private final Extensions original;
  private final ExtensionFactory sqlObjects;

  private KeptMetadata(Extensions original, ExtensionFactory sqlObjects) {
    this.original = original;
    this.sqlObjects = sqlObjects;
  }

  /** To be called when everything else is installed. */
  static void install(Jdbi jdbi) {
    Extensions extensions = jdbi.getConfig(Extensions.class);
    extensions
        .findFactory(SqlObjectFactory.class)
        .ifPresent(sqlObjects -> extensions.register(new KeptMetadata(extensions, sqlObjects)));
  }

  /** Never: only listens who is asked for, and leaves it to the factory that makes them. */
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

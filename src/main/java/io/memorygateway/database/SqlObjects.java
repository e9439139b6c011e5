package io.memorygateway.database;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.config.ConfigRegistry;
import org.jdbi.v3.core.extension.ExtensionFactory;
import org.jdbi.v3.core.extension.ExtensionMetadata;
import org.jdbi.v3.core.extension.ExtensionMetadata.ExtensionHandlerInvoker;
import org.jdbi.v3.core.extension.Extensions;
import org.jdbi.v3.core.extension.HandleSupplier;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.mapper.RowMapperFactory;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;
import org.jdbi.v3.sqlobject.SqlObjectFactory;
import org.jdbi.v3.sqlobject.SqlObjectPlugin;

/**
 * Makes Jdbi's objects of interfaces of SQL statements, for the price of the statements that are
 * called. By itself Jdbi learns of an interface anew in each handle, by reflection at several times
 * the price of a statement, for what a handle learns is discarded with it; and it prepares all
 * methods of an interface for each object, each with a copy of the configuration. Here the original
 * configuration learns it once, and a method is prepared when it is called.
 */
public record SqlObjects(Extensions original, ExtensionFactory made) implements ExtensionFactory {
  /**
   * Takes the place of Jdbi's own, and has records made of rows, by the names of their components;
   * to be called when everything else is installed.
   */
  public static Jdbi install(Jdbi jdbi) {
    jdbi.installPlugin(new SqlObjectPlugin());
    Map<Class<?>, RowMapper<?>> records = new ConcurrentHashMap<>();
    RowMapperFactory ofRecords =
        (type, config) ->
            type instanceof Class<?> record && record.isRecord()
                ? Optional.of(records.computeIfAbsent(record, SqlObjects::ofRecord))
                : Optional.empty();
    jdbi.registerRowMapper(ofRecords);
    Extensions extensions = jdbi.getConfig(Extensions.class);
    extensions
        .findFactory(SqlObjectFactory.class)
        .ifPresent(made -> extensions.register(new SqlObjects(extensions, made)));
    return jdbi;
  }

  /** Reads a record, which may be private to its class. */
  private static RowMapper<?> ofRecord(Class<?> record) {
    Class<?>[] types =
        Arrays.stream(record.getRecordComponents())
            .map(RecordComponent::getType)
            .toArray(Class<?>[]::new);
    try {
      Constructor<?> canonical = record.getDeclaredConstructor(types);
      canonical.setAccessible(true);
      return ConstructorMapper.of(canonical);
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException(e); // every record has it
    }
  }

  @Override
  public boolean accepts(Class<?> type) {
    return made.accepts(type);
  }

  @Override
  public Set<FactoryFlag> getFactoryFlags() {
    return EnumSet.of(FactoryFlag.DONT_USE_PROXY);
  }

  @Override
  public <E> E attach(Class<E> type, HandleSupplier handle) {
    ExtensionMetadata metadata = original.findMetadata(type, made);
    ConfigRegistry config = metadata.createInstanceConfiguration(handle.getConfig());
    Map<Method, ExtensionHandlerInvoker> called = new HashMap<>();
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (object, method, arguments) ->
                method.getDeclaringClass() == Object.class
                    ? ofAnyObject(object, method.getName(), arguments)
                    : called
                        .computeIfAbsent(
                            method,
                            each ->
                                metadata.createExtensionHandlerInvoker(
                                    object, each, handle, config))
                        .invoke(arguments)));
  }

  private static Object ofAnyObject(Object object, String method, Object[] arguments) {
    return switch (method) {
      case "equals" -> object == arguments[0];
      case "hashCode" -> System.identityHashCode(object);
      default -> "statements";
    };
  }
}

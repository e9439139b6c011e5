package io.memorygateway.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.config.ConfigCustomizer;
import org.jdbi.v3.core.extension.ConfigCustomizerFactory;
import org.jdbi.v3.core.extension.Extensions;
import org.jdbi.v3.sqlobject.SqlObjectPlugin;
import org.jdbi.v3.sqlobject.statement.SqlQuery;
import org.junit.jupiter.api.Test;

class CachedMetadataTest {
  private final AtomicInteger looks = new AtomicInteger();
  private final Jdbi jdbi = Jdbi.create(CachedMetadataTest::connection);

  /** Public, so that a proxy of another class loader can be made of it. */
  public interface Statements {
    @SqlQuery("SELECT 1")
    int one();
  }

  @Test
  void anInterfaceIsLookedAtOnceForAllHandles() {
    jdbi.installPlugin(new SqlObjectPlugin());
    jdbi.getConfig(Extensions.class).registerConfigCustomizerFactory(new Counting());
    CachedMetadata.install(jdbi);
    attach();
    int first = looks.get();

    attach();
    attach();

    assertThat(first).isPositive();
    assertThat(looks).hasValue(first);
  }

  private void attach() {
    jdbi.useHandle(handle -> assertThat(handle.attach(Statements.class)).isNotNull());
  }

  private static Connection connection() {
    return (Connection)
        Proxy.newProxyInstance(
            CachedMetadataTest.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> method.getReturnType() == boolean.class ? true : null);
  }

  private final class Counting implements ConfigCustomizerFactory {
    @Override
    public Collection<ConfigCustomizer> forExtensionType(Class<?> type) {
      looks.incrementAndGet();
      return List.of();
    }

    @Override
    public Collection<ConfigCustomizer> forExtensionMethod(Class<?> type, Method method) {
      return List.of();
    }
  }
}

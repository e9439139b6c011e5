package io.memorygateway.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.config.ConfigCustomizer;
import org.jdbi.v3.core.extension.ConfigCustomizerFactory;
import org.jdbi.v3.core.extension.Extensions;
import org.jdbi.v3.core.mapper.RowMappers;
import org.jdbi.v3.sqlobject.SqlObjectPlugin;
import org.jdbi.v3.sqlobject.statement.SqlQuery;
import org.junit.jupiter.api.Test;

class SqlObjectsTest {
  private final AtomicInteger looks = new AtomicInteger();
  private final Jdbi jdbi = Jdbi.create(SqlObjectsTest::connection);

  /** Public, so that a proxy of another class loader can be made of it. */
  public interface Statements {
    @SqlQuery("SELECT 1")
    int one();

    @SqlQuery("SELECT 2")
    int two();

    default int three() {
      return one() + two();
    }
  }

  @Test
  void anInterfaceIsLookedAtOnceForAllHandles() {
    jdbi.installPlugin(new SqlObjectPlugin());
    jdbi.getConfig(Extensions.class).registerConfigCustomizerFactory(new Counting());
    SqlObjects.install(jdbi);
    attach();
    int first = looks.get();

    attach();
    attach();

    assertThat(first).isPositive();
    assertThat(looks).hasValue(first);
  }

  @Test
  void onlyMethodsThatAreCalledArePrepared() {
    List<String> prepared = new ArrayList<>();
    jdbi.installPlugin(new SqlObjectPlugin());
    jdbi.getConfig(Extensions.class)
        .registerHandlerCustomizer(
            (handler, type, method) ->
                (config, target) -> {
                  prepared.add(method.getName());
                  return (handles, arguments) ->
                      method.isDefault()
                          ? handler.attachTo(config, target).invoke(handles, arguments)
                          : 1;
                });
    SqlObjects.install(jdbi);

    jdbi.useHandle(
        handle -> {
          Statements statements = handle.attach(Statements.class);
          assertThat(statements.one()).isEqualTo(1);
          assertThat(statements.one()).isEqualTo(1);
          assertThat(prepared).containsExactly("one");
          assertThat(statements.three()).isEqualTo(2);
          assertThat(Set.of(statements, handle.attach(Statements.class)))
              .hasSize(2)
              .contains(statements);
          assertThat(statements).hasToString("statements");
        });
    assertThat(prepared).containsExactly("one", "three", "two");
  }

  @Test
  void aRecordThatIsPrivateToAClassIsReadToo() {
    SqlObjects.install(jdbi);

    assertThat(jdbi.getConfig(RowMappers.class).findFor(Row.class)).isPresent();
  }

  private record Row(long threadId) {}

  private void attach() {
    jdbi.useHandle(handle -> assertThat(handle.attach(Statements.class)).isNotNull());
  }

  private static Connection connection() {
    return (Connection)
        Proxy.newProxyInstance(
            SqlObjectsTest.class.getClassLoader(),
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

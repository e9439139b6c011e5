package io.memorygateway.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.codahale.metrics.MetricRegistry;
import io.dropwizard.db.DataSourceFactory;
import io.dropwizard.db.ManagedDataSource;
import io.dropwizard.util.Duration;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.net.URI;
import java.net.http.HttpRequest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Random;
import org.apache.tomcat.jdbc.pool.DataSourceProxy;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections that the server has closed because they were idle are not lent. */
class IdleConnectionsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(config -> config.withObject("/database").put("validationInterval", "50ms"));

  @Test
  void everyPartAnswersWhenItsConnectionsWereClosed() throws Exception {
    List<String> paths =
        List.of(
            GATEWAY.url() + "/v1/memory/threads?resourceId=r",
            GATEWAY.adminUrl() + "/admin/api/usage?from=2026-01-01",
            GATEWAY.adminUrl() + "/admin/api/audit",
            GATEWAY.adminUrl() + "/admin/api/audit/verify",
            GATEWAY.adminUrl() + "/admin/api/keys",
            GATEWAY.adminUrl() + "/admin/api/projects");
    for (String path : paths) {
      assertThat(get(path)).as(path).isEqualTo(200);
    }
    for (String path : paths) {
      closeIdleConnections();
      assertThat(get(path)).as(path).isEqualTo(200);
      assertThat(write()).as("write before %s", path).isIn(200, 201);
    }
  }

  /** As when a server is started anew: each of them is thought to be good. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void moreThanAreTriedInARowReachNoCaller(boolean writes) throws Exception {
    DataSourceFactory factory = factory();
    factory.setCheckConnectionOnBorrow(true);
    factory.setValidationInterval(Duration.minutes(1));
    factory.setInitialSize(12);
    factory.setMinSize(12);
    factory.setMaxSize(12);
    ManagedDataSource pool = ConnectionPools.open(factory, new MetricRegistry(), "many");
    Transactions transactions =
        new Transactions(Jdbi.create(pool), new Random(1), new PrometheusRegistry());
    try {
      pool.start();
      assertThat(((DataSourceProxy) pool).getIdle()).isEqualTo(12);
      closeIdleConnections();
      int answer =
          writes
              ? transactions.write(IdleConnectionsIT::one)
              : transactions.read(IdleConnectionsIT::one);
      assertThat(answer).isEqualTo(1);
    } finally {
      pool.stop();
    }
  }

  private static int one(Handle handle) {
    return handle.createQuery("SELECT 1").mapTo(int.class).one();
  }

  @Test
  void noPoolWaitsLongerThanTheServerBeforeItTriesAConnection() throws Exception {
    for (Duration given : List.of(Duration.seconds(30), Duration.minutes(5))) {
      DataSourceFactory factory = factory();
      factory.setValidationInterval(given);
      assertThat(Database.replaced(factory)).singleElement().asString().contains("counts as 5");
      DataSourceFactory completed = Database.complete(factory);
      assertThat(Database.replaced(completed)).isEmpty();

      var pool = (DataSourceProxy) ConnectionPools.open(completed, new MetricRegistry(), "any");
      assertThat(pool.isTestOnBorrow()).isTrue();
      assertThat(pool.getValidationInterval())
          .isLessThan(SessionLimits.IDLE_SECONDS * 1000L - pool.getValidationInterval());
    }
  }

  private static DataSourceFactory factory() {
    DataSourceFactory factory = new DataSourceFactory();
    factory.setDriverClass("com.mysql.cj.jdbc.Driver");
    factory.setUrl(DATABASE.url());
    factory.setUser(DATABASE.user());
    factory.setPassword(DATABASE.password());
    return factory;
  }

  private static int get(String url) throws Exception {
    return GATEWAY
        .send(
            HttpRequest.newBuilder(URI.create(url))
                .header("Authorization", "Bearer " + GATEWAY.key()))
        .statusCode();
  }

  private static int write() throws Exception {
    return GATEWAY
        .send(
            GATEWAY
                .request("/v1/memory/threads")
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{\"resourceId\":\"r\"}")))
        .statusCode();
  }

  /** Does what the server does after wait_timeout, at once. */
  private static void closeIdleConnections() throws SQLException {
    Jdbi jdbi = Jdbi.create(DATABASE::connect);
    List<Long> idle =
        jdbi.withHandle(
            handle ->
                handle
                    .createQuery(
                        "SELECT id FROM information_schema.processlist WHERE db = DATABASE()"
                            + " AND command = 'Sleep' AND id <> CONNECTION_ID()")
                    .mapTo(Long.class)
                    .list());
    assertThat(idle).isNotEmpty();
    try (Connection connection = DATABASE.connect();
        Statement statement = connection.createStatement()) {
      for (long id : idle) {
        try {
          statement.execute("KILL " + id);
        } catch (SQLException gone) {
          assertThat(gone.getMessage()).contains("nknown thread id");
        }
      }
    }
    await()
        .until(
            () ->
                jdbi.withHandle(
                        handle ->
                            handle
                                .createQuery(
                                    "SELECT COUNT(*) FROM information_schema.processlist WHERE id IN (<ids>)")
                                .bindList("ids", idle)
                                .mapTo(Integer.class)
                                .one())
                    == 0);
  }
}

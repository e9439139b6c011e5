package io.memorygateway.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dropwizard.core.setup.Environment;
import io.dropwizard.db.DataSourceFactory;
import io.memorygateway.database.ReportConnections;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.testing.TestDatabase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** No report keeps the database busy for long, on either server. */
class LimitedReadsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  @Test
  void theServerEndsAStatementThatTakesTooLong() {
    DataSourceFactory factory = new DataSourceFactory();
    factory.setDriverClass("com.mysql.cj.jdbc.Driver");
    factory.setUrl(DATABASE.url());
    factory.setUser(DATABASE.user());
    factory.setPassword(DATABASE.password());
    LimitedReads reads =
        new LimitedReads(ReportConnections.open(factory, new Environment("reports")));

    int one = reads.read(handle -> handle.select("SELECT 1").mapTo(Integer.class).one());
    assertThat(one).isEqualTo(1);
    assertThatThrownBy(
            () ->
                reads.read(
                    handle ->
                        handle
                            .select(
                                "SELECT SUM(CRC32(CONCAT(a.id, b.id, c.id, d.id))) FROM information_schema.collations a,"
                                    + " information_schema.collations b, information_schema.collations c,"
                                    + " information_schema.collations d")
                            .mapTo(Long.class)
                            .one()))
        .isInstanceOf(ApiException.class)
        .hasMessageContaining("more than two seconds");
    int again = reads.read(handle -> handle.select("SELECT 1").mapTo(Integer.class).one());
    assertThat(again).isEqualTo(1);
  }
}

package io.memorygateway.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class MigrationsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  @Test
  void makeTheTablesOfAnEmptySchema() throws Exception {
    try (Connection connection = DATABASE.connect();
        ResultSet row =
            connection.createStatement().executeQuery("SELECT COUNT(*) FROM api_keys")) {
      row.next();
      assertThat(row.getInt(1)).isZero();
    }
  }
}

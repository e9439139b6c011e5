package io.memorygateway.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseServerTest {
  @ParameterizedTest
  @CsvSource({
    "8.0.36, MySQL 8.0.36",
    "9.7.4-commercial, MySQL 9.7.4",
    "11.4.5-MariaDB-log, MariaDB 11.4.5",
    "5.5.5-10.11.6-MariaDB-0+deb12u1, MariaDB 10.11.6"
  })
  void newEnoughServersHaveAName(String version, String name) {
    assertThat(DatabaseServer.require(version)).isEqualTo(name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"5.7.44", "10.6.16-MariaDB", "5.5.5-10.3.39-MariaDB", "zebra"})
  void othersAreRefused(String version) {
    assertThatThrownBy(() -> DatabaseServer.require(version))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("MySQL 8.0 or MariaDB 10.11");
  }
}

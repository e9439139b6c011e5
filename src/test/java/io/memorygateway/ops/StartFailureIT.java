package io.memorygateway.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.CommandLine;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Contract §9: what the start finds wrong around it is said in one line too. */
@Tag("heavy")
class StartFailureIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  @TempDir Path folder;

  @Test
  void aDatabaseThatCannotBeReached() {
    CommandLine gateway =
        new CommandLine()
            .with(DATABASE)
            .with(
                "DATABASE_URL",
                "jdbc:mysql://127.0.0.1:" + FakeUpstream.closedPort() + "/zebra?password=zebra");
    for (String command : new String[] {"server", "key list", "db migrate", "db status"}) {
      CommandLine.Outcome outcome = gateway.run((command + " config.yml").split(" ", -1));
      assertThat(outcome.failure())
          .contains("database")
          .contains("refused")
          .doesNotContain("zebra", "Exception", "java");
    }
  }

  @Test
  void missingMigrations() throws Exception {
    String url = DATABASE.url().replaceFirst("/gateway_", "/unmigrated_");
    try {
      CommandLine gateway = new CommandLine().with(DATABASE).with("DATABASE_URL", url);
      assertThat(gateway.run("server", "config.yml").failure())
          .contains("database")
          .contains("migrations are missing")
          .contains("db migrate");
      assertThat(gateway.run("key", "list", "config.yml").failure())
          .contains("database")
          .contains("db migrate")
          .doesNotContain("SQL", "Exception", "SELECT");
    } finally {
      try (Connection connection = DATABASE.connect()) {
        String schema = url.replaceFirst("^.*/(unmigrated_[0-9a-f]+).*$", "$1");
        connection.createStatement().execute("DROP DATABASE " + schema);
      }
    }
  }

  @Test
  void oneMissingMigration() throws Exception {
    rename("usage-days", "gone");
    try {
      assertThat(new CommandLine().with(DATABASE).run("server", "config.yml").failure())
          .contains("1 migrations are missing");
    } finally {
      rename("gone", "usage-days");
    }
  }

  private static void rename(String migration, String name) throws Exception {
    try (Connection connection = DATABASE.connect();
        PreparedStatement update =
            connection.prepareStatement("UPDATE DATABASECHANGELOG SET ID = ? WHERE ID = ?")) {
      update.setString(1, name);
      update.setString(2, migration);
      assertThat(update.executeUpdate()).isOne();
    }
  }

  @Test
  void aProviderWhoseNameCannotStandBeforeASlash() throws Exception {
    String file =
        CommandLine.config(
            folder,
            config -> {
              var provider = config.withObject("/providers").putObject("open/ai");
              provider.put("baseUrl", "http://localhost").putArray("endpoints").add("chat");
            });
    assertThat(new CommandLine().with(DATABASE).run("server", file).failure())
        .contains("providers")
        .contains("slash");
  }

  @Test
  void anObserverModelThatNoProviderServes() {
    CommandLine gateway = new CommandLine().with(DATABASE);
    assertThat(
            gateway
                .with("OBSERVATION_MODEL", "anthropic/zebra")
                .run("server", "config.yml")
                .failure())
        .contains("observation.model")
        .contains("no provider");
  }

  @Test
  void aPortInUseAndAsAProcessItSaysNothingElse() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CommandLine.Outcome outcome =
          new CommandLine()
              .with(DATABASE)
              .with("GATEWAY_ADMIN_PORT", Integer.toString(taken.getLocalPort()))
              .runAsProcess("server", "config.yml");

      assertThat(outcome.failure())
          .contains("server")
          .contains("127.0.0.1:" + taken.getLocalPort())
          .contains("in use")
          .doesNotContain("java");
      assertThat(outcome.out()).doesNotContain("Exception").doesNotContain("\tat ");
    }
  }
}

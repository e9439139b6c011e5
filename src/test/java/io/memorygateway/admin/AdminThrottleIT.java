package io.memorygateway.admin;

import static org.assertj.core.api.Assertions.assertThat;

import at.favre.lib.crypto.bcrypt.BCrypt;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.memorygateway.audit.RefusalBound;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.RawAnswer;
import io.memorygateway.testing.RawClient;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §12: whoever fails to log in is slowed down, and nobody else. */
class AdminThrottleIT {
  private static final String PASSWORD = "correct horse";
  private static final int ALLOWED = 3;
  private static final int ATTEMPTS = 60;

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .withoutKey()
          .configured(
              config -> {
                ObjectNode auth =
                    ((ObjectNode) config.get("admin"))
                        .putObject("auth")
                        .put("mode", "basic")
                        .put("failuresPerMinute", ALLOWED);
                auth.putObject("users")
                    .putObject("ada")
                    .put("password", BCrypt.withDefaults().hashToString(10, PASSWORD.toCharArray()))
                    .put("role", "owner");
              });

  @Test
  void whoeverFailsTooOftenIsSlowedDownAndAGoodLoginIsNot() throws Exception {
    assertThat(get(PASSWORD).status()).isEqualTo(200);
    List<RawAnswer> answers = new ArrayList<>();
    for (int i = 0; i < ATTEMPTS; i++) {
      answers.add(get("guess" + i));
    }
    assertThat(answers).extracting(RawAnswer::status).containsOnly(401, 429);
    RawAnswer slowed =
        answers.stream().filter(answer -> answer.status() == 429).findFirst().orElseThrow();
    assertThat(Long.parseLong(slowed.header("Retry-After"))).isBetween(1L, 60L);
    // What was good is remembered; it is not looked at whether the address is slowed down.
    assertThat(get(PASSWORD).status()).isEqualTo(200);
    // Attempts that were not looked at are not in the audit log, or it could be flooded.
    assertThat(failedLogins()).isBetween(ALLOWED, RefusalBound.PER_MINUTE * 2);
    assertThat(failedLogins())
        .isEqualTo((int) answers.stream().filter(answer -> answer.status() == 401).count());
  }

  private static int failedLogins() throws Exception {
    try (Connection connection = DATABASE.connect();
        Statement statement = connection.createStatement();
        ResultSet count =
            statement.executeQuery("SELECT COUNT(*) FROM audit_log WHERE action = 'login'")) {
      count.next();
      return count.getInt(1);
    }
  }

  private static RawAnswer get(String password) throws Exception {
    String login =
        Base64.getEncoder().encodeToString(("ada:" + password).getBytes(StandardCharsets.UTF_8));
    try (RawClient client = new RawClient(URI.create(GATEWAY.adminUrl()).getPort())) {
      return RawAnswer.parse(
          client
              .send(
                  "GET /threads HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Basic "
                      + login
                      + "\r\n\r\n")
              .readAll());
    }
  }
}

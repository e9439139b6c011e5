package io.memorygateway.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.auth.Caller;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.memory.replay.IdempotencyClaim;
import io.memorygateway.memory.replay.PendingResponse;
import io.memorygateway.memory.replay.TurnClaims;
import io.memorygateway.memory.rows.MessageRow;
import io.memorygateway.memory.rows.NewMessage;
import io.memorygateway.memory.write.TurnWrite;
import io.memorygateway.testing.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §7: the key of a call is claimed by one node at a time, and by none that died. */
class TurnClaimsIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private final Caller caller = new Caller(1, 1, "p", "name", "msk_test", Map.of());
  private MemoryModule one;
  private MemoryModule other;
  private long thread;

  @BeforeEach
  void openNodes() throws SQLException {
    one = new FaultyLanes(DATABASE).openMemory();
    other = new FaultyLanes(DATABASE).openMemory();
    thread =
        one.transactions()
            .write(
                handle ->
                    one.threads()
                        .create(
                            handle,
                            caller,
                            one.threads().newRow(caller),
                            "t" + System.nanoTime(),
                            "r",
                            null,
                            null))
            .thread()
            .id();
    execute("DELETE FROM turn_claims");
  }

  @AfterEach
  void closeNodes() {
    one.appends().close();
    other.appends().close();
  }

  @Test
  void aKeyIsFreeWhenItsCallIsOver() {
    IdempotencyClaim key = key("over", "body");
    TurnClaims.Claim first = one.turnClaims().claim(key, bytes -> {});
    assertConflict(key);
    assertConflict(key("over", "another body"));
    first.close();
    first.close();
    TurnClaims.Claim second = other.turnClaims().claim(key("over", "another body"), bytes -> {});
    assertThat(second.first()).isNull();
    first.close();
    assertThatThrownBy(() -> one.turnClaims().claim(key, bytes -> {}))
        .isInstanceOf(ApiException.class);
    second.close();
  }

  @Test
  void theKeyOfANodeThatDiedIsFreeWhenItsLeaseRunsOut() throws SQLException {
    IdempotencyClaim key = key("died", "body");
    TurnClaims.Claim dead = one.turnClaims().claim(key, bytes -> {});
    execute("UPDATE turn_claims SET lease_until = DATE_SUB(UTC_TIMESTAMP(3), INTERVAL 1 SECOND)");
    try (TurnClaims.Claim next = other.turnClaims().claim(key, bytes -> {})) {
      assertThat(next.first()).isNull();
      // Should it come to life again, it frees nobody else's claim, and renews none.
      one.turnClaims().renew().join();
      dead.close();
      assertThatThrownBy(() -> one.turnClaims().claim(key, bytes -> {}))
          .isInstanceOf(ApiException.class);
    }
  }

  @Test
  void aKeyThatCouldNotBeFreedIsFreedOnceTheDatabaseIsBack() throws SQLException {
    IdempotencyClaim key = key("away", "body");
    TurnClaims.Claim claim = one.turnClaims().claim(key, bytes -> {});
    execute("ALTER TABLE turn_claims RENAME COLUMN owner TO away");
    try {
      claim.close();
      assertThatThrownBy(one.turnClaims().releaseLate()::join).isInstanceOf(RuntimeException.class);
    } finally {
      execute("ALTER TABLE turn_claims RENAME COLUMN away TO owner");
    }
    assertConflict(key);
    one.turnClaims().releaseLate().join();
    try (TurnClaims.Claim next = other.turnClaims().claim(key, bytes -> {})) {
      assertThat(next.first()).isNull();
      one.turnClaims().releaseLate().join();
      assertConflict(key);
    }
  }

  @Test
  void theLeaseOfACallThatLivesIsRenewed() throws SQLException {
    IdempotencyClaim key = key("lives", "body");
    try (TurnClaims.Claim held = one.turnClaims().claim(key, bytes -> {})) {
      assertThat(held.first()).isNull();
      execute("UPDATE turn_claims SET lease_until = DATE_SUB(UTC_TIMESTAMP(3), INTERVAL 1 SECOND)");
      one.turnClaims().renew().join();
      assertConflict(key);
    }
  }

  @Test
  void ofTwoWhoHoldAKeyOneStores() throws SQLException {
    IdempotencyClaim key = key("twice", "body");
    TurnClaims.Claim frozen = one.turnClaims().claim(key, bytes -> {});
    execute("UPDATE turn_claims SET lease_until = DATE_SUB(UTC_TIMESTAMP(3), INTERVAL 1 SECOND)");
    TurnClaims.Claim next = other.turnClaims().claim(key, bytes -> {});
    String name = name();
    other.appends().append(caller, name, thread, turn(next.key(), "answer"));
    assertThatThrownBy(
            () -> one.appends().append(caller, name, thread, turn(frozen.key(), "late answer")))
        .isInstanceOfSatisfying(
            ApiException.class, e -> assertThat(e.error().status()).isEqualTo(409));
    next.close();
    frozen.close();
    List<Long> reserved = new ArrayList<>();
    TurnClaims.First first = one.turnClaims().claim(key, reserved::add).first();
    assertThat(reserved).containsExactly((long) "\"answer\"".length());
    assertThat(first.body()).isEqualTo("{\"a\":1}");
    assertThat(first.messages()).extracting(MessageRow::content).containsExactly("\"answer\"");
    assertThat(count("messages WHERE thread_id = " + thread)).isEqualTo(2);
    assertThat(count("turn_claims")).isZero();
  }

  @Test
  void anAnswerIsKeptForADay() throws SQLException {
    IdempotencyClaim key = key("day", "body");
    try (TurnClaims.Claim claim = one.turnClaims().claim(key, bytes -> {})) {
      one.appends().append(caller, name(), thread, turn(claim.key(), "first"));
    }
    execute(
        "UPDATE idempotency_keys SET created_at = DATE_SUB(UTC_TIMESTAMP(3), INTERVAL 25 HOUR)");
    try (TurnClaims.Claim claim = one.turnClaims().claim(key, bytes -> {})) {
      assertThat(claim.first()).isNull();
      one.appends().append(caller, name(), thread, turn(claim.key(), "second"));
    }
    assertThat(other.turnClaims().claim(key, bytes -> {}).first().messages())
        .extracting(MessageRow::content)
        .containsExactly("\"second\"");
  }

  @Test
  void whatNobodyCameBackForIsRemoved() throws SQLException {
    TurnClaims.Claim held = one.turnClaims().claim(key("held", "body"), bytes -> {});
    one.turnClaims().claim(key("abandoned", "body"), bytes -> {});
    execute(
        "UPDATE turn_claims SET lease_until = DATE_SUB(UTC_TIMESTAMP(3), INTERVAL 2 HOUR) WHERE"
            + " key_hash = UNHEX('"
            + key("abandoned", "body").key().hash()
            + "')");
    assertThat(other.turnClaims().removeAbandoned()).isEqualTo(1);
    assertThat(count("turn_claims")).isEqualTo(1);
    held.close();
  }

  private void assertConflict(IdempotencyClaim key) {
    assertThatThrownBy(() -> other.turnClaims().claim(key, bytes -> {}))
        .isInstanceOfSatisfying(
            ApiException.class, e -> assertThat(e.error().status()).isEqualTo(409));
  }

  private TurnWrite turn(IdempotencyClaim key, String answer) {
    return new TurnWrite(
        List.of(
            new NewMessage(one.threads().newId(), "user", "text", "\"question\"", null, false),
            new NewMessage(
                one.threads().newId(), "assistant", "text", "\"" + answer + "\"", null, false)),
        null,
        null,
        List.of(),
        null,
        true,
        new PendingResponse(key, 200, "{\"a\":1}", 1));
  }

  private IdempotencyClaim key(String key, String body) {
    byte[] hash = new byte[32];
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    System.arraycopy(bytes, 0, hash, 0, bytes.length);
    return IdempotencyClaim.ofCall(caller, key, hash);
  }

  private String name() throws SQLException {
    try (Connection connection = DATABASE.connect();
        var rows =
            connection
                .createStatement()
                .executeQuery("SELECT public_id FROM threads WHERE id = " + thread)) {
      rows.next();
      return new String(rows.getBytes(1), StandardCharsets.UTF_8);
    }
  }

  private static long count(String what) throws SQLException {
    try (Connection connection = DATABASE.connect();
        var rows = connection.createStatement().executeQuery("SELECT COUNT(*) FROM " + what)) {
      rows.next();
      return rows.getLong(1);
    }
  }

  private static void execute(String sql) throws SQLException {
    try (Connection connection = DATABASE.connect()) {
      connection.createStatement().execute(sql);
    }
  }
}

package io.memorygateway.turn;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.auth.Caller;
import io.memorygateway.memory.MemoryModule;
import io.memorygateway.memory.rows.NewMessage;
import io.memorygateway.memory.write.TurnCall;
import io.memorygateway.memory.write.TurnWrite;
import io.memorygateway.observation.ObservationSettings;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestMemory;
import io.memorygateway.testing.TestTimeout;
import io.memorygateway.turn.HandedEnds.State;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Contract §7: what nodes tell each other of the ends of answers. */
class HandedEndsIT {
  private static final Instant NOW = Instant.parse("2026-11-27T10:00:00Z");

  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private final Jdbi jdbi = DATABASE.jdbi();
  private final MemoryModule memory =
      TestMemory.create(jdbi, ObservationSettings.defaults(), new PrometheusRegistry());
  private final Caller caller = TestMemory.newCaller(jdbi);
  private HandedEnds one;
  private HandedEnds other;
  private String name;
  private long thread;

  @BeforeEach
  void openNodes() {
    one = new HandedEnds(memory.transactions(), InstantSource.fixed(NOW));
    other = new HandedEnds(memory.transactions(), InstantSource.fixed(NOW));
    name = "t" + System.nanoTime();
    thread =
        memory
            .transactions()
            .write(
                handle ->
                    memory
                        .threads()
                        .create(
                            handle, caller, memory.threads().newRow(caller), name, "r", null, null))
            .thread()
            .id();
  }

  @AfterEach
  void closeNodes() {
    memory.appends().close();
  }

  @Test
  void anEndIsKnownHereAtOnceAndElsewhereOnceItIsWritten() {
    long end = turn();
    assertThat(one.of(thread, end)).isEqualTo(State.STORED);
    one.add(thread, end, State.HANDED_ON);
    assertThat(one.of(thread, end)).isEqualTo(State.HANDED_ON);
    assertThat(other.of(thread, end)).isEqualTo(State.STORED);

    one.stop();

    assertThat(other.of(thread, end)).isEqualTo(State.HANDED_ON);
    assertThat(one.of(thread, end)).isEqualTo(State.HANDED_ON);
  }

  @Test
  void whatIsKnownIsNotForgotten() {
    long end = turn();
    one.add(thread, end, State.ASKED_ANEW);
    one.add(thread, end, State.HANDED_ON);
    other.add(thread, end, State.HANDED_ON);
    one.stop();
    other.stop();
    assertThat(other.of(thread, end)).isEqualTo(State.ASKED_ANEW);
  }

  @Test
  void anEndThatIsWrittenLateIsNotThatOfTheNextTurn() {
    long first = turn();
    one.add(thread, first, State.HANDED_ON);
    long second = turn();
    one.stop();
    assertThat(other.of(thread, second)).isEqualTo(State.STORED);
    // Whatever became of the first one, the thread has gone on.
    assertThat(other.of(thread, first)).isEqualTo(State.ASKED_ANEW);
  }

  @Test
  void whoAsksSoonWaitsForTheNodeThatHasStillToSay() throws Exception {
    long end = turn();
    // The clock stands still, so that the wait ends by what is written alone.
    CompletableFuture<State> asked =
        CompletableFuture.supplyAsync(() -> other.ofInTime(thread, end, NOW));
    one.add(thread, end, State.HANDED_ON);
    one.stop();
    assertThat(asked.get(TestTimeout.SECONDS, TimeUnit.SECONDS)).isEqualTo(State.HANDED_ON);
  }

  @Test
  void whoAsksLaterDoesNotWait() {
    // The clock stands still: a wait would never end.
    assertThat(other.ofInTime(thread, turn(), NOW.minus(Duration.ofSeconds(3))))
        .isEqualTo(State.STORED);
  }

  private long turn() {
    List<NewMessage> messages =
        List.of(
            new NewMessage(memory.threads().newId(), "user", "text", "\"q\"", null, false),
            new NewMessage(memory.threads().newId(), "assistant", "text", "\"a\"", null, false));
    TurnCall call = new TurnCall("00".repeat(32), false, false, 0, 1);
    return memory
        .appends()
        .append(
            caller, name, thread, new TurnWrite(messages, call, null, List.of(), null, true, null))
        .thread()
        .nextSeq();
  }
}

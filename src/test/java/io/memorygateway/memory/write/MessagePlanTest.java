package io.memorygateway.memory.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.memory.rows.MessageRow;
import io.memorygateway.memory.rows.NewMessage;
import io.memorygateway.memory.rows.ThreadHead;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MessagePlanTest {
  /** Else a small batch would take as many times the work of one large message as it has own. */
  @Test
  void aLargeMessageIsReadOnceHoweverManyAreComparedWithIt() {
    String large = "[" + " ".repeat(4_000_000) + "\"a\"]";
    plan(large, 1);
    long one = plan(large, 1);
    long many = plan(large, 1000);

    assertThat(many).isLessThan(40 * Math.max(one, 1_000_000));
  }

  /** The processor time that it takes. */
  private static long plan(String existing, int messages) {
    Instant now = Instant.EPOCH;
    ThreadHead thread = null; // nothing is stored
    MessageRow row = new MessageRow(1, "m", "user", "text", existing, now, false, false);
    NewMessage same = new NewMessage("m", "user", "text", "[\"a\"]", now, false);
    List<NewMessage> batch = Collections.nCopies(messages, same);
    long before = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    MessagePlan plan = MessagePlan.of(thread, batch, Map.of("m", row), now, () -> "id");
    long foundBytes = plan.foundBytes();
    long time = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - before;
    assertThat(plan.answered()).hasSize(messages).allMatch(row::equals);
    assertThat(foundBytes).isEqualTo((long) messages * existing.length());
    return time;
  }
}

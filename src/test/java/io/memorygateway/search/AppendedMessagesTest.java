package io.memorygateway.search;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.memorygateway.memory.rows.MessageRow;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Contract §11: recall costs little memory, however large what is said is. */
class AppendedMessagesTest {
  private static final long THREAD = 7;

  private final AppendedMessages messages = new AppendedMessages();

  @Test
  void aLargeMessageIsNotCopiedAndForgetsThoseBefore() {
    ThreadMXBean memory = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    MessageRow large = row(2, "é".repeat(4 << 20));
    messages.add(THREAD, List.of(row(0, "One.")));
    long before = memory.getCurrentThreadAllocatedBytes();
    messages.add(THREAD, List.of(row(1, "Two."), large));
    assertThat(memory.getCurrentThreadAllocatedBytes() - before).isLessThan(1 << 20);
    assertThat(messages.take(new IndexStatements.Range(THREAD, 0, 1))).isNull();
    assertThat(messages.take(new IndexStatements.Range(THREAD, 1, 3))).isNull();
  }

  @Test
  void aMessageHasTheBytesThatAreStored() {
    messages.add(THREAD, List.of(row(0, "é😀")));
    assertThat(messages.take(new IndexStatements.Range(THREAD, 0, 1)))
        .extracting(IndexStatements.Message::bytes)
        .containsExactly(8L);
  }

  private static MessageRow row(long seq, String text) {
    return new MessageRow(
        seq, "m" + seq, "user", "text", "\"" + text + "\"", Instant.EPOCH, false, false);
  }
}

package io.memorygateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.auth.FailedAttempts;
import io.memorygateway.http.api.RequestId;
import io.memorygateway.http.errors.BoundedLabel;
import io.memorygateway.json.JsonValue;
import io.memorygateway.testing.JavaCommand;
import io.memorygateway.testing.TestTimeout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What a node keeps of texts that its callers choose is bounded in bytes, however many they choose
 * and however long these are.
 */
@Tag("heavy")
class RetainedStateTest {
  private static final long MAX_RETAINED_BYTES = 48 << 20;
  private static final int MANY = 1_000_000;
  private static final int MANY_LONG = 4_000;
  private static final int LONG = 100_000;

  @Test
  void aMillionTextsOfCallersLeaveASmallHeapFree() throws Exception {
    List<String> command = new ArrayList<>(JavaCommand.of(RetainedStateTest.class));
    command.add(1, "-Xmx256m");
    command.add(2, "-XX:+ExitOnOutOfMemoryError");
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor(TestTimeout.SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).as(said).isZero();
      assertThat(Long.parseLong(said.strip())).as("retained").isLessThan(MAX_RETAINED_BYTES);
    } finally {
      process.destroyForcibly();
    }
  }

  /** Runs in a JVM of its own, and prints the bytes that are retained. */
  public static void main(String[] arguments) throws Exception {
    FailedAttempts attempts = new FailedAttempts(10, System::nanoTime);
    BoundedLabel labels = new BoundedLabel(100);
    long before = used();
    for (int i = 0; i < MANY; i++) {
      take("of a caller, number " + i, attempts, labels);
      if (i % 20 == 0) {
        parse("of a caller, number " + i);
      }
    }
    for (int i = 0; i < MANY_LONG; i++) {
      take("n".repeat(LONG) + i, attempts, labels);
      parse("n".repeat(LONG) + i);
    }
    System.out.println(used() - before);
    take("", attempts, labels);
  }

  private static void parse(String name) throws Exception {
    byte[] json = ("{\"" + name + "\":1}").getBytes(StandardCharsets.UTF_8);
    JsonValue unused = JsonValue.parse(json);
  }

  private static void take(String text, FailedAttempts attempts, BoundedLabel labels) {
    long wait = attempts.countAndGetWait(text);
    String label = labels.of(text);
    String id = RequestId.of(text);
    if (wait < 0 || label.length() > 64 || id.length() > RequestId.MAX_LENGTH) {
      throw new IllegalStateException(text);
    }
  }

  private static long used() {
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }
}

package io.memorygateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.memorygateway.auth.FailedAttempts;
import io.memorygateway.auth.UnknownKeys;
import io.memorygateway.budget.hold.BudgetedNames;
import io.memorygateway.http.api.RequestId;
import io.memorygateway.http.errors.BoundedLabel;
import io.memorygateway.json.JsonValue;
import io.memorygateway.json.MalformedJsonException;
import io.memorygateway.price.PriceTable;
import io.memorygateway.price.Prices;
import io.memorygateway.proxy.route.NamedModels;
import io.memorygateway.testing.JavaCommand;
import io.memorygateway.testing.TestTimeout;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What a node keeps of texts that its callers choose is bounded in bytes, however many they choose
 * and however long these are. What requests leave behind as a whole, {@code RetainedRequestsIT}
 * says.
 */
@Tag("heavy")
class RetainedStateTest {
  private static final long MAX_RETAINED_BYTES = 48 << 20;
  private static final int MANY = 1_000_000;
  private static final int MANY_LONG = 1_000;
  private static final int LONG = 50_000;

  /** Longest name of a model that is read. */
  private static final int MAX_MODEL = 255;

  @Test
  void aMillionTextsOfCallersOfEachKindLeaveASmallHeapFree() throws Exception {
    List<String> command = new ArrayList<>(JavaCommand.of(RetainedStateTest.class));
    command.add(1, "-Xmx256m");
    command.add(2, "-XX:+UseSerialGC");
    command.add(3, "-XX:+ExitOnOutOfMemoryError");
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor(TestTimeout.SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).as(said).isZero();
      List<String> lines = said.lines().toList();
      assertThat(Long.parseLong(lines.get(lines.size() - 1)))
          .as("retained, by kinds: " + said)
          .isLessThan(MAX_RETAINED_BYTES);
    } finally {
      process.destroyForcibly();
    }
  }

  /** What keeps something of a text, by what the text is. */
  private static Map<String, Consumer<String>> kinds() {
    FailedAttempts attempts = new FailedAttempts(10, System::nanoTime);
    BoundedLabel labels = new BoundedLabel(100);
    Prices prices = new Prices(new PriceTable(), Map.of(), Map.of());
    NamedModels named = new NamedModels();
    BudgetedNames budgeted = new BudgetedNames();
    Map<String, Consumer<String>> kinds = new LinkedHashMap<>();
    kinds.put("address", text -> require(attempts.countAndGetWait(text) >= 0));
    kinds.put("label of a metric", text -> require(labels.of(text).length() <= 64));
    kinds.put("request id", text -> require(RequestId.of(text).length() <= RequestId.MAX_LENGTH));
    kinds.put("key that does not exist", new UnknownKeys());
    kinds.put("name in models", text -> named.accept(model(text)));
    kinds.put(
        "model with a price",
        text -> require(prices.find(new Prices.Model("p", model(text)), Instant.EPOCH) == null));
    kinds.put("models of a budget", text -> budgeted.accept(model(text)));
    return kinds;
  }

  /** Runs in a JVM of its own, and prints the bytes that are retained in the end. */
  public static void main(String[] arguments) throws Exception {
    Map<String, Consumer<String>> kinds = kinds();
    kinds.values().forEach(kind -> kind.accept("first"));
    long before = used();
    long known = before;
    for (Map.Entry<String, Consumer<String>> kind : kinds.entrySet()) {
      for (int i = 0; i < MANY; i++) {
        kind.getValue().accept("of a caller, number " + i);
      }
      for (int i = 0; i < MANY_LONG; i++) {
        // Of letters that take two bytes each.
        kind.getValue().accept(i + "\u4e2d".repeat(LONG));
      }
      long now = used();
      System.out.println(kind.getKey() + ": " + (now - known));
      known = now;
    }
    for (int i = 0; i < MANY / 20; i++) {
      parse("of a caller, number " + i);
    }
    for (int i = 0; i < MANY_LONG / 20; i++) {
      parse("n".repeat(LONG) + i);
    }
    System.out.println("name in JSON: " + (used() - known));
    System.out.println(used() - before);
    kinds.values().forEach(kind -> kind.accept("last"));
  }

  private static String model(String text) {
    return text.substring(0, Math.min(text.length(), MAX_MODEL));
  }

  private static void parse(String name) throws MalformedJsonException {
    byte[] json = ("{\"" + name + "\":1}").getBytes(StandardCharsets.UTF_8);
    JsonValue unused = JsonValue.parse(json);
  }

  private static void require(boolean held) {
    if (!held) {
      throw new IllegalStateException("a text was taken as it is");
    }
  }

  private static long used() {
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }
}

package io.memorygateway.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.memorygateway.testing.CaughtStatements;
import io.memorygateway.testing.CaughtStatements.Transaction;
import io.memorygateway.testing.FakeUpstream;
import io.memorygateway.testing.TestDatabase;
import io.memorygateway.testing.TestGateway;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** With projects in two homes, every transaction writes and locks in one of them. */
class TwoHomesIT {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();
  @RegisterExtension static final FakeUpstream UPSTREAM = FakeUpstream.start();

  @RegisterExtension
  static final TestGateway GATEWAY =
      new TestGateway(DATABASE, UPSTREAM)
          .configured(
              config -> {
                config
                    .withObject("/budgets")
                    .putArray("rules")
                    .addObject()
                    .put("name", "daily")
                    .put("unit", "tokens")
                    .put("limit", 1_000_000)
                    .put("window", "day")
                    .put("appliesTo", "key");
              });

  private static final int[] HOMES = {21_845, 13_107};
  private static final int CALLERS = 8;
  private static final int ROUNDS = 6;

  @AfterAll
  static void end() {
    CaughtStatements.end();
  }

  @Test
  void aTransactionWritesInOneHome() throws Exception {
    List<String> keys = new ArrayList<>();
    for (int home : HOMES) {
      GATEWAY.task("project-create?project=home" + home + "&home=" + home);
      keys.add(GATEWAY.issueKey("home" + home));
    }
    List<Transaction> all = CaughtStatements.keep();

    List<Callable<Void>> callers = new ArrayList<>();
    for (int i = 0; i < CALLERS; i++) {
      for (String key : keys) {
        String thread = "t" + i;
        callers.add(() -> use(key, thread));
      }
    }
    ExecutorService executor = Executors.newFixedThreadPool(callers.size());
    try {
      for (Future<Void> each : executor.invokeAll(callers)) {
        each.get();
      }
    } finally {
      executor.shutdown();
    }
    // The last step of what is removed in the background.
    await()
        .until(
            () -> hasWritten(all, "request_log") && hasWritten(all, "DELETE FROM removed_threads"));

    for (String written :
        List.of(
            "rate_limit_windows",
            "budget_windows",
            "request_log",
            "INTO messages",
            "idempotency_keys",
            "INTO thread_heads",
            "removed_threads")) {
      assertThat(hasWritten(all, written)).as(written).isTrue();
    }
    assertThat(all).filteredOn(each -> each.homes().size() > 1).isEmpty();
  }

  /** Whether transactions in both homes wrote what a statement names. */
  private static boolean hasWritten(List<Transaction> all, String words) {
    Set<Integer> homes =
        all.stream()
            .filter(each -> each.statements().stream().anyMatch(s -> s.sql().contains(words)))
            .flatMap(each -> each.homes().stream())
            .collect(Collectors.toSet());
    return Arrays.stream(HOMES).allMatch(homes::contains);
  }

  private static Void use(String key, String thread) throws Exception {
    MemoryClient memory = new MemoryClient(GATEWAY, key);
    memory.createThread(thread, "r");
    for (int round = 0; round < ROUNDS; round++) {
      memory
          .post(
              "/threads/" + thread + "/messages",
              "{\"messages\":[{\"role\":\"user\",\"content\":\"tea " + round + "\"}]}")
          .is(201);
      HttpResponse<String> answer =
          GATEWAY.send(
              HttpRequest.newBuilder(URI.create(GATEWAY.url() + "/v1/chat/completions"))
                  .header("Authorization", "Bearer " + key)
                  .header("Content-Type", "application/json")
                  .header("Idempotency-Key", key + thread + round)
                  .header("x-thread-id", thread)
                  .header("x-resource-id", "r")
                  .POST(
                      BodyPublishers.ofString(
                          "{\"model\":\"openai/m\",\"messages\":[{\"role\":\"user\",\"content\":\"more?\"}]}")));
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      JsonNode found =
          memory
              .post("/search", "{\"query\":\"tea\",\"threadId\":\"" + thread + "\"}")
              .is(200)
              .json();
      assertThat(found.isObject()).isTrue();
    }
    memory.post("/threads/" + thread + "/clone", "{\"newThreadId\":\"c" + thread + "\"}").is(201);
    memory.delete("/threads/" + thread).is(200);
    return null;
  }
}

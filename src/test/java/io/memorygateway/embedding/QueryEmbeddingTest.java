package io.memorygateway.embedding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.memorygateway.embedding.EmbeddingFailureException.Reason;
import io.memorygateway.proxy.circuit.Circuit;
import io.memorygateway.testing.ManualClock;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Contract §11: what a search waits for. */
class QueryEmbeddingTest {
  private static final long KEY = 1;

  private final ManualClock clock = new ManualClock(Instant.parse("2026-11-23T08:00:00Z"));
  private final Circuit circuit = new Circuit(clock);
  private final FakeEmbeddings model = new FakeEmbeddings();
  private final CountDownLatch stuck = new CountDownLatch(1);

  private QueryEmbedding queries(Duration timeLimit) {
    return new QueryEmbedding(
        model,
        FakeEmbeddings.MODEL,
        new EmbeddedInput("query: ", "search_query"),
        timeLimit,
        circuit,
        new EmbeddingMetrics(new PrometheusRegistry()));
  }

  @AfterEach
  void release() {
    stuck.countDown();
  }

  @Test
  void aQueryIsEmbedded() {
    assertThat(queries(Duration.ofMinutes(1)).ask("my violin", KEY, KEY).await())
        .containsExactly(FakeEmbeddings.vector("my violin"));
  }

  @Test
  void theModelIsToldThatItIsAQuery() {
    List<@Nullable String> types = new CopyOnWriteArrayList<>();
    model.mood =
        request -> {
          types.add(request.inputType());
          return vectors -> vectors;
        };
    assertThat(queries(Duration.ofMinutes(1)).ask("my violin", KEY, KEY).await()).isNotNull();
    assertThat(model.texts).containsExactly("query: my violin");
    assertThat(types).containsExactly("search_query");
  }

  @Test
  void aQueryIsCut() {
    QueryEmbedding queries = queries(Duration.ofMinutes(1));
    assertThat(queries.ask("violin ".repeat(1_400), KEY, KEY).await()).isNotNull();
    assertThat(model.texts.get(0).length())
        .isLessThanOrEqualTo("query: ".length() + EmbeddingText.MAX_CHARACTERS);
  }

  /** The model answers once the test is over. */
  @Test
  void aSlowModelIsWaitedForNoLongerThanTheLimit() {
    model.mood =
        request -> {
          stuck.await();
          return vectors -> vectors;
        };
    assertThat(queries(Duration.ofMillis(20)).ask("my violin", KEY, KEY).await()).isNull();
  }

  @Test
  void aModelThatFailsIsLeftAloneAndThenProbedWithoutAnybodyWaiting() {
    QueryEmbedding queries = queries(Duration.ofMinutes(1));
    model.mood = FakeEmbeddings.failing(Reason.UNAVAILABLE);
    for (int i = 0; i < 3; i++) {
      assertThat(queries.ask("violin", KEY, KEY).await()).isNull();
    }
    assertThat(circuit.view().state()).isEqualTo(Circuit.State.OPEN);
    for (int i = 0; i < 100; i++) {
      assertThat(queries.ask("violin", KEY, KEY).await()).isNull();
    }
    assertThat(model.texts).hasSize(3);

    clock.advance(Duration.ofSeconds(11));
    CountDownLatch asked = new CountDownLatch(1);
    model.mood =
        request -> {
          asked.countDown();
          stuck.await();
          return vectors -> vectors;
        };
    assertThat(queries.ask("violin", KEY, KEY).await()).as("not waited for").isNull();
    await().until(() -> asked.getCount() == 0);
    assertThat(queries.ask("violin", KEY, KEY).await()).as("one probe at a time").isNull();
    stuck.countDown();
    await().until(() -> circuit.view().state() == Circuit.State.CLOSED);
    model.mood = request -> vectors -> vectors;
    assertThat(queries.ask("violin", KEY, KEY).await()).isNotNull();
  }

  @Test
  void queriesOfOneKeyThatFailKeepThoseOfNobodyElseAway() {
    QueryEmbedding queries = queries(Duration.ofMinutes(1));
    model.mood = FakeEmbeddings.failing(Reason.UNAVAILABLE);
    for (int i = 0; i < 4; i++) {
      assertThat(queries.ask("violin", KEY, KEY).await()).isNull();
    }
    assertThat(model.texts).hasSize(3);
    model.mood = request -> vectors -> vectors;

    assertThat(queries.ask("violin", KEY + 1, KEY + 1).await()).isNotNull();
  }

  @Test
  void slowQueriesOfOneKeyLeaveThreadsForOthers() {
    QueryEmbedding queries = queries(Duration.ofMinutes(1));
    model.mood =
        request -> {
          if (request.texts().get(0).endsWith("slow")) {
            stuck.await();
          }
          return vectors -> vectors;
        };
    for (int i = 0; i < 40; i++) {
      queries.ask("slow", KEY, KEY);
    }

    assertThat(queries.ask("violin", KEY + 1, KEY).await()).isNotNull();
  }

  /** It is the query's fault: others go on. */
  @Test
  void aRefusedQueryDoesNotOpenTheCircuit() {
    QueryEmbedding queries = queries(Duration.ofMinutes(1));
    model.mood = FakeEmbeddings.failing(Reason.REFUSED);
    for (int i = 0; i < 10; i++) {
      assertThat(queries.ask("violin", KEY, KEY).await()).isNull();
    }
    assertThat(circuit.view().state()).isEqualTo(Circuit.State.CLOSED);
    assertThat(model.texts).hasSize(10);
  }
}

package io.memorygateway.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.memorygateway.auth.ApiKeyVerifier.LookUps.Urgency;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Keys are looked up on one connection, many in a statement, those that were good first. */
class ApiKeyLookUpsTest {

  private final Map<String, ApiKey> rows = new ConcurrentHashMap<>();
  private final List<List<String>> statements = new CopyOnWriteArrayList<>();
  private final ConcurrentLinkedQueue<SQLException> failures = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<SQLException> pingFailures = new ConcurrentLinkedQueue<>();
  private final AtomicInteger pings = new AtomicInteger();
  private final Semaphore mayAnswer = new Semaphore(Integer.MAX_VALUE / 2);
  private volatile SQLException cannotConnect;
  private final AtomicInteger connections = new AtomicInteger();

  private final ApiKeyLookUps lookUps =
      new ApiKeyLookUps(
          this::connect, new AuthMetrics(new PrometheusRegistry()), ApiKeyLookUps.PING_AFTER_IDLE);

  @AfterEach
  void stop() throws Exception {
    mayAnswer.release(1_000_000);
    lookUps.stop();
  }

  @Test
  void whatWaitsGoesIntoOneStatementAndEachGetsItsOwnAnswer() throws Exception {
    rows.put(hash(3), key(3));
    List<CompletableFuture<Optional<ApiKey>>> answers = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      answers.add(lookUps.find(hash(i), Urgency.FIRST));
    }
    lookUps.start();
    for (int i = 0; i < 10; i++) {
      assertThat(answers.get(i).get().isPresent()).isEqualTo(i == 3);
    }
    assertThat(statements).hasSize(1);
    assertThat(connections.get()).isEqualTo(1);
  }

  @Test
  void keysThatWereGoodGoFirstAndTheOthersAreNotForgotten() throws Exception {
    List<CompletableFuture<Optional<ApiKey>>> answers = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      answers.add(lookUps.find(hash(i), Urgency.FIRST));
    }
    for (int i = 1_000; i < 1_200; i++) {
      answers.add(lookUps.find(hash(i), Urgency.REVALIDATION));
    }
    lookUps.start();
    for (CompletableFuture<Optional<ApiKey>> answer : answers) {
      assertThat(answer.get()).isEmpty();
    }
    int good = ApiKeyLookUps.BATCH - ApiKeyLookUps.FIRST_LOOK_UPS_IN_BATCH;
    assertThat(statements.get(0)).hasSize(ApiKeyLookUps.BATCH).startsWith(hash(1_000));
    assertThat(statements.get(0).subList(0, good)).allMatch(h -> h.compareTo(hash(1_000)) >= 0);
    assertThat(statements.get(0).subList(good, ApiKeyLookUps.BATCH)).contains(hash(0));
    // 200 that were good take three statements, however many others there are.
    assertThat(statements.subList(0, 3).stream().flatMap(List::stream))
        .contains(hash(1_000), hash(1_199));
  }

  @Test
  void thoseWhoWaitAreBoundedAndUnknownKeysTakeNoPlaceOfGoodOnes() {
    for (int i = 0; i < ApiKeyLookUps.QUEUE_CAPACITY; i++) {
      assertThat(lookUps.find(hash(i), Urgency.FIRST)).isNotDone();
    }
    assertThat(failure(lookUps.find(hash(1), Urgency.FIRST)).isUnreachable()).isFalse();
    assertThat(lookUps.find(hash(1), Urgency.REVALIDATION)).isNotDone();
  }

  @Test
  void aDroppedConnectionIsMadeAgainAndNobodyNotices() throws Exception {
    lookUps.start();
    failures.add(broken());
    assertThat(lookUps.find(hash(1), Urgency.FIRST).get()).isEmpty();
    assertThat(connections.get()).isEqualTo(2);
    assertThat(lookUps.isReachable()).isTrue();
  }

  @Test
  void anErrorThatTheServerAnswersIsNoOutage() throws Exception {
    lookUps.start();
    failures.add(killed());
    assertThat(failure(lookUps.find(hash(1), Urgency.FIRST)).isUnreachable()).isFalse();
    assertThat(lookUps.isReachable()).isTrue();
    assertThat(lookUps.find(hash(1), Urgency.FIRST).get()).isEmpty();
  }

  @Test
  void aServerThatSaysNothingIsOne() throws Exception {
    lookUps.start();
    failures.add(hangs());
    assertThat(failure(lookUps.find(hash(1), Urgency.FIRST)).isUnreachable()).isTrue();
    assertThat(statements).as("not asked again").hasSize(1);
  }

  @Test
  void aServerThatTakesNoConnectionsIsOneUntilItDoesAgain() throws Exception {
    lookUps.start();
    lookUps.find(hash(1), Urgency.FIRST).get();
    cannotConnect = broken();
    failures.add(broken());
    assertThat(failure(lookUps.find(hash(1), Urgency.FIRST)).isUnreachable()).isTrue();
    await().until(() -> !lookUps.isReachable());
    assertThat(failure(lookUps.find(hash(1), Urgency.REVALIDATION)).isUnreachable()).isTrue();

    rows.put(hash(1), key(1));
    cannotConnect = null;
    await().until(lookUps::isReachable);
    assertThat(lookUps.find(hash(1), Urgency.REVALIDATION).get()).isPresent();
  }

  @Test
  void whoeverWaitsWhenTheServerIsLostIsTold() {
    mayAnswer.drainPermits();
    lookUps.start();
    failures.add(hangs());
    CompletableFuture<Optional<ApiKey>> first = lookUps.find(hash(1), Urgency.FIRST);
    await().until(() -> statements.size() == 1);
    CompletableFuture<Optional<ApiKey>> second = lookUps.find(hash(2), Urgency.REVALIDATION);
    cannotConnect = broken();
    mayAnswer.release();

    assertThat(failure(first).isUnreachable()).isTrue();
    assertThat(failure(second).isUnreachable()).isTrue();
  }

  @Test
  void anIdleConnectionIsKeptOpenAndMadeAgainIfTheServerEndedIt() throws Exception {
    ApiKeyLookUps idle =
        new ApiKeyLookUps(
            this::connect, new AuthMetrics(new PrometheusRegistry()), Duration.ofMillis(1));
    idle.start();
    await().until(() -> pings.get() > 3);
    assertThat(connections.get()).isEqualTo(1);
    pingFailures.add(broken());
    await().until(() -> connections.get() == 2);
    assertThat(idle.isReachable()).isTrue();
    pingFailures.add(hangs());
    cannotConnect = broken();
    await().until(() -> !idle.isReachable());
    idle.stop();
  }

  private static LookUpException failure(CompletableFuture<?> answer) {
    LookUpException[] failure = new LookUpException[1];
    assertThatThrownBy(answer::get)
        .isInstanceOfSatisfying(
            ExecutionException.class, e -> failure[0] = (LookUpException) e.getCause());
    return failure[0];
  }

  private KeyStore connect() throws SQLException {
    if (cannotConnect != null) {
      throw cannotConnect;
    }
    connections.incrementAndGet();
    return new KeyStore() {
      @Override
      public List<ApiKey> find(Collection<String> hashes) throws SQLException {
        statements.add(List.copyOf(hashes));
        mayAnswer.acquireUninterruptibly();
        SQLException failure = failures.poll();
        if (failure != null) {
          throw failure;
        }
        return hashes.stream().filter(rows::containsKey).map(rows::get).toList();
      }

      @Override
      public void ping() throws SQLException {
        pings.incrementAndGet();
        SQLException failure = pingFailures.poll();
        if (failure != null) {
          throw failure;
        }
      }

      @Override
      public void close() {}
    };
  }

  private static SQLException broken() {
    return new SQLException("broken pipe", "08S01");
  }

  private static SQLException killed() {
    return new SQLException("interrupted", "70100", 1317);
  }

  private static SQLException hangs() {
    return new SQLException("no answer", "08S01", new SocketTimeoutException("Read timed out"));
  }

  private static String hash(int number) {
    return "%064x".formatted(number);
  }

  private static ApiKey key(int number) {
    return new ApiKey(
        number,
        "id",
        1,
        "project",
        "test",
        "it",
        "msk_0000",
        hash(number),
        null,
        null,
        null,
        null,
        Instant.EPOCH,
        null,
        null,
        null,
        false);
  }
}

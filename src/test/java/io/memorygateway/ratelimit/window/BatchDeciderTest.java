package io.memorygateway.ratelimit.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.database.Home;
import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.window.Decision.Outcome;
import io.memorygateway.ratelimit.window.KeyBatch.Reply;
import io.memorygateway.ratelimit.window.RateLimitRule.AppliesTo;
import io.memorygateway.ratelimit.window.WindowStore.Adjustment;
import io.memorygateway.ratelimit.window.WindowStore.Returned;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How often the database is asked about a batch, and over which connection. */
class BatchDeciderTest {
  private static final long NOW = 1_800_000_000_000L;
  private static final long KEY = 7;
  private static final long RECALL_NANOS = Duration.ofSeconds(30).toNanos();

  private final RuleSet rules =
      new RuleSet(List.of(new RateLimitRule("only", AppliesTo.LLM, 10, Duration.ofDays(1))));
  private final FakeStore store = new FakeStore(rules, NOW);
  private final WindowCache cache =
      new WindowCache(rules, new DatabaseClock(() -> Instant.ofEpochMilli(NOW), () -> 0));
  private final BatchDecider decider = decider(store, rules, new PrometheusRegistry());

  private BatchDecider decider(
      WindowStore.Source source, RuleSet rules, PrometheusRegistry registry) {
    return decider(source, rules, registry, none());
  }

  private BatchDecider decider(
      WindowStore.Source source,
      RuleSet rules,
      PrometheusRegistry registry,
      Reservations reservations) {
    return decider(source, rules, registry, reservations, RECALL_NANOS);
  }

  private static Reservations none() {
    return new NoReservations(1);
  }

  private BatchDecider decider(
      WindowStore.Source source,
      RuleSet rules,
      PrometheusRegistry registry,
      Reservations reservations,
      long recallNanos) {
    WindowMetrics metrics = new WindowMetrics(registry, () -> true);
    return new BatchDecider(
        source, Home.FIRST.first(), rules, reservations, cache, metrics, recallNanos);
  }

  @Test
  void thereIsOneConnectionUntilItIsClosed() throws Exception {
    assertThat(decider.connect()).isSameAs(decider.connect());
    assertThat(store.connections()).isOne();
    decider.disconnect();
    decider.disconnect();
    assertThat(store.openConnections()).isZero();
    decider.connect();
    assertThat(store.connections()).isEqualTo(2);
  }

  @Test
  void aLostConnectionIsReplacedAndItsRequestsAreAskedForAgain() throws Exception {
    store.failOnce(broken());
    PermitRequest request = sent(KEY);
    decider.decide(List.of(request));
    assertThat(request.await(1).outcome()).isEqualTo(Outcome.ALLOWED);
    assertThat(store.connections()).isEqualTo(2);
    assertThat(store.openConnections()).isOne();
  }

  @Test
  void whoNoLongerWaitsIsNotAskedForAgain() throws Exception {
    store.failOnce(broken());
    PermitRequest gone = sent(KEY + 1);
    PermitRequest waits = sent(KEY);
    gone.await(1);
    decider.decide(List.of(waits, gone));
    assertThat(store.batches()).containsExactly(List.of(KEY, KEY + 1), List.of(KEY));
    assertThat(store.used(KEY + 1)).isZero();
  }

  @Test
  void aSecondLossIsReportedWithTheFirst() {
    SQLException first = broken();
    SQLException second = broken();
    store.failOnce(first);
    store.failOnce(second);
    assertThatThrownBy(() -> decider.decide(List.of(sent(KEY))))
        .isSameAs(second)
        .hasSuppressedException(first);
    assertThat(store.asked()).isEqualTo(2);
    assertThat(store.openConnections()).isZero();
  }

  @Test
  void aDatabaseThatTimesOutOrIsBusyIsNotAskedAgain() {
    for (SQLException failure : List.of(timedOut(), busy(1205), busy(1213), busy(1040))) {
      int before = store.asked();
      store.failOnce(failure);
      assertThatThrownBy(() -> decider.decide(List.of(sent(KEY)))).isSameAs(failure);
      assertThat(store.asked()).isEqualTo(before + 1);
      assertThat(store.openConnections()).isZero();
    }
    assertThat(store.used(KEY)).isZero();
  }

  @Test
  void onlyAServerThatAnsweredIsBusy() {
    assertThat(BatchDecider.isServerBusy(busy(1205))).isTrue();
    assertThat(BatchDecider.isServerBusy(broken())).isFalse();
    assertThat(BatchDecider.isServerBusy(timedOut())).isFalse();
  }

  @Test
  void aKeyWhoseRowHadToBeInsertedIsAskedForAgainAndNoOther() throws Exception {
    List<List<Long>> asked = new ArrayList<>();
    BatchDecider inserting =
        decider(() -> new InsertingStore(asked), rules, new PrometheusRegistry());
    PermitRequest first = sent(1);
    PermitRequest second = sent(2);
    inserting.decide(List.of(first, second));
    assertThat(asked).containsExactly(List.of(1L, 2L), List.of(2L));
    assertThat(first.await(1).outcome()).isEqualTo(Outcome.ALLOWED);
    assertThat(second.await(1).outcome()).isEqualTo(Outcome.ALLOWED);
  }

  @Test
  void aTransactionIsMeasuredInSecondsWithThePermitsThatItReserved() throws Exception {
    long begun = System.nanoTime();
    PrometheusRegistry registry = new PrometheusRegistry();
    BatchDecider reserving = decider(store, rules, registry, new FixedReservations(KEY, 4));
    reserving.decide(List.of(sent(KEY), sent(KEY + 1)));
    double atMost = (System.nanoTime() - begun) / 1e9;
    assertThat(sum(registry, "memory_gateway_rate_limit_batch_requests")).isEqualTo(2 + 4);
    assertThat(sum(registry, "memory_gateway_rate_limit_store_seconds")).isBetween(0.0, atMost);
  }

  @Test
  void aProbeIsOfNoKeyAndOfAKindThatARuleCovers() throws Exception {
    RuleSet reads =
        new RuleSet(List.of(new RateLimitRule("r", AppliesTo.MEMORY_READ, 10, Duration.ofDays(1))));
    List<List<Long>> asked = new ArrayList<>();
    InsertingStore answering = new InsertingStore(asked);
    decider(() -> answering, reads, new PrometheusRegistry()).probe();
    assertThat(asked).containsExactly(List.of(Home.FIRST.first()));
    assertThat(answering.last.wanted()).isOne();
    assertThat(answering.last.wanted(RequestKind.MEMORY_READ)).isOne();

    decider.probe();
    assertThat(store.probes()).isOne();
    assertThat(store.asked()).isZero();
  }

  @Test
  void aPingOverALostConnectionIsTriedOnANewOne() throws Exception {
    decider.ping();
    assertThat(store.pings()).isOne();
    store.failPingOnce(broken());
    decider.ping();
    assertThat(store.pings()).isEqualTo(3);
    assertThat(store.connections()).isEqualTo(2);
    assertThat(store.openConnections()).isOne();
  }

  @Test
  void aPingThatTimesOutIsNotTriedAgain() {
    store.failPingOnce(timedOut());
    assertThatThrownBy(decider::ping).hasMessage("no answer");
    assertThat(store.pings()).isOne();
    assertThat(store.openConnections()).isZero();
  }

  @Test
  void whereNothingIsToBeAddedOrReturnedTheDatabaseIsNotAsked() throws Exception {
    decider.add(List.of());
    decider.returnUnused();
    decider.answerRecalls();
    assertThat(store.connections()).isZero();

    WindowCounts three = new WindowCounts(new long[] {NOW}, new long[] {3});
    decider.add(List.of(new Adjustment(KEY, three)));
    assertThat(store.used(KEY)).isEqualTo(3);
  }

  @Test
  void whatIsReservedAndNotUsedIsReturned() throws Exception {
    FixedReservations reservations = new FixedReservations(KEY, 4);
    BatchDecider reserving = decider(store, rules, new PrometheusRegistry(), reservations);
    reserving.decide(List.of(sent(KEY)));
    assertThat(store.used(KEY)).isEqualTo(5);
    reservations.release();
    reserving.returnUnused();
    assertThat(store.used(KEY)).isOne();
  }

  @Test
  void aWindowThatIsFullOfWhatIsYetToBeReturnedRefusesNobody() throws Exception {
    FixedReservations reservations = new FixedReservations(KEY, 4);
    BatchDecider reserving = decider(store, rules, new PrometheusRegistry(), reservations);
    reserving.decide(List.of(sent(KEY)));
    reservations.release();
    PermitRequest request = new PermitRequest(KEY, RequestKind.LLM, new long[] {2});
    request.send();
    assertThat(reserving.decide(List.of(request))).containsExactly(request);
    reserving.returnUnused();
    assertThat(reserving.decide(List.of(request))).isEmpty();
    assertThat(request.await(1).outcome()).isEqualTo(Outcome.ALLOWED);
    assertThat(store.used(KEY)).isEqualTo(2);
  }

  @Test
  void aWindowThatIsFullOfWhatOtherNodesHoldRefusesNobodyBeforeTheyHaveReturnedIt()
      throws Exception {
    store.add(KEY, 10);
    store.holdElsewhere(true);
    PermitRequest request = sent(KEY);
    assertThat(decider.decide(List.of(request))).containsExactly(request);
    assertThat(store.recalls()).containsExactly(KEY);
    assertThat(cache.get(KEY)).as("known to be full").isNull();
    store.add(KEY, -1);
    assertThat(decider.decide(List.of(request))).isEmpty();
    assertThat(request.await(1).outcome()).isEqualTo(Outcome.ALLOWED);
  }

  @Test
  void whoHoldsNothingMoreKeepsNobodyWaiting() throws Exception {
    store.add(KEY, 10);
    store.holdElsewhere(true);
    PermitRequest request = sent(KEY);
    decider.decide(List.of(request));
    store.holdElsewhere(false);
    assertThat(decider.decide(List.of(request))).isEmpty();
    assertThat(request.await(1).outcome()).isEqualTo(Outcome.LIMITED);
    assertThat(cache.get(KEY)).isNotNull();
    assertThat(store.forgotten()).isEmpty();
  }

  @Test
  void aNodeThatDoesNotAnswerCountsAsDead() throws Exception {
    store.add(KEY, 10);
    store.holdElsewhere(true);
    BatchDecider impatient = decider(store, rules, new PrometheusRegistry(), none(), 0);
    PermitRequest request = sent(KEY);
    assertThat(impatient.decide(List.of(request))).containsExactly(request);
    assertThat(impatient.decide(List.of(request))).isEmpty();
    assertThat(request.await(1).outcome()).isEqualTo(Outcome.LIMITED);
    assertThat(store.forgotten()).containsExactly(KEY);
  }

  private static double sum(PrometheusRegistry registry, String histogram) {
    return registry.scrape(histogram::equals).stream()
        .map(HistogramSnapshot.class::cast)
        .mapToDouble(snapshot -> snapshot.getDataPoints().get(0).getSum())
        .sum();
  }

  private PermitRequest sent(long key) {
    PermitRequest request = new PermitRequest(key, RequestKind.LLM, rules.limits());
    request.send();
    return request;
  }

  private static SQLException broken() {
    return new SQLException("broken pipe", "08S01");
  }

  private static SQLException timedOut() {
    return new SQLException("no answer", "08S01", new SocketTimeoutException());
  }

  private static SQLException busy(int errorCode) {
    return new SQLException("no", "HY000", errorCode);
  }

  /** Has the row of key 1 and of no key; those of others exist once they were asked for. */
  private static final class InsertingStore implements WindowStore {
    private final List<List<Long>> asked;
    private KeyBatch last = new KeyBatch(0, new long[0]);

    InsertingStore(List<List<Long>> asked) {
      this.asked = asked;
    }

    @Override
    public void decide(List<KeyBatch> keys, Replies receiver) {
      List<Long> ids = keys.stream().map(KeyBatch::keyId).toList();
      for (KeyBatch key : keys) {
        last = key;
        boolean known = key.keyId() < 2 || asked.stream().anyMatch(b -> b.contains(key.keyId()));
        int[] granted = new int[RequestKind.values().length];
        for (RequestKind kind : RequestKind.values()) {
          granted[kind.index()] = key.wanted(kind);
        }
        WindowCounts counts = new WindowCounts(new long[] {NOW}, new long[] {key.wanted()});
        receiver.received(key, known ? new Reply(granted, counts, 0, NOW) : null);
      }
      asked.add(ids);
    }

    @Override
    public void add(List<Adjustment> admitted) {}

    @Override
    public void subtract(Returned returned) {}

    @Override
    public void recall(Set<Long> keys) {}

    @Override
    public List<Long> recalled() {
      return List.of();
    }

    @Override
    public void forget(Set<Long> keys) {}

    @Override
    public void ping() {}

    @Override
    public void close() {}
  }
}

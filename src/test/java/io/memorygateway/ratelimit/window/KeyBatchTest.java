package io.memorygateway.ratelimit.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.memorygateway.http.api.RequestKind;
import io.memorygateway.ratelimit.window.Decision.Outcome;
import io.memorygateway.ratelimit.window.KeyBatch.Reply;
import io.memorygateway.ratelimit.window.RateLimitRule.AppliesTo;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Requests of one key in one transaction, and how its reply becomes their decisions. */
class KeyBatchTest {
  private static final long NOW = 1_800_000_000_000L;

  private final RuleSet rules =
      new RuleSet(
          List.of(
              new RateLimitRule("all", AppliesTo.ALL, 10, Duration.ofSeconds(10)),
              new RateLimitRule("llm", AppliesTo.LLM, 4, Duration.ofSeconds(60))));
  private final Decisions decisions = new Decisions(rules);

  @Test
  void requestsAreGroupedByKeyAndKeysAscend() {
    List<KeyBatch> batches = KeyBatch.of(List.of(sent(9), sent(2), sent(9), sent(-1)));
    assertThat(batches).extracting(KeyBatch::keyId).containsExactly(-1L, 2L, 9L);
    assertThat(batches).extracting(KeyBatch::wanted).containsExactly(1, 1, 2);
  }

  @Test
  void theLimitsAreThoseOfTheNewestRequestOfTheKey() {
    long[] older = {5, 5};
    long[] newer = {6, 6};
    PermitRequest first = new PermitRequest(1, RequestKind.LLM, older);
    PermitRequest second = new PermitRequest(1, RequestKind.LLM, newer);
    assertThat(KeyBatch.of(List.of(first, second)).get(0).limits()).isSameAs(newer);
  }

  @Test
  void permitsOfAllKindsAreAskedForReservedOnesIncluded() {
    KeyBatch batch =
        KeyBatch.of(List.of(sent(1), sent(1, RequestKind.MEMORY_READ), sent(1))).get(0);
    batch.reserve(RequestKind.LLM, 5, true);
    assertThat(batch.wanted(RequestKind.LLM)).isEqualTo(7);
    assertThat(batch.wanted(RequestKind.MEMORY_READ)).isEqualTo(1);
    assertThat(batch.wanted()).isEqualTo(8);
  }

  @Test
  void onlyWhatTheWaitingRequestsLeaveIsReserved() {
    KeyBatch batch = KeyBatch.of(List.of(sent(1), sent(1))).get(0);
    batch.reserve(RequestKind.LLM, 5, true);
    assertThat(batch.reserved(RequestKind.LLM, reply(1, 0, 1, 1))).isZero();
    assertThat(batch.reserved(RequestKind.LLM, reply(2, 0, 2, 2))).isZero();
    assertThat(batch.reserved(RequestKind.LLM, reply(4, 0, 4, 4))).isEqualTo(2);
  }

  @Test
  void eachDecisionShowsWhatWasLeftJustAfterItInTheOrderOfArrival() {
    PermitRequest first = sent(1);
    PermitRequest read = sent(1, RequestKind.MEMORY_READ);
    PermitRequest second = sent(1);
    PermitRequest late = sent(1);
    KeyBatch batch = KeyBatch.of(List.of(first, read, second, late)).get(0);
    // 4 of all and 2 of llm were counted before.
    batch.settle(rules, decisions, reply(2, 1, 7, 4), new long[2], 0);

    assertThat(first.await(1).shown().remaining()).isEqualTo(1);
    assertThat(read.await(1).shown().remaining()).isEqualTo(10 - 6);
    assertThat(second.await(1).shown().remaining()).isZero();
    Decision refused = late.await(1);
    assertThat(refused.outcome()).isEqualTo(Outcome.LIMITED);
    assertThat(refused.refusedBy().name()).isEqualTo("llm");
    assertThat(refused.retryAfterSeconds()).isEqualTo(60);
  }

  @Test
  void reservedPermitsAreNotCountedAsUsedByTheRequestsBeforeThem() {
    PermitRequest only = sent(1);
    KeyBatch batch = KeyBatch.of(List.of(only)).get(0);
    batch.reserve(RequestKind.LLM, 2, true);
    batch.settle(rules, decisions, reply(3, 0, 3, 3), new long[] {2, 2}, 0);
    assertThat(only.await(1).shown().remaining()).isEqualTo(3);
  }

  @Test
  void aReplyThatNeitherGrantsNorFindsAFullWindowIsAnError() {
    KeyBatch batch = KeyBatch.of(List.of(sent(1))).get(0);
    assertThatThrownBy(() -> batch.settle(rules, decisions, reply(0, 0, 1, 1), new long[2], 0))
        .isInstanceOf(IllegalStateException.class);
  }

  private PermitRequest sent(long key) {
    return sent(key, RequestKind.LLM);
  }

  private PermitRequest sent(long key, RequestKind kind) {
    PermitRequest request = new PermitRequest(key, kind, rules.limits());
    request.send();
    return request;
  }

  private static Reply reply(int llm, int read, long usedAll, long usedLlm) {
    int[] granted = new int[RequestKind.values().length];
    granted[RequestKind.LLM.index()] = llm;
    granted[RequestKind.MEMORY_READ.index()] = read;
    WindowCounts counts = new WindowCounts(new long[] {NOW, NOW}, new long[] {usedAll, usedLlm});
    return new Reply(granted, counts, 0, NOW);
  }
}

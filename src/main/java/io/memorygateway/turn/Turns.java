package io.memorygateway.turn;

import io.dropwizard.lifecycle.setup.LifecycleEnvironment;
import io.memorygateway.auth.Caller;
import io.memorygateway.concurrent.HeapBudget;
import io.memorygateway.database.ConnectionShares;
import io.memorygateway.database.Transactions;
import io.memorygateway.format.Format;
import io.memorygateway.format.call.RequestBody;
import io.memorygateway.format.call.UpstreamModel;
import io.memorygateway.http.admission.ClientPresence;
import io.memorygateway.http.admission.DedicatedThreads;
import io.memorygateway.http.admission.RequestReservation;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.json.ValueCount;
import io.memorygateway.memory.MemoryModule;
import io.memorygateway.memory.limit.StorageLimit;
import io.memorygateway.memory.replay.TurnClaims;
import io.memorygateway.memory.rows.Identifier;
import io.memorygateway.memory.rows.LastCall;
import io.memorygateway.memory.rows.MessageDao;
import io.memorygateway.memory.rows.MessageRow;
import io.memorygateway.memory.rows.NotFound;
import io.memorygateway.memory.rows.ThreadDao;
import io.memorygateway.memory.rows.ThreadName;
import io.memorygateway.memory.write.Appends;
import io.memorygateway.memory.write.Threads;
import io.memorygateway.observation.ContextConfig;
import io.memorygateway.observation.ContextSettings;
import io.memorygateway.search.Search;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Opens the turns of proxied calls (contract §7). */
public final class Turns {
  /** Approximate bytes of cached thread tails. */
  private static final long MAX_CACHED_BYTES = 128 << 20;

  /** Bytes from which on reading a call, or a thread, takes more than a few milliseconds. */
  private static final int LARGE_BYTES = 256 << 10;

  /** Messages of a thread, likewise: each takes about a third of a microsecond. */
  private static final int LARGE_MESSAGES = 4_000;

  private static final int MAX_LARGE_WAITING = 32;

  /** Heap for each byte of an answer that is replayed: as text, parsed, and written. */
  private static final int REPLAY_COST = 6;

  /** Bytes of a call from which on its JSON values are counted. */
  private static final int VALUES_COUNTED = 16 << 10;

  /** How long a call waits for heap before it is refused. */
  private static final Duration HEAP_TIMEOUT = Duration.ofSeconds(10);

  private final Transactions transactions;
  private final Threads threads;
  private final Appends appends;
  private final TurnClaims claims;
  private final ThreadTails tails;
  private final HandedEnds ends;
  private final StorageLimit storage;
  private final DedicatedThreads largeCallThreads;
  private final TurnMetrics metrics;
  private final MemoryConfiguration configuration;
  private final TurnStore store;
  private final UrgentObservation urgentObservation;
  private final Recall recall;

  /** Turns of the threads of a memory. */
  public Turns(
      MemoryModule memory,
      MemoryConfiguration configuration,
      ContextSettings context,
      Search search,
      HeapBudget heap,
      PrometheusRegistry registry) {
    this.transactions = memory.transactions();
    this.threads = memory.threads();
    this.appends = memory.appends();
    this.claims = memory.turnClaims();
    this.tails =
        new ThreadTails(
            memory.transactions(),
            context,
            Math.min(MAX_CACHED_BYTES, Runtime.getRuntime().maxMemory() / 8));
    this.ends = new HandedEnds(transactions, threads::now);
    this.storage = memory.storageLimit();
    this.metrics = new TurnMetrics(registry);
    this.largeCallThreads =
        new DedicatedThreads(
            "large-call",
            2 * Runtime.getRuntime().availableProcessors(), // one key has half
            MAX_LARGE_WAITING,
            this::tooManyLargeCalls);
    this.configuration = configuration;
    this.recall =
        new Recall(inAnAccount(search), context.recallTimeout(), heap, System::nanoTime, registry);
    this.urgentObservation = new UrgentObservation(memory.transactions());
    this.store = new TurnStore(memory, tails, search, ends, metrics, configuration);
  }

  /** Begins to write which turns were handed on. */
  public Turns install(LifecycleEnvironment lifecycle) {
    ends.install(lifecycle);
    return this;
  }

  /** The rules by which calls belong to threads. */
  public Sessions sessions() {
    return new Sessions(configuration);
  }

  /**
   * Opens a turn: finds or creates the thread, and decides what is new in the call.
   *
   * @param model that is called
   * @param client whose leaving ends the work on a large call
   * @param reservation in which heap is reserved for all that is read and built
   * @return a turn with a replay, if the call has been answered before
   * @throws ApiException 400 for a thread without a resource, messages that are none or too many
   *     new ones, 404 for a thread of another resource, 409 for an Idempotency-Key that another
   *     call has, 413 if the project may not store more, 503 if there is too much to do, or if the
   *     store is down and calls are not to be answered without memory
   */
  public Turn open(
      Caller caller,
      MemoryRequest request,
      Format format,
      RequestBody body,
      UpstreamModel model,
      ClientPresence client,
      RequestReservation reservation) {
    if (request.threadId() == null) {
      return new PlainTurn(format.prepare(body, model), MemoryStatus.OFF);
    }
    if (request.resourceId() == null) {
      throw ApiException.invalidRequest("x-thread-id goes with x-resource-id, which is missing.");
    }
    String threadId = Identifier.check("x-thread-id", request.threadId());
    String resourceId = Identifier.check("x-resource-id", request.resourceId());
    long start = System.nanoTime();
    Instant openedAt = threads.now();
    CallIdentity identity = CallIdentity.of(caller, request, body);
    ConnectionShares.Account account =
        transactions.accountOf(caller.projectId(), threadId, request.admission());
    LongConsumer heap = bytes -> reserve(reservation, bytes);
    LongConsumer replayHeap = bytes -> reserve(reservation, REPLAY_COST * bytes);
    TurnClaims.Claim claim = null;
    StorageLimit.Hold hold = null;
    boolean opened = false;
    try {
      claim = identity.key() == null ? null : claims.claim(identity.key(), replayHeap);
      if (claim != null && claim.first() != null) {
        metrics.replayed("idempotency_key");
        return new ReplayedTurn(
            Replay.of(claim.first().body(), claim.first().messages(), format.replay()), () -> {});
      }
      CallFacts facts = read(caller, threadId, request, identity, openedAt, heap);
      Turn unheard = unheard(facts, format, replayHeap);
      if (unheard != null) {
        return unheard;
      }
      // The answer will be stored too, so a project at its limit is refused before any work.
      storage.check(caller.projectId(), 1);
      if (body.length() >= VALUES_COUNTED) {
        // In addition to the first reading: as part of the call, and as messages to compare.
        heap.accept(Math.max(0, ValueCount.heapOf(body.bytes()) - 2L * body.length()));
      }
      PreparedCall call = prepare(facts, client, format, body, model);
      if (call.isPlain()) {
        return new PlainTurn(call.upstreamBody(), MemoryStatus.OFF);
      }
      ThreadTails.Loaded known = facts.thread();
      long newBytes = call.bytes() + (known == null ? StorageLimit.THREAD_BYTES : 0);
      hold = storage.open(caller.projectId(), newBytes);
      hold.require(newBytes);
      TailHead before = known == null ? null : known.head();
      long thread =
          before == null
              ? store.create(caller, threadId, resourceId, request.aside())
              : before.thread();
      if (call.isCut()) {
        metrics.elided();
        urgentObservation.prioritise(thread);
      }
      ThreadTurn.Target target = new ThreadTurn.Target(caller, threadId, thread, before, openedAt);
      Turn turn =
          new ThreadTurn(store, target, format, call, threads::newId, claim, hold, reservation);
      opened = true;
      return turn;
    } catch (ApiException e) {
      if (!configuration.bypasses(e)) {
        throw e;
      }
      metrics.bypassed();
      return new PlainTurn(format.prepare(body, model), MemoryStatus.BYPASSED);
    } finally {
      if (!opened) {
        if (claim != null) {
          claim.close();
        }
        if (hold != null) {
          hold.close();
        }
      }
      account.close();
      metrics.opened(System.nanoTime() - start);
    }
  }

  /** Reads the thread of a call. */
  private CallFacts read(
      Caller caller,
      String threadId,
      MemoryRequest request,
      CallIdentity identity,
      Instant receivedAt,
      LongConsumer heap) {
    ThreadName name = ThreadName.of(caller, threadId);
    ThreadTails.Loaded known = tails.load(name, caller.projectName(), heap).orElse(null);
    String quoted = request.quotedResource();
    if (known == null) {
      ThreadTail tail = tails.ofNewThread(caller, quoted);
      return new CallFacts(caller, threadId, request, identity, null, tail, receivedAt);
    }
    if (!known.head().resourceId().equals(request.resourceId())) {
      throw NotFound.thread();
    }
    appends.isKnown(name, known.head().thread());
    ThreadTail tail = known.tail(quoted);
    return new CallFacts(caller, threadId, request, identity, known, tail, receivedAt);
  }

  /**
   * The turn of a call that is sent again because its caller has not seen the end of the answer,
   * with which the thread ends; null if the call is another one, if its caller has seen the end and
   * says the same once more, or if parts of the answer are gone, or how it ended.
   */
  private @Nullable Turn unheard(CallFacts facts, Format format, LongConsumer heap) {
    ThreadTails.Loaded known = facts.thread();
    LastCall last = facts.last();
    if (known == null || last == null || !facts.mayBeReplayed()) {
      return null;
    }
    long thread = known.head().thread();
    boolean again = facts.request().again();
    HandedEnds.State state =
        again
            ? ends.of(thread, last.end())
            : ends.ofInTime(thread, last.end(), known.tail().storedAt());
    if (!state.isReplayed(again)) {
      if (state == HandedEnds.State.HANDED_ON) {
        // Retries of this call are not to get the answer to the one before.
        ends.add(thread, last.end(), HandedEnds.State.ASKED_ANEW);
      }
      return null;
    }
    Optional<String> told =
        transactions.read(handle -> handle.attach(ThreadDao.class).told(thread, last.end()));
    if (told.isEmpty()) {
      return null;
    }
    int count = (int) (last.end() - last.answer());
    heap.accept(
        transactions.read(
            handle ->
                handle.attach(MessageDao.class).contentBytes(thread, last.answer(), last.end())));
    List<MessageRow> answer =
        transactions.read(
            handle ->
                handle.attach(MessageDao.class).range(thread, last.answer(), last.end(), count));
    if (answer.size() < count || answer.stream().anyMatch(MessageRow::superseded)) {
      return null;
    }
    metrics.replayed("same_call");
    return new ReplayedTurn(
        Replay.of(told.get(), answer, format.replay()),
        () -> ends.add(thread, last.end(), HandedEnds.State.HANDED_ON));
  }

  /** Plans a call, on a thread of its own if that takes long. */
  private PreparedCall prepare(
      CallFacts facts,
      ClientPresence client,
      Format format,
      RequestBody body,
      UpstreamModel model) {
    ThreadTail tail = facts.tail();
    boolean large =
        body.length() >= LARGE_BYTES
            || tail.contentBytes() >= LARGE_BYTES
            || tail.messages().size() >= LARGE_MESSAGES;
    return large
        ? largeCallThreads.run(
            facts.caller().keyId(),
            facts.caller().projectId(),
            client,
            () -> prepare(facts, format, body, model))
        : prepare(facts, format, body, model);
  }

  private PreparedCall prepare(
      CallFacts facts, Format format, RequestBody body, UpstreamModel model) {
    CallPlan plan = CallPlan.of(configuration, facts, format, body);
    TurnContext context = plan.context();
    if (context != null) {
      ContextConfig config = facts.tail().config();
      context = recall.addTo(context, config, plan.hasOld(), plan.recalling());
    }
    return plan.prepared(format, model, context);
  }

  /** Recall in a separate account: on its own thread it has no share in its call's connections. */
  private Recall.OldMessages inAnAccount(Search search) {
    return (caller, asked, timeout, reserveHeap) -> {
      ConnectionShares.Account account =
          transactions.accountOf(caller.projectId(), asked.threadId(), Duration.ZERO);
      try {
        return search.recall(caller, asked, timeout, reserveHeap);
      } finally {
        account.close();
      }
    };
  }

  private BusyException tooManyLargeCalls() {
    metrics.largeCallRefused();
    return new BusyException("Too many large calls wait at the moment.");
  }

  private static void reserve(RequestReservation reservation, long heap) {
    if (!reservation.awaitRequest(heap, HEAP_TIMEOUT)) {
      throw new BusyException("This node works on as much as it can hold at the moment.");
    }
  }
}

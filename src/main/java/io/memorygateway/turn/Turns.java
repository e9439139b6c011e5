package io.memorygateway.turn;

import io.dropwizard.lifecycle.setup.LifecycleEnvironment;
import io.memorygateway.auth.Caller;
import io.memorygateway.concurrent.HeapBudget;
import io.memorygateway.database.ConnectionShares;
import io.memorygateway.database.Transactions;
import io.memorygateway.format.Format;
import io.memorygateway.format.call.Conversation;
import io.memorygateway.format.call.MalformedBodyException;
import io.memorygateway.format.call.RequestBody;
import io.memorygateway.format.call.UpstreamModel;
import io.memorygateway.format.content.StoredMessage;
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
import io.memorygateway.memory.rows.ThreadName;
import io.memorygateway.memory.write.Appends;
import io.memorygateway.memory.write.Threads;
import io.memorygateway.memory.write.TurnCall;
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
  private static final int MAX_NEW_MESSAGES = 10_000;
  private static final String TOO_MANY_NEW =
      "A call with x-thread-id brings at most 10000 new messages; import a longer history through"
          + " /v1/memory.";

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
    LongConsumer reserveHeap = bytes -> reserve(reservation, REPLAY_COST * bytes);
    TurnClaims.Claim claim = null;
    StorageLimit.Hold hold = null;
    boolean opened = false;
    try {
      claim = identity.key() == null ? null : claims.claim(identity.key(), reserveHeap);
      if (claim != null && claim.first() != null) {
        metrics.replayed("idempotency_key");
        return new ReplayedTurn(
            Replay.of(claim.first(), format.replay(), body, openedAt), () -> {});
      }
      ThreadTails.Loaded known = load(caller, threadId, resourceId, heap);
      String shared = request.acrossThreads() ? resourceId : null;
      ThreadTail tail = known == null ? tails.ofNewThread(caller, shared) : known.tail(shared);
      LastCall last = known == null ? null : known.head().lastCall();
      if (known != null && last != null && claim == null && request.stored() && identity.is(last)) {
        List<MessageRow> answer = unheard(known, last, request, reserveHeap);
        if (!answer.isEmpty()) {
          metrics.replayed("same_call");
          return new ReplayedTurn(
              Replay.of(answer, format.replay(), body, openedAt),
              () -> ends.add(known.head().thread(), last.end(), HandedEnds.State.HANDED_ON));
        }
      }
      // The answer will be stored too, so a project at its limit is refused before any work.
      storage.check(caller.projectId(), 1);
      if (body.length() >= VALUES_COUNTED) {
        // In addition to the first reading: as part of the call, and as messages to compare.
        heap.accept(Math.max(0, ValueCount.heapOf(body.bytes()) - 2L * body.length()));
      }
      boolean summary = request.question() != null;
      boolean again = last != null && identity.is(last);
      Subject subject =
          new Subject(caller, threadId, shared, tail, known, summary, again, openedAt);
      Aligned call = align(subject, client, format, body, model);
      if (!request.stored()) {
        call = call.asksFor(request.question());
        if (call.asked.isEmpty()) {
          return new PlainTurn(call.upstreamBody, MemoryStatus.OFF);
        }
      }
      long newBytes = newBytes(call, known == null);
      hold = storage.open(caller.projectId(), newBytes);
      hold.require(newBytes);
      long thread =
          known == null
              ? store.create(caller, threadId, resourceId, request.aside())
              : known.head().thread();
      ThreadTurn.Target target =
          new ThreadTurn.Target(
              caller,
              threadId,
              thread,
              known == null ? null : known.head(),
              openedAt,
              call.amendment);
      if (call.context != null && call.context.isCut()) {
        metrics.elided();
        urgentObservation.prioritise(thread);
      }
      TurnCall asking =
          new TurnCall(
              identity.hash(),
              request.again() && claim == null,
              claim != null,
              last == null ? 0 : last.end(),
              call.asked.size());
      Turn turn =
          new ThreadTurn(
              store,
              target,
              format,
              call.asked,
              request.stored(),
              call.upstreamBody,
              call.context,
              threads::newId,
              asking,
              claim,
              hold,
              reservation);
      opened = true;
      return turn;
    } catch (BusyException e) {
      throw e;
    } catch (ApiException e) {
      if (e.error().status() != 503 || !configuration.bypasses()) {
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

  /** The rules by which calls belong to threads. */
  public Sessions sessions() {
    return new Sessions(configuration);
  }

  /** Bytes that a call adds to what its project stores, its answer not included. */
  private static long newBytes(Aligned call, boolean newThread) {
    return (newThread ? StorageLimit.THREAD_BYTES : 0)
        + StorageLimit.bytesOf(call.asked.stream().map(StoredMessage::content));
  }

  /**
   * The answer that a thread ends with, if the same call is sent again because its caller has not
   * seen the end of it; empty if its caller has, and says the same once more, or if parts are gone.
   */
  private List<MessageRow> unheard(
      ThreadTails.Loaded known, LastCall last, MemoryRequest request, LongConsumer reserveHeap) {
    long thread = known.head().thread();
    HandedEnds.State state =
        request.again()
            ? ends.of(thread, last.end())
            : ends.ofInTime(thread, last.end(), known.tail().storedAt());
    if (state == HandedEnds.State.ASKED_ANEW) {
      return List.of();
    }
    if (state == HandedEnds.State.HANDED_ON && !request.again()) {
      // Retries of this call are not to get the answer to the one before.
      ends.add(thread, last.end(), HandedEnds.State.ASKED_ANEW);
      return List.of();
    }
    int count = (int) (last.end() - last.answer());
    reserveHeap.accept(
        transactions.read(
            handle ->
                handle.attach(MessageDao.class).contentBytes(thread, last.answer(), last.end())));
    List<MessageRow> rows =
        transactions.read(
            handle ->
                handle.attach(MessageDao.class).range(thread, last.answer(), last.end(), count));
    return rows.size() == count && rows.stream().noneMatch(MessageRow::superseded)
        ? rows
        : List.of();
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

  /** A call after alignment with its thread. */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Aligned(
      List<StoredMessage> asked,
      Amendment amendment,
      @Nullable TurnContext context,
      byte[] upstreamBody) {

    /** The same call, of which only what stands before the question for a summary is stored. */
    private Aligned asksFor(@Nullable String summary) {
      List<StoredMessage> before =
          summary == null
              ? List.of()
              : Compaction.before(asked, summary).stream()
                  .map(StoredMessage::withoutParts)
                  .toList();
      boolean branches = amendment.branch() != null && !before.isEmpty();
      return new Aligned(before, branches ? amendment : Amendment.NONE, context, upstreamBody);
    }
  }

  /**
   * The thread that a call is aligned with.
   *
   * @param resourceId whose other threads may be quoted; null for none
   * @param known the thread as it was read; null if it does not exist
   * @param summary whether the call asks for one
   * @param again whether the thread ends with the answer to the same call
   * @param now when the call was received
   */
  private record Subject(
      Caller caller,
      String threadId,
      @Nullable String resourceId,
      ThreadTail tail,
      ThreadTails.@Nullable Loaded known,
      boolean summary,
      boolean again,
      Instant now) {

    /** Seq of the last message that is observed; -1 for none. */
    private long observedSeq() {
      return known == null ? -1 : known.observedSeq();
    }
  }

  private Aligned align(
      Subject subject,
      ClientPresence client,
      Format format,
      RequestBody body,
      UpstreamModel model) {
    ThreadTail tail = subject.tail();
    boolean large =
        body.length() >= LARGE_BYTES
            || tail.contentBytes() >= LARGE_BYTES
            || tail.messages().size() >= LARGE_MESSAGES;
    return large
        ? largeCallThreads.run(
            subject.caller().keyId(),
            subject.caller().projectId(),
            client,
            () -> align(subject, format, body, model))
        : align(subject, format, body, model);
  }

  private Aligned align(Subject subject, Format format, RequestBody body, UpstreamModel model) {
    ThreadTail tail = subject.tail();
    Conversation whole = read(format, body);
    long version = subject.known() == null ? 0 : subject.known().head().version();
    long observed = subject.observedSeq();
    CallPlan plan =
        CallPlan.of(
            configuration, tail, whole, subject.summary(), subject.again(), version, observed);
    List<StoredMessage> asked = plan.aligned().fresh().messages();
    if (asked.size() > MAX_NEW_MESSAGES) {
      throw ApiException.invalidRequest(TOO_MANY_NEW);
    }
    if (plan.whole()) {
      return new Aligned(plan.stored(), plan.amendment(), null, format.prepare(body, model));
    }
    int storedTo = plan.aligned().alignment().storedTo();
    Recall.Call call =
        new Recall.Call(
            subject.caller(),
            subject.threadId(),
            subject.resourceId(),
            asked,
            tail.question(storedTo, asked),
            subject.now());
    TurnContext context = plan.context(tail, whole, call.question() == null ? null : subject.now());
    boolean isOld = observed >= 0 || context.elided() > 0;
    context = recall.addTo(context, tail.config(), isOld, call);
    byte[] up = format.write(plan.aligned().fresh(), model, context.toMemoryContext());
    return new Aligned(plan.stored(), plan.amendment(), context, up);
  }

  private static Conversation read(Format format, RequestBody body) {
    try {
      return format.read(body);
    } catch (MalformedBodyException e) {
      throw ApiException.invalidRequest(String.valueOf(e.getMessage()));
    }
  }

  private ThreadTails.@Nullable Loaded load(
      Caller caller, String threadId, String resourceId, LongConsumer heap) {
    ThreadName name = ThreadName.of(caller, threadId);
    Optional<ThreadTails.Loaded> found = tails.load(name, caller.projectName(), heap);
    if (found.isPresent() && !found.get().head().resourceId().equals(resourceId)) {
      throw NotFound.thread();
    }
    found.ifPresent(thread -> appends.isKnown(name, thread.head().thread()));
    return found.orElse(null);
  }
}

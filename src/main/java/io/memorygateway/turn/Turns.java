package io.memorygateway.turn;

import io.memorygateway.auth.Caller;
import io.memorygateway.dialect.Alignment;
import io.memorygateway.dialect.Conversation;
import io.memorygateway.dialect.Dialect;
import io.memorygateway.dialect.MalformedBodyException;
import io.memorygateway.dialect.RequestBody;
import io.memorygateway.http.ApiError;
import io.memorygateway.http.ApiException;
import io.memorygateway.memory.Appends;
import io.memorygateway.memory.ConnectionShares;
import io.memorygateway.memory.Identifier;
import io.memorygateway.memory.MemoryModule;
import io.memorygateway.memory.Messages;
import io.memorygateway.memory.NewMessage;
import io.memorygateway.memory.NotFound;
import io.memorygateway.memory.ThreadName;
import io.memorygateway.memory.Threads;
import io.memorygateway.memory.Transactions;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens the turns of proxied calls (contract §7). */
public final class Turns {
  private static final Logger LOGGER = LoggerFactory.getLogger(Turns.class);
  private static final int MOST_NEW_MESSAGES = 10_000;
  private static final String TOO_MANY_NEW =
      "A call with x-thread-id brings at most 10000 new messages; import a longer history through /v1/memory.";

  private final Transactions transactions;
  private final Threads threads;
  private final Messages messages;
  private final Appends appends;
  private final ThreadTails tails;
  private final TurnMetrics metrics;
  private final MemoryConfiguration configuration;

  /** Turns of threads in this memory. */
  public Turns(
      MemoryModule memory, MemoryConfiguration configuration, PrometheusRegistry registry) {
    this.transactions = memory.transactions();
    this.threads = memory.threads();
    this.messages = memory.messages();
    this.appends = memory.appends();
    this.tails = new ThreadTails(memory.transactions());
    this.metrics = new TurnMetrics(registry);
    this.configuration = configuration;
  }

  /**
   * What a call says of memory.
   *
   * @param threadId header {@code x-thread-id}, if any
   * @param resourceId header {@code x-resource-id}, if any
   */
  public record Wish(@Nullable String threadId, @Nullable String resourceId) {}

  /**
   * Opens a turn: finds or makes the thread, and tells what is new in the call.
   *
   * @throws ApiException 400 for a thread without a resource or messages that are none, 404 for a
   *     thread of another resource, 503 if the store is down and calls are not to be answered
   *     without
   */
  public Turn open(Caller caller, Wish wish, Dialect dialect, RequestBody body) {
    if (wish.threadId() == null) {
      return new PlainTurn(dialect, body, MemoryStatus.OFF);
    }
    if (wish.resourceId() == null) {
      throw new ApiException(
          ApiError.invalidRequest("x-thread-id goes with x-resource-id, which is missing."));
    }
    String threadId = Identifier.check("x-thread-id", wish.threadId());
    String resourceId = Identifier.check("x-resource-id", wish.resourceId());
    Conversation conversation = read(dialect, body);
    long start = System.nanoTime();
    Instant openedAt = threads.now();
    ConnectionShares.Account account = transactions.accountOf(caller.projectId(), threadId);
    try {
      ThreadTails.Loaded known = load(caller, threadId, resourceId);
      long thread = known == null ? create(caller, threadId, resourceId) : known.thread();
      ThreadTail tail = known == null ? ThreadTail.EMPTY : known.tail();
      Conversation.Aligned aligned = conversation.align(tail.normalForms(), tail.incomplete());
      Alignment alignment = aligned.alignment();
      if (aligned.fresh().messages().size() > MOST_NEW_MESSAGES) {
        throw new ApiException(ApiError.invalidRequest(TOO_MANY_NEW));
      }
      return new ThreadTurn(
          this,
          new ThreadTurn.Target(
              caller,
              threadId,
              thread,
              known,
              openedAt,
              aligned.repeats() ? tail.amendment(alignment.storedTo()) : Amendment.NONE),
          dialect,
          body,
          aligned.fresh(),
          tail.context(alignment.storedTo()));
    } catch (ApiException e) {
      if (e.error().status() != 503 || !configuration.bypasses()) {
        throw e;
      }
      metrics.bypassed();
      return new PlainTurn(dialect, body, MemoryStatus.BYPASSED);
    } finally {
      account.close();
      metrics.opened(System.nanoTime() - start);
    }
  }

  private static Conversation read(Dialect dialect, RequestBody body) {
    try {
      return dialect.read(body);
    } catch (MalformedBodyException e) {
      throw new ApiException(ApiError.invalidRequest(String.valueOf(e.getMessage())));
    }
  }

  private ThreadTails.@Nullable Loaded load(Caller caller, String threadId, String resourceId) {
    ThreadName name = ThreadName.of(caller, threadId);
    Optional<ThreadTails.Loaded> found = tails.load(name);
    if (found.isPresent() && !found.get().resourceId().equals(resourceId)) {
      throw NotFound.thread();
    }
    found.ifPresent(thread -> appends.isKnown(name, thread.thread()));
    return found.orElse(null);
  }

  /** Two callers may make it at once; it belongs to one of them if their resources differ. */
  private long create(Caller caller, String threadId, String resourceId) {
    try {
      return transactions
          .write(handle -> threads.create(handle, caller, threadId, resourceId, null, null))
          .thread()
          .id();
    } catch (ApiException e) {
      throw e.error().status() == 409 ? NotFound.thread() : e;
    }
  }

  /** Takes note of a turn that is not stored because its answer is too long to be kept. */
  MemoryStatus tooLong() {
    LOGGER.warn("A turn is not stored: its answer is too long to be kept");
    metrics.tooLong();
    return MemoryStatus.BYPASSED;
  }

  /**
   * Makes a turn durable.
   *
   * @return off, if the thread was deleted meanwhile
   */
  MemoryStatus commit(ThreadTurn.Target target, List<NewMessage> turn, Amendment amendment) {
    if (turn.isEmpty()) {
      return MemoryStatus.STORED;
    }
    long start = System.nanoTime();
    ConnectionShares.Account account =
        transactions.accountOf(target.caller().projectId(), target.threadId());
    try {
      store(target, turn, amendment);
      metrics.stored(System.nanoTime() - start);
      return MemoryStatus.STORED;
    } catch (ApiException e) {
      if (e.error().status() == 404) {
        return MemoryStatus.OFF;
      }
      if (e.error().status() == 503 && configuration.bypasses()) {
        metrics.bypassed();
        return MemoryStatus.BYPASSED;
      }
      metrics.failed();
      throw e;
    } finally {
      account.close();
    }
  }

  private void store(ThreadTurn.Target target, List<NewMessage> turn, Amendment amendment) {
    if (amendment.isEmpty()) {
      Messages.Appended appended =
          appends.append(target.caller(), target.threadId(), target.thread(), turn);
      ThreadTails.Loaded before = target.before();
      if (before != null) {
        tails.appended(ThreadName.of(target.caller(), target.threadId()), before, appended);
      }
    } else {
      transactions.write(
          handle -> {
            Messages.Appended appended =
                messages.appendTo(
                    handle, target.caller(), target.threadId(), target.thread(), turn);
            messages.mark(handle, appended, amendment.question(), amendment.completed());
            return appended;
          });
    }
  }
}

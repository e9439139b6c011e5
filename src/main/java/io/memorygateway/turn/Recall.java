package io.memorygateway.turn;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.memorygateway.auth.Caller;
import io.memorygateway.concurrent.CallerShares;
import io.memorygateway.concurrent.DaemonThreads;
import io.memorygateway.concurrent.HeapBudget;
import io.memorygateway.concurrent.HeapReservation;
import io.memorygateway.format.content.StoredMessage;
import io.memorygateway.http.errors.ApiException;
import io.memorygateway.observation.ContextConfig;
import io.memorygateway.observation.RecallScope;
import io.memorygateway.observation.text.TokenCounter;
import io.memorygateway.search.Hit;
import io.memorygateway.search.Search;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adds to a context the old messages of its thread, and those of other threads of its resource,
 * that fit what the user says now (contract §11). A call waits for them for a bounded time and
 * never fails because of them: it proceeds without. After several late or failed recalls of a
 * project in a row, recall is paused for it for a while.
 */
final class Recall {
  private static final Logger LOGGER = LoggerFactory.getLogger(Recall.class);

  /**
   * Share of the timeout that indexing and ranking may take, before the messages are read; the next
   * call uses what was indexed by then.
   */
  private static final double SEARCH_SHARE = 0.7;

  private static final int MAX_THREADS = 16;

  /** Neighbours of a hit that are quoted, on either side. */
  private static final int NEIGHBOURS = 1;

  /** Tokens of a hit with its neighbours, if they are short. */
  private static final int TOKENS_PER_HIT = 30;

  private static final int MAX_HITS = 50;

  /**
   * Bytes of messages to choose from for each token that may be quoted: half as many again as a
   * token has.
   */
  private static final long ENOUGH_BYTES_PER_TOKEN = 6;

  /** Tokens; fewer hold no quotation. */
  private static final int MIN_TOKENS = 120;

  /** Characters that a user's text begins with, and those that it ends with, that are searched. */
  private static final int FIRST_CHARACTERS = 1_000;

  private static final int LAST_CHARACTERS = 3_000;

  /** Tags of what clients tell the model in a message of the user: Claude Code, Cline. */
  private static final List<String> REMINDERS =
      List.of("system-reminder", "ide_opened_file", "ide_selection", "environment_details");

  private static final TokenCounter COUNTER = new TokenCounter();

  /** Bytes of lines whose tokens are known. */
  private static final long MAX_COUNTED_BYTES = 4 << 20;

  private static final int BYTES_OF_LINE = 100;

  private static final int FAILURES_BEFORE_PAUSE = 5;
  private static final int MAX_FAILING = 10_000;
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final OldMessages messages;
  private final Duration timeout;
  private final Duration searchTimeout;
  private final @Nullable HeapBudget heap;
  private final LongSupplier nanoTime;
  private final RecallMetrics metrics;
  private final ExecutorService threads;
  private final CallerShares shares = new CallerShares(MAX_THREADS, Duration.ZERO);

  /** Of projects whose last recalls were late or failed. */
  private final Cache<Long, Failures> failures =
      Caffeine.newBuilder().maximumSize(MAX_FAILING).build();

  /**
   * Tokens of lines that were quoted, as counting takes long, and what fits one call often fits the
   * next one.
   */
  private final Cache<String, Integer> counted =
      Caffeine.newBuilder()
          .maximumWeight(MAX_COUNTED_BYTES)
          .weigher((String line, Integer tokens) -> BYTES_OF_LINE + 2 * line.length())
          .build();

  /** Finds the old messages of a thread that fit a text, as {@link Search#recall} does. */
  @FunctionalInterface
  interface OldMessages {
    Search.Recalled find(Caller caller, Search.Recall recall, Duration timeout, LongConsumer heap);
  }

  /**
   * @param timeout how long a call waits
   * @param heap in which heap is reserved for what is searched; null if it is not bounded
   * @param nanoTime of any origin
   */
  Recall(
      OldMessages messages,
      Duration timeout,
      @Nullable HeapBudget heap,
      LongSupplier nanoTime,
      PrometheusRegistry registry) {
    this.messages = messages;
    this.timeout = timeout;
    this.searchTimeout = Duration.ofNanos((long) (timeout.toNanos() * SEARCH_SHARE));
    this.heap = heap;
    this.nanoTime = nanoTime;
    this.metrics = new RecallMetrics(registry);
    this.threads = DaemonThreads.pool("recall", MAX_THREADS);
  }

  /**
   * A call that messages are recalled for.
   *
   * @param threadId the id that clients see
   * @param resourceId whose other threads may be quoted; null for none
   * @param asked the new messages of the call
   * @param repeated the user's message that is answered again; null if there are new ones
   * @param now when the call was received
   */
  record Call(
      Caller caller,
      String threadId,
      @Nullable String resourceId,
      List<StoredMessage> asked,
      @Nullable StoredMessage repeated,
      Instant now) {

    /** The resource whose other threads are quoted; null for none. */
    private @Nullable String others(ContextConfig config) {
      return config.recallScope() == RecallScope.RESOURCE ? resourceId : null;
    }

    /** The text of the user; null for a step of a tool loop, or a message without text. */
    @Nullable String question() {
      if (asked.isEmpty()) {
        return repeated == null ? null : words(repeated);
      }
      for (int at = asked.size() - 1; at >= 0; at--) {
        StoredMessage message = asked.get(at);
        if (message.role().equals("user")) {
          return words(message);
        }
        if (!message.role().equals("assistant")) {
          return null;
        }
      }
      return null;
    }

    private static @Nullable String words(StoredMessage message) {
      String text = withoutReminders(message.text());
      if (text.isBlank()) {
        return null;
      }
      int rest = text.length() - LAST_CHARACTERS;
      return rest <= FIRST_CHARACTERS
          ? text
          : text.substring(0, FIRST_CHARACTERS) + "\n" + text.substring(rest);
    }

    private static String withoutReminders(String text) {
      String said = text;
      for (String tag : REMINDERS) {
        said = without("<" + tag + ">", "</" + tag + ">", said);
      }
      return said;
    }

    private static String without(String begin, String close, String text) {
      StringBuilder said = new StringBuilder();
      int from = 0;
      int start = text.indexOf(begin);
      int end = text.indexOf(close, start);
      while (start >= 0 && end >= 0) {
        said.append(text, from, start);
        from = end + close.length();
        start = text.indexOf(begin, from);
        end = text.indexOf(close, start);
      }
      return said.append(text, from, text.length()).toString();
    }

    private List<StoredMessage> said() {
      List<StoredMessage> said = new ArrayList<>(asked);
      if (repeated != null) {
        said.add(repeated);
      }
      return said;
    }
  }

  /**
   * Adds the old messages that were found to a context.
   *
   * @param config in force for the thread
   * @param isOld whether messages of the thread are not sent any more
   */
  TurnContext addTo(TurnContext context, ContextConfig config, boolean isOld, Call call) {
    boolean isVain = context.tokenBudget() < MIN_TOKENS || (!isOld && call.others(config) == null);
    String question = isVain ? null : call.question();
    if (question == null) {
      return context;
    }
    long project = call.caller().projectId();
    Failures before = failures.getIfPresent(project);
    if (before != null && before.isPaused(nanoTime.getAsLong())) {
      metrics.ended(RecallMetrics.Outcome.PAUSED);
      return context;
    }
    long start = nanoTime.getAsLong();
    TurnContext.Recalled found = null;
    RecallMetrics.Outcome outcome;
    try {
      Future<TurnContext.@Nullable Recalled> finding =
          submit(call.caller(), () -> find(context, config, isOld, call, question));
      found = finding.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
      outcome = found == null ? RecallMetrics.Outcome.NOTHING : RecallMetrics.Outcome.FOUND;
    } catch (RejectedExecutionException e) {
      metrics.ended(RecallMetrics.Outcome.LATE);
      return context; // for what others hold: no failure of the project
    } catch (TimeoutException e) {
      outcome = RecallMetrics.Outcome.LATE;
    } catch (ExecutionException e) {
      LOGGER.debug("Nothing is recalled: the search failed", e.getCause());
      outcome = RecallMetrics.Outcome.FAILED;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      outcome = RecallMetrics.Outcome.FAILED;
    }
    ended(project, outcome);
    metrics.ended(outcome, nanoTime.getAsLong() - start);
    return context.with(found);
  }

  /**
   * Runs a recall, if there is a thread for it: a key has half of them, a project three quarters.
   */
  private Future<TurnContext.@Nullable Recalled> submit(
      Caller caller, Callable<TurnContext.@Nullable Recalled> recall) {
    CallerShares.Held share = shares.open(caller.keyId(), caller.projectId());
    try {
      if (share.acquire() != null) {
        throw new RejectedExecutionException();
      }
      return threads.submit(
          () -> {
            try (share) {
              return recall.call();
            }
          });
    } catch (RejectedExecutionException e) {
      share.close();
      throw e;
    }
  }

  private TurnContext.@Nullable Recalled find(
      TurnContext context, ContextConfig config, boolean isOld, Call call, String question) {
    try (HeapReservation held = new HeapReservation(heap, HeapBudget.BACKGROUND)) {
      long before = isOld ? context.firstSent() : 0;
      int max = (int) Math.min(MAX_HITS, context.tokenBudget() / TOKENS_PER_HIT + 1);
      Search.Recalled recalled =
          messages.find(
              call.caller(),
              new Search.Recall(
                  call.threadId(),
                  call.others(config),
                  question,
                  before,
                  max,
                  NEIGHBOURS,
                  ENOUGH_BYTES_PER_TOKEN * context.tokenBudget()),
              searchTimeout,
              bytes -> reserve(held, bytes));
      Quotations quotations =
          new Quotations(
              config,
              before,
              context.tokenBudget(),
              call.said(),
              recalled.passages(),
              line -> counted.get(line, COUNTER::count));
      for (Hit hit : recalled.hits()) {
        if (hit.threadId().equals(call.threadId())) {
          quotations.add(hit.message(), hit.after(), hit.before());
        } else {
          quotations.addOther(hit, context.stored());
        }
      }
      return quotations.toText(call.now());
    }
  }

  private static void reserve(HeapReservation held, long bytes) {
    if (!held.tryAdd(bytes)) {
      throw ApiException.unavailable("There is no heap to search in.", 1);
    }
  }

  private void ended(long project, RecallMetrics.Outcome outcome) {
    if (outcome == RecallMetrics.Outcome.LATE || outcome == RecallMetrics.Outcome.FAILED) {
      failures.asMap().merge(project, new Failures(1, nanoTime.getAsLong()), Failures::then);
    } else {
      failures
          .asMap()
          .computeIfPresent(
              project, (id, before) -> before.isPaused(nanoTime.getAsLong()) ? before : null);
    }
  }

  /**
   * Recalls of a project that were late or failed, one after the other.
   *
   * @param count since the last pause ended
   * @param at when the last one of them ended, in nanoseconds: a pause begins with it
   */
  private record Failures(int count, long at) {
    /** These and a later one, which does not count if it ends within a pause. */
    Failures then(Failures last) {
      if (isPaused(last.at)) {
        return this;
      }
      return count == FAILURES_BEFORE_PAUSE ? last : new Failures(count + 1, last.at);
    }

    boolean isPaused(long now) {
      return count == FAILURES_BEFORE_PAUSE && now - at < PAUSE_NANOS;
    }
  }
}

package io.memorygateway.observation;

import io.memorygateway.json.JsonWriter;
import io.memorygateway.observation.text.TokenCounter;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.function.UnaryOperator;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Observations of a thread, as the API shows them. Callers have found the thread and checked access
 * to it; all methods work inside the caller's transaction.
 */
public final class Observations {
  private static final int MAX_COUNTED_MESSAGES = 500;

  /** Bytes of content that are counted during a request; of more, the tokens are estimated. */
  private static final long MAX_COUNTED_BYTES = 2 << 20;

  /** Bytes of an answer behind the records of a list. */
  private static final int END_BYTES = 256;

  private final Clock clock;
  private final ContextSettings settings;
  private final TokenCounter counter = new TokenCounter();

  public Observations(Clock clock, ContextSettings settings) {
    this.clock = clock;
    this.settings = settings;
  }

  /**
   * A thread to be shown.
   *
   * @param id {@code threads.id}
   */
  public record Subject(long id, String publicId, String resourceId) {}

  /**
   * {@code {"observations":…}}: the text in force, or null before the first observation.
   *
   * @param heap called with the number of bytes to be read before they are, here and below
   * @return UTF-8 JSON
   */
  public byte[] text(Handle handle, Subject thread, LongConsumer heap) {
    RecordDao dao = handle.attach(RecordDao.class);
    dao.currentBytes(thread.id()).ifPresent(heap::accept);
    Optional<String> text =
        dao.currentObservations(thread.id()).filter(observations -> !observations.isEmpty());
    return new JsonWriter(64)
        .ascii("{\"observations\":")
        .string(text.orElse(null))
        .ascii("}")
        .toBytes();
  }

  /**
   * {@code {"record":…}}: the current record, or null before the first observation.
   *
   * @return UTF-8 JSON
   */
  public byte[] current(Handle handle, Subject thread, LongConsumer heap) {
    RecordDao dao = handle.attach(RecordDao.class);
    heap.accept(dao.currentBytes(thread.id()).orElse(0L) + dao.chunkBytes(thread.id()));
    JsonWriter out = new JsonWriter(1024).ascii("{\"record\":");
    Optional<ObservationRecord> record = dao.current(thread.id());
    if (record.isPresent()) {
      write(handle, thread, out, record.get(), true);
    } else {
      out.ascii("null");
    }
    return out.ascii("}").toBytes();
  }

  /**
   * {@code {"records":[…],"total","limit","offset"}}: newest first, the current one included.
   *
   * @param from the earliest time of creation, or null
   * @param to the latest, or null
   * @param page limit and offset
   * @param maxBytes at which the list ends, after at least one record
   * @return UTF-8 JSON
   */
  public byte[] history(
      Handle handle,
      Subject thread,
      @Nullable Instant from,
      @Nullable Instant to,
      Page page,
      int maxBytes,
      LongConsumer heap) {
    RecordDao dao = handle.attach(RecordDao.class);
    int limit = page.limit();
    long offset = page.offset();
    Integer current = dao.currentGeneration(thread.id());
    long bytes = dao.chunkBytes(thread.id());
    int fitting = 0;
    for (long size : dao.historyBytes(thread.id(), from, to, limit, offset)) {
      if (fitting > 0 && bytes + size > maxBytes) {
        break;
      }
      bytes += size;
      fitting++;
    }
    heap.accept(bytes);
    JsonWriter out = new JsonWriter(4096).ascii("{\"records\":[");
    int start = out.length();
    List<ObservationRecord> records =
        fitting == 0 ? List.of() : dao.history(thread.id(), from, to, fitting, offset);
    for (ObservationRecord record : records) {
      int before = out.length();
      boolean isCurrent = current != null && record.generation() == current;
      write(handle, thread, out.element(), record, isCurrent);
      if (before > start && out.length() > maxBytes - END_BYTES) {
        out.truncate(before);
        break;
      }
    }
    return page.end(out, dao.count(thread.id(), from, to));
  }

  /**
   * The part of a list that is requested.
   *
   * @param digits of the offset as they were received
   */
  public record Page(int limit, long offset, String digits) {
    byte[] end(JsonWriter records, long total) {
      return records
          .ascii("],\"total\":")
          .number(total)
          .ascii(",\"limit\":")
          .number(limit)
          .ascii(",\"offset\":")
          .ascii(digits)
          .ascii("}")
          .toBytes();
    }
  }

  /**
   * Changes a thread's own configuration; a value that becomes null has its default again. The
   * caller holds the lock of the thread.
   *
   * @param projectName of the thread's project
   * @return the configuration now in force, as UTF-8 JSON
   */
  public byte[] configure(
      Handle handle, Subject thread, String projectName, UnaryOperator<ThreadConfig> change) {
    StateDao states = handle.attach(StateDao.class);
    ThreadConfig config = change.apply(states.config(thread.id()).orElse(ThreadConfig.NONE));
    states.configure(thread.id(), config);
    if (RecallScope.THREAD.wireName().equals(config.recallScope())) {
      ObservationJobs.leaveResource(handle, thread.id());
    }
    // Cached tails of the thread, on any node, were cut by the former configuration.
    states.bumpVersion(thread.id());
    states.checkNow(thread.id());
    ObservationJobs.request(handle, List.of(thread.id()));
    return settings.of(projectName, config).toJson(config);
  }

  private void write(
      Handle handle, Subject thread, JsonWriter out, ObservationRecord record, boolean isCurrent) {
    RecordDao dao = handle.attach(RecordDao.class);
    RecordJson json = new RecordJson(thread.publicId(), thread.resourceId(), clock.instant());
    if (isCurrent) {
      ObservationState state =
          handle.attach(StateDao.class).state(thread.id()).orElse(ObservationState.NONE);
      long pending = pendingTokens(handle, thread, state.observedSeq());
      json.write(out, record, state, pending, dao.chunks(thread.id()));
    } else {
      json.write(out, record);
    }
  }

  private static long uncountedBytes(UnobservedMessageDao dao, Subject thread, long observedSeq) {
    return dao.uncountedSizes(thread.id(), observedSeq, MAX_COUNTED_MESSAGES).stream()
        .mapToLong(UnobservedMessageDao.Size::bytes)
        .sum();
  }

  /** Tokens of the unobserved messages; exact, unless the observer is very far behind. */
  private long pendingTokens(Handle handle, Subject thread, long observedSeq) {
    UnobservedMessageDao dao = handle.attach(UnobservedMessageDao.class);
    UnobservedMessageDao.Sum sum = dao.sum(thread.id(), observedSeq, Long.MAX_VALUE);
    if (sum.uncounted() > MAX_COUNTED_MESSAGES
        || (sum.uncounted() > 0 && uncountedBytes(dao, thread, observedSeq) > MAX_COUNTED_BYTES)) {
      return dao.guess(thread.id(), observedSeq);
    }
    long uncounted = 0;
    for (String content : dao.uncounted(thread.id(), observedSeq, MAX_COUNTED_MESSAGES)) {
      uncounted += counter.countContent(content);
    }
    return sum.tokens() + uncounted;
  }
}

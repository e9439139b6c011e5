package io.memorygateway.observation;

import io.memorygateway.json.JsonOut;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.function.UnaryOperator;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * What was observed of a thread, as the API shows it. Callers have found the thread and seen to it
 * that it may be shown; all of it works inside their transaction.
 */
public final class Observations {
  private static final int MOST_COUNTED = 500;

  /** Content that is counted while somebody waits. */
  private static final long MOST_COUNTED_BYTES = 2 << 20;

  /** For what stands behind the records of a list. */
  private static final int END_BYTES = 256;

  private final Clock clock;
  private final ContextSettings settings;
  private final TokenCounter counter = new TokenCounter();

  public Observations(Clock clock, ContextSettings settings) {
    this.clock = clock;
    this.settings = settings;
  }

  /**
   * A thread as it is known here.
   *
   * @param id {@code threads.id}
   */
  public record Subject(long id, String publicId, String resourceId) {}

  /**
   * {@code {"observations":…}}: the text in force, or null before the first observation.
   *
   * @param room is told how many bytes will be read, here and below
   */
  public byte[] text(Handle handle, Subject thread, LongConsumer room) {
    ObservationDao dao = handle.attach(ObservationDao.class);
    dao.currentBytes(thread.id()).ifPresent(room::accept);
    Optional<String> text =
        dao.currentObservations(thread.id()).filter(observations -> !observations.isEmpty());
    return new JsonOut(64)
        .ascii("{\"observations\":")
        .string(text.orElse(null))
        .ascii("}")
        .toBytes();
  }

  /** {@code {"record":…}}: the current one, or null before the first observation. */
  public byte[] current(Handle handle, Subject thread, LongConsumer room) {
    ObservationDao dao = handle.attach(ObservationDao.class);
    room.accept(dao.currentBytes(thread.id()).orElse(0L) + dao.chunkBytes(thread.id()));
    JsonOut out = new JsonOut(1024).ascii("{\"record\":");
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
   * @param page how many, and behind how many others
   * @param mostBytes at which the list ends, at one record or more
   */
  public byte[] history(
      Handle handle,
      Subject thread,
      @Nullable Instant from,
      @Nullable Instant to,
      Page page,
      int mostBytes,
      LongConsumer room) {
    ObservationDao dao = handle.attach(ObservationDao.class);
    int limit = page.limit();
    long offset = page.offset();
    Integer current = dao.currentGeneration(thread.id());
    long bytes = dao.chunkBytes(thread.id());
    int fitting = 0;
    for (long size : dao.historyBytes(thread.id(), from, to, limit, offset)) {
      if (fitting > 0 && bytes + size > mostBytes) {
        break;
      }
      bytes += size;
      fitting++;
    }
    room.accept(bytes);
    JsonOut out = new JsonOut(4096).ascii("{\"records\":[");
    String separator = "";
    List<ObservationRecord> records =
        fitting == 0 ? List.of() : dao.history(thread.id(), from, to, fitting, offset);
    for (ObservationRecord record : records) {
      int before = out.length();
      boolean isCurrent = current != null && record.generation() == current;
      write(handle, thread, out.ascii(separator), record, isCurrent);
      if (!separator.isEmpty() && out.length() > mostBytes - END_BYTES) {
        out.truncate(before);
        break;
      }
      separator = ",";
    }
    return out.ascii("],\"total\":")
        .number(dao.count(thread.id(), from, to))
        .ascii(",\"limit\":")
        .number(limit)
        .ascii(",\"offset\":")
        .number(offset)
        .ascii("}")
        .toBytes();
  }

  /** Which part of a list is asked for. */
  public record Page(int limit, long offset) {}

  /**
   * Changes a thread's own configuration; a member that becomes null has its default again. The
   * caller holds the lock of the thread.
   *
   * @param projectName of the thread's project
   * @return what is in force now, as JSON
   */
  public byte[] configure(
      Handle handle, Subject thread, String projectName, UnaryOperator<ThreadConfig> change) {
    ThreadConfigDao dao = handle.attach(ThreadConfigDao.class);
    ThreadConfig config = change.apply(dao.find(thread.id()).orElse(ThreadConfig.NONE));
    dao.set(thread.id(), config);
    StateDao states = handle.attach(StateDao.class);
    // Ends of threads that nodes have cached were cut by the former configuration.
    states.bumpVersion(thread.id());
    states.lookNow(thread.id());
    ObservationJobs.request(handle, List.of(thread.id()));
    return settings.of(projectName, config).toJson(config);
  }

  private void write(
      Handle handle, Subject thread, JsonOut out, ObservationRecord record, boolean isCurrent) {
    ObservationDao dao = handle.attach(ObservationDao.class);
    RecordJson json = new RecordJson(thread.publicId(), thread.resourceId(), clock.instant());
    if (isCurrent) {
      ObservationState state = dao.state(thread.id()).orElse(ObservationState.NONE);
      long pending = pendingTokens(handle, thread, state.observedSeq());
      json.write(out, record, state, pending, dao.chunks(thread.id()));
    } else {
      json.write(out, record, ObservationState.NONE, 0, List.of());
    }
  }

  private static long uncountedBytes(TailDao dao, Subject thread, long observedSeq) {
    return dao.uncountedSizes(thread.id(), observedSeq, MOST_COUNTED).stream()
        .mapToLong(TailDao.Size::bytes)
        .sum();
  }

  /** Exact, unless the observer is very far behind. */
  private long pendingTokens(Handle handle, Subject thread, long observedSeq) {
    TailDao dao = handle.attach(TailDao.class);
    TailDao.Sum sum = dao.sum(thread.id(), observedSeq, Long.MAX_VALUE);
    if (sum.uncounted() > MOST_COUNTED
        || (sum.uncounted() > 0 && uncountedBytes(dao, thread, observedSeq) > MOST_COUNTED_BYTES)) {
      return dao.guess(thread.id(), observedSeq);
    }
    long uncounted = 0;
    for (String content : dao.uncounted(thread.id(), observedSeq, MOST_COUNTED)) {
      uncounted += counter.countContent(content);
    }
    return sum.tokens() + uncounted;
  }
}

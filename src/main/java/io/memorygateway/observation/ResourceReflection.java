package io.memorygateway.observation;

import io.memorygateway.database.DatabaseFailure;
import io.memorygateway.observation.text.ObservationLog;
import io.memorygateway.observation.text.ObserverChain;
import io.memorygateway.observation.text.TokenCounter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what is known of a resource (contract §8): condenses it with what is new in the
 * observations of the resource's threads, a new thread's at once, else when it is enough; makes it
 * anew when a thread that it came from is gone, gives nothing any more, or was changed. Any job of
 * a thread of the resource does it; of several at once, one commits.
 */
record ResourceReflection(
    Jdbi jdbi,
    ObserverChain observers,
    LeaseGuard guard,
    ObservationCommits commits,
    TokenCounter counter,
    ContextSettings settings,
    RecordConfig config,
    ObservationMetrics metrics) {
  /** Threads that are looked at: those that changed last. */
  private static final int MAX_THREADS = 100;

  /** Characters of a thread's new observations that are read at once; of more, the newest. */
  private static final int MAX_CHARACTERS_OF_THREAD = 16 << 10;

  /** Characters of new observations that are condensed at once. */
  private static final int MAX_CHARACTERS = 64 << 10;

  /** Divisor of the bound: so many new tokens are condensed; of a new thread, any. */
  private static final int ENOUGH = 4;

  /** Generations that are kept, at least; of twice as many, the older ones are deleted. */
  static final int HISTORY = 16;

  /**
   * What is to be condensed.
   *
   * @param max tokens of the result
   * @param scope of threads without their own
   * @param before the record; null for none
   * @param anew whether it is replaced, with its history
   * @param sources threads whose observations are new, in the order of their ids, as they were read
   * @param taken the same with what is condensed now
   * @param text of the record, unless it is replaced, and of what is new
   */
  private record Plan(
      ResourceDao.Resource resource,
      int max,
      String scope,
      ResourceDao.@Nullable Known before,
      boolean anew,
      List<ResourceDao.Source> sources,
      List<ResourceDao.Source> taken,
      String text) {

    /** The record that stays; null for none. */
    ResourceDao.@Nullable Known kept() {
      return anew ? null : before;
    }

    int generation() {
      return before == null ? 0 : before.generation() + 1;
    }

    ResourceDao.Known next(String observations, long tokens) {
      ResourceDao.Known kept = kept();
      long observed = sources.stream().mapToLong(ResourceDao.Source::newTokens).sum();
      long more = sources.stream().filter(source -> source.since() == null).count();
      return new ResourceDao.Known(
          generation(),
          observations,
          tokens,
          observed + (kept == null ? 0 : kept.totalTokensObserved()),
          (int) more + (kept == null ? 0 : kept.sources()));
    }

    /** The next record with the text of the one that stays, if that is short enough. */
    ResourceDao.Known unchanged() {
      ResourceDao.Known kept = kept();
      return kept == null || kept.observationTokens() > max
          ? next("", 0)
          : next(kept.observations(), kept.observationTokens());
    }
  }

  /**
   * Condenses what is known of the resource of the lease's thread.
   *
   * @return false if nothing is to be done
   */
  boolean condense(Lease lease) throws InterruptedException {
    Optional<Plan> due = jdbi.withHandle(handle -> plan(handle, lease.threadId()));
    if (due.isEmpty()) {
      return false;
    }
    Plan plan = due.get();
    if (plan.text.isEmpty()) {
      commit(lease, plan, plan.next("", 0), "");
      return true;
    }
    ObserverChain.Noted noted =
        observers.know(plan.text, plan.max, settings.instructions(plan.resource.projectName()));
    String text = noted.observation().log();
    ResourceDao.Known next = plan.next(text, counter.count(text));
    if (next.observationTokens() > plan.max) {
      // Without a model, a single sentence may be longer than all that is kept.
      next = plan.unchanged();
    }
    commit(lease, plan, next, config.ofResource(plan.max, noted.byModel()));
    metrics.known(counter.count(plan.text), next.observationTokens());
    return true;
  }

  private Optional<Plan> plan(Handle handle, long threadId) {
    ResourceDao dao = handle.attach(ResourceDao.class);
    ResourceDao.Resource resource =
        dao.resource(threadId)
            .orElseThrow(() -> new WorkAbortedException(WorkAbortedException.Reason.THREAD_GONE));
    int max = settings.resourceTokens(resource.projectName());
    String scope = settings.of(resource.projectName(), ThreadConfig.NONE).recallScope().wireName();
    ResourceDao.Known before = dao.known(resource).orElse(null);
    boolean anew = before != null && (max == 0 || dao.sources(resource, scope) != before.sources());
    List<ResourceDao.Source> all = max == 0 ? List.of() : newest(dao, resource, scope, anew);
    long tokens = all.stream().mapToLong(ResourceDao.Source::newTokens).sum();
    boolean isTooLong = before != null && before.observationTokens() > max;
    boolean isEnough =
        tokens >= Math.max(1, max / ENOUGH)
            || all.stream().anyMatch(source -> source.since() == null);
    if (!anew && !isTooLong && !isEnough) {
      return Optional.empty();
    }
    StringBuilder text = new StringBuilder(before == null || anew ? "" : before.observations());
    List<ResourceDao.Source> sources = new ArrayList<>();
    List<ResourceDao.Source> taken = new ArrayList<>();
    int generation = before == null ? 0 : before.generation() + 1;
    int characters = 0;
    for (ResourceDao.Source source : all) {
      String notes = notes(handle, source.threadId());
      String added = ObservationLog.rest(notes, start(notes, source.taken()));
      characters += added.length();
      if (!sources.isEmpty() && characters > MAX_CHARACTERS) {
        break;
      }
      text.append(ObservationLog.toAppend(text.toString(), added));
      sources.add(source);
      taken.add(source.takenFor(generation, notes.length()));
    }
    if (text.isEmpty() && !anew) {
      return Optional.empty();
    }
    sources.sort(Comparator.comparingLong(ResourceDao.Source::threadId));
    return Optional.of(
        new Plan(resource, max, scope, before, anew, sources, taken, text.toString()));
  }

  /** The threads with observations that were not condensed, those that changed last at the end. */
  private static List<ResourceDao.Source> newest(
      ResourceDao dao, ResourceDao.Resource resource, String scope, boolean anew) {
    List<Long> threads = dao.threads(resource, MAX_THREADS);
    if (threads.isEmpty()) {
      return List.of();
    }
    Map<Long, ResourceDao.Source> reach = new HashMap<>();
    for (ResourceDao.Source source : dao.reach(threads, scope)) {
      reach.put(source.threadId(), anew ? source.anew() : source);
    }
    Collections.reverse(threads);
    return threads.stream()
        .map(reach::get)
        .filter(source -> source != null && source.newTokens() > 0)
        .toList();
  }

  /** Where the part of a thread's observations begins that is read. */
  private static int start(String notes, int taken) {
    int from = taken > notes.length() ? 0 : taken;
    int newest = notes.length() - MAX_CHARACTERS_OF_THREAD;
    if (from >= newest) {
      return from;
    }
    int line = notes.indexOf('\n', newest);
    return line >= 0 ? line : Character.isLowSurrogate(notes.charAt(newest)) ? newest + 1 : newest;
  }

  /** The observations of a thread, in force and prepared. */
  private static String notes(Handle handle, long threadId) {
    RecordDao dao = handle.attach(RecordDao.class);
    return ThreadView.notes(dao.currentObservations(threadId).orElse(""), dao.chunks(threadId));
  }

  /** Adds a generation, if all that it rests on is as it was read; deletes all, if it is empty. */
  private void commit(Lease lease, Plan plan, ResourceDao.Known next, String recordConfig) {
    List<Long> threads = plan.sources.stream().map(ResourceDao.Source::threadId).toList();
    guard.commit(
        lease,
        threads,
        handle -> {
          ResourceDao dao = handle.attach(ResourceDao.class);
          check(dao, plan, threads);
          if (plan.anew || plan.text.isEmpty()) {
            dao.deleteSources(plan.resource);
            dao.deleteBefore(plan.resource, Integer.MAX_VALUE);
          }
          if (plan.text.isEmpty()) {
            return;
          }
          insert(dao, plan.resource, next, recordConfig);
          plan.taken.forEach(source -> dao.take(plan.resource, source));
          if (next.generation() % HISTORY == 0) {
            dao.deleteBefore(plan.resource, next.generation() - HISTORY);
          }
        });
  }

  private static void check(ResourceDao dao, Plan plan, List<Long> threads) {
    Integer generation = dao.known(plan.resource).map(ResourceDao.Known::generation).orElse(null);
    boolean same =
        Objects.equals(generation, plan.before == null ? null : plan.before.generation());
    List<ResourceDao.Source> now = threads.isEmpty() ? List.of() : dao.reach(threads, plan.scope);
    same &= now.size() == plan.sources.size();
    for (int i = 0; same && i < now.size(); i++) {
      ResourceDao.Source source = plan.anew ? now.get(i).anew() : now.get(i);
      same = source.isLike(plan.sources.get(i));
    }
    if (!same) {
      throw new WorkAbortedException(WorkAbortedException.Reason.MESSAGES_CHANGED);
    }
  }

  private void insert(
      ResourceDao dao, ResourceDao.Resource resource, ResourceDao.Known next, String recordConfig) {
    try {
      dao.insert(resource, next, commits.newId(), recordConfig, commits.now());
    } catch (JdbiException e) {
      throw DatabaseFailure.of(e) == DatabaseFailure.DUPLICATE_KEY
          ? new WorkAbortedException(WorkAbortedException.Reason.MESSAGES_CHANGED)
          : e;
    }
  }
}

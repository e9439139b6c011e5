package io.memorygateway.proxy.call;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;

/**
 * What providers have refused to a project, and are spared from then on. Known to one node; another
 * one learns it by one refusal.
 *
 * <p>Thoughts of a model may be bound to what stood before them when they were made: its provider
 * refuses them once memory has said something else there, and is asked in that thread to leave out
 * those that are not valid any more. A model may refuse those of another one of its maker: in that
 * thread it gets the thoughts that the caller sends, and no more. And servers refuse roles of
 * messages that their chat templates do not have, answers without the reasoning that led to them,
 * which other models have none of, and efforts and temperatures that their models do not take.
 */
public final class Refusals {
  /** What Anthropic's API calls the ability to be asked that, in a header. */
  static final String BETA = "thinking-binding-controls-2026-08-01";

  private static final int MAX_ENTRIES = 10_000;

  private static final Duration KEPT = Duration.ofDays(1);

  private final Cache<String, Boolean> threads =
      Caffeine.newBuilder().maximumSize(MAX_ENTRIES).expireAfterAccess(KEPT).build();

  /** For a day, however often they are used: a server may get another model or template. */
  private final Cache<String, Demands> demands =
      Caffeine.newBuilder().maximumSize(MAX_ENTRIES).expireAfterWrite(KEPT).build();

  /** Whether a model has refused thoughts in a thread for this reason. */
  boolean hasRefused(AttemptFailure.Reason reason, long projectId, String threadId, String model) {
    return threads.getIfPresent(key(reason, projectId, threadId, model)) != null;
  }

  void note(AttemptFailure.Reason reason, long projectId, String threadId, String model) {
    threads.put(key(reason, projectId, threadId, model), true);
  }

  void forget(AttemptFailure.Reason reason, long projectId, String threadId, String model) {
    threads.invalidate(key(reason, projectId, threadId, model));
  }

  /** What a model's server demands of calls. */
  Demands demands(long projectId, String model) {
    Demands known = demands.getIfPresent(projectId + "/" + model);
    return known == null ? Demands.NONE : known;
  }

  /**
   * Notes what a call has shown of a model's server, beside what others have shown meanwhile.
   *
   * @param before what was known when the call began
   */
  void note(long projectId, String model, Demands before, Demands shown) {
    if (!shown.equals(before)) {
      Demands unused =
          demands
              .asMap()
              .merge(projectId + "/" + model, shown, (known, own) -> known.with(before, own));
    }
  }

  private static String key(
      AttemptFailure.Reason reason, long projectId, String threadId, String model) {
    return reason + "/" + projectId + "/" + model + "/" + threadId;
  }
}

package io.memorygateway.turn;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;

/**
 * The threads in which thoughts of a model are bound to what stood before them when they were made:
 * its provider refuses them once memory has said something else there. Of each the provider is
 * asked, from its first refusal on, to leave out those that are not valid any more. Known to one
 * node; another one learns it by one refusal.
 */
public final class Refusals {
  /** What Anthropic's API calls the ability to be asked that, in a header. */
  public static final String BETA = "thinking-binding-controls-2026-08-01";

  private static final int MAX_THREADS = 10_000;

  private final Cache<String, Boolean> threads =
      Caffeine.newBuilder().maximumSize(MAX_THREADS).expireAfterAccess(Duration.ofDays(1)).build();

  public boolean areBound(long projectId, String threadId, String model) {
    return threads.getIfPresent(key(projectId, threadId, model)) != null;
  }

  public void noteBound(long projectId, String threadId, String model) {
    threads.put(key(projectId, threadId, model), true);
  }

  public void forgetBound(long projectId, String threadId, String model) {
    threads.invalidate(key(projectId, threadId, model));
  }

  private static String key(long projectId, String threadId, String model) {
    return projectId + "/" + model + "/" + threadId;
  }
}

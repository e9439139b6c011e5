package io.memorygateway.turn;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;

/**
 * The threads in which a model's thoughts are bound to what stood before them when they were made:
 * its provider refuses them once memory has said something else there. Of each the provider is
 * asked, from its first refusal on, to leave out those that are not valid any more. Known to one
 * node; another one learns it by one refusal.
 */
public final class BoundThoughts {
  /** What Anthropic's API calls the ability to be asked that, in a header. */
  public static final String BETA = "thinking-binding-controls-2026-08-01";

  private static final int MAX_THREADS = 10_000;

  private final Cache<String, Boolean> threads =
      Caffeine.newBuilder().maximumSize(MAX_THREADS).expireAfterAccess(Duration.ofDays(1)).build();

  public boolean areIn(long projectId, String threadId) {
    return threads.getIfPresent(key(projectId, threadId)) != null;
  }

  public void note(long projectId, String threadId) {
    threads.put(key(projectId, threadId), true);
  }

  public void forget(long projectId, String threadId) {
    threads.invalidate(key(projectId, threadId));
  }

  private static String key(long projectId, String threadId) {
    return projectId + "/" + threadId;
  }
}

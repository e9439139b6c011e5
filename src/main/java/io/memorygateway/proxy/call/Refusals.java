package io.memorygateway.proxy.call;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.memorygateway.format.call.Roles;
import java.time.Duration;

/**
 * What providers have refused to a project, and are spared from then on. Known to one node; another
 * one learns it by one refusal.
 *
 * <p>Thoughts of a model may be bound to what stood before them when they were made: its provider
 * refuses them once memory has said something else there, and is asked in that thread to leave out
 * those that are not valid any more. And servers refuse roles of messages that their chat templates
 * do not have.
 */
public final class Refusals {
  /** What Anthropic's API calls the ability to be asked that, in a header. */
  public static final String BETA = "thinking-binding-controls-2026-08-01";

  private static final int MAX_ENTRIES = 10_000;

  private final Cache<String, Boolean> threads = cache();
  private final Cache<String, Roles> roles = cache();

  private static <T> Cache<String, T> cache() {
    return Caffeine.newBuilder()
        .maximumSize(MAX_ENTRIES)
        .expireAfterAccess(Duration.ofDays(1))
        .build();
  }

  /** Whether a thread has thoughts of a model that are bound. */
  public boolean areBound(long projectId, String threadId, String model) {
    return threads.getIfPresent(key(projectId, threadId, model)) != null;
  }

  public void noteBound(long projectId, String threadId, String model) {
    threads.put(key(projectId, threadId, model), true);
  }

  public void forgetBound(long projectId, String threadId, String model) {
    threads.invalidate(key(projectId, threadId, model));
  }

  /** What a model's server demands of the roles of messages. */
  public Roles roles(long projectId, String model) {
    Roles known = roles.getIfPresent(projectId + "/" + model);
    return known == null ? Roles.ANY : known;
  }

  public void noteRoles(long projectId, String model, Roles demanded) {
    roles.put(projectId + "/" + model, demanded);
  }

  private static String key(long projectId, String threadId, String model) {
    return projectId + "/" + model + "/" + threadId;
  }
}

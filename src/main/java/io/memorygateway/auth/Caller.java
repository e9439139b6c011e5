package io.memorygateway.auth;

import java.security.Principal;
import java.util.Map;

/**
 * Authenticated caller: one API key of one project.
 *
 * @param keyId {@code api_keys.id}
 * @param projectId {@code projects.id}; owns everything this caller may see
 * @param projectPublicId the project's id as clients see it (UUIDv7)
 * @param projectName as operators know it
 * @param prefix the key's display prefix, fit for logs
 * @param limits requests per window that this key may make, by rule name, where they differ from
 *     the configuration
 */
public record Caller(
    long keyId,
    long projectId,
    String projectPublicId,
    String projectName,
    String prefix,
    Map<String, Long> limits)
    implements Principal {
  /** Request property that holds it, once the request is authenticated. */
  public static final String PROPERTY = Caller.class.getName();

  public Caller {
    limits = Map.copyOf(limits);
  }

  @Override
  public String getName() {
    return prefix;
  }
}

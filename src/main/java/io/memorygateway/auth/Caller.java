package io.memorygateway.auth;

import io.memorygateway.budget.OwnBudgets;
import java.security.Principal;
import java.util.Map;

/**
 * Authenticated caller: one API key of one project.
 *
 * @param keyId {@code api_keys.id}
 * @param projectId {@code projects.id}; owner of all data that the caller can access
 * @param projectPublicId the project's id as clients see it (UUIDv7)
 * @param projectName the project's name as operators see it
 * @param prefix the key's display prefix, which may be logged
 * @param limits requests per window of this key, by rule name, where they differ from the
 *     configuration
 * @param budgets that differ from the configuration
 * @param scopes what the key may do
 */
public record Caller(
    long keyId,
    long projectId,
    String projectPublicId,
    String projectName,
    String prefix,
    Map<String, Long> limits,
    OwnBudgets budgets,
    KeyScopes scopes)
    implements Principal {
  /** Request property that holds the caller of an authenticated request. */
  public static final String PROPERTY = Caller.class.getName();

  public Caller {
    limits = Map.copyOf(limits);
  }

  /** A caller whose key may do all, and of whose budgets nothing is said. */
  public Caller(
      long keyId,
      long projectId,
      String projectPublicId,
      String projectName,
      String prefix,
      Map<String, Long> limits) {
    this(
        keyId,
        projectId,
        projectPublicId,
        projectName,
        prefix,
        limits,
        OwnBudgets.NONE,
        KeyScopes.ALL);
  }

  @Override
  public String getName() {
    return prefix;
  }
}

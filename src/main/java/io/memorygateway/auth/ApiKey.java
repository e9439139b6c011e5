package io.memorygateway.auth;

import io.memorygateway.budget.OwnBudgets;
import io.memorygateway.http.errors.ApiException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code api_keys} with its project.
 *
 * @param secretHash SHA-256 of the key, lower-case hex
 * @param limits JSON object of per-rule overrides, or null
 * @param budgets JSON object of terms of budgets, or null
 * @param projectBudgets the same of its project
 * @param scopes JSON object of what the key may do, or null
 * @param moving whether its project is closed, because it is moved to another home
 */
public record ApiKey(
    long id,
    String publicId,
    long projectId,
    String projectPublicId,
    String projectName,
    String name,
    String prefix,
    String secretHash,
    @Nullable String limits,
    @Nullable String budgets,
    @Nullable String projectBudgets,
    @Nullable String scopes,
    Instant createdAt,
    @Nullable Instant expiresAt,
    @Nullable Instant revokedAt,
    @Nullable Instant lastUsedAt,
    boolean moving) {
  private static final int RETRY_SECONDS = 10;

  public boolean isValidAt(Instant now) {
    return revokedAt == null && (expiresAt == null || now.isBefore(expiresAt));
  }

  /**
   * Refuses what needs an open project.
   *
   * @throws ApiException 503 while it is moved
   */
  void requireOpen() {
    if (moving) {
      throw closed();
    }
  }

  /** The error of what needs an open project while it is moved to another home. */
  public static ApiException closed() {
    return ApiException.unavailable("The project is being moved; try again.", RETRY_SECONDS);
  }

  public Caller caller() {
    return new Caller(
        id,
        projectId,
        projectPublicId,
        projectName,
        prefix,
        KeyLimits.parse(limits),
        OwnBudgets.parse(budgets, projectBudgets),
        KeyScopes.parse(scopes));
  }
}

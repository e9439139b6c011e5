package io.memorygateway.auth;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import io.memorygateway.budget.BudgetTerms;
import io.memorygateway.budget.OwnBudgets;
import io.memorygateway.json.Timestamps;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Key as operators see it, on the command line and from admin tasks. Times are ISO-8601, or null.
 *
 * @param key the secret; null unless the key has just been issued or rotated
 */
@JsonPropertyOrder({"id", "key"})
public record KeyView(
    String id,
    @JsonInclude(Include.NON_NULL) @Nullable String key,
    String project,
    String projectId,
    String name,
    String prefix,
    Map<String, Long> limits,
    Map<String, BudgetTerms> budgets,
    KeyScopes scopes,
    @Nullable String createdAt,
    @Nullable String expiresAt,
    @Nullable String revokedAt,
    @Nullable String lastUsedAt) {

  public static KeyView of(ApiKeys.Issued issued) {
    return of(issued.key(), issued.secret());
  }

  /** Creates a view without a secret. */
  public static KeyView of(ApiKey key) {
    return of(key, null);
  }

  private static KeyView of(ApiKey key, @Nullable String secret) {
    return new KeyView(
        key.publicId(),
        secret,
        key.projectName(),
        key.projectPublicId(),
        key.name(),
        key.prefix(),
        KeyLimits.parse(key.limits()),
        new TreeMap<>(OwnBudgets.read(key.budgets())),
        KeyScopes.parse(key.scopes()),
        Timestamps.formatOrNull(key.createdAt()),
        Timestamps.formatOrNull(key.expiresAt()),
        Timestamps.formatOrNull(key.revokedAt()),
        Timestamps.formatOrNull(key.lastUsedAt()));
  }
}

package io.memorygateway.admin;

import io.memorygateway.operator.AdminCaller;
import io.memorygateway.operator.Role;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code admin_tokens}.
 *
 * @param role as {@link Role#wireName}
 */
public record AdminToken(
    long id,
    String publicId,
    String name,
    String role,
    String prefix,
    Instant createdAt,
    Instant expiresAt,
    @Nullable Instant revokedAt) {

  boolean isValidAt(Instant now) {
    return revokedAt == null && now.isBefore(expiresAt);
  }

  AdminCaller caller() {
    return new AdminCaller("token " + name, Role.of(role));
  }
}

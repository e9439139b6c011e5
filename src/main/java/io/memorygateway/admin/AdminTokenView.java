package io.memorygateway.admin;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import io.memorygateway.json.Timestamps;
import org.jspecify.annotations.Nullable;

/**
 * Token as operators see it. Times are ISO-8601.
 *
 * @param token the secret; null unless the token has just been issued
 */
@JsonPropertyOrder({"id", "token"})
public record AdminTokenView(
    String id,
    @JsonInclude(Include.NON_NULL) @Nullable String token,
    String name,
    String role,
    String prefix,
    String createdAt,
    String expiresAt,
    @Nullable String revokedAt) {

  static AdminTokenView of(AdminToken token, @Nullable String secret) {
    return new AdminTokenView(
        token.publicId(),
        secret,
        token.name(),
        token.role(),
        token.prefix(),
        Timestamps.format(token.createdAt()),
        Timestamps.format(token.expiresAt()),
        Timestamps.formatOrNull(token.revokedAt()));
  }
}

package io.memorygateway.search;

import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request to search: query and scope.
 *
 * @param resourceId all threads of this resource, unless a thread is given
 * @param threadId this thread alone
 * @param roles of the messages that may be hits; empty for all
 * @param from the earliest time of a hit
 * @param to the latest one
 * @param limit hits at most
 * @param context neighbours of each hit on either side that are returned with it
 */
public record SearchRequest(
    String query,
    @Nullable String resourceId,
    @Nullable String threadId,
    Set<String> roles,
    @Nullable Instant from,
    @Nullable Instant to,
    int limit,
    int context) {

  public SearchRequest {
    roles = Set.copyOf(roles);
  }

  Ranking.Filter filter() {
    long earliest = from == null ? Long.MIN_VALUE : from.toEpochMilli();
    long latest = to == null ? Long.MAX_VALUE : to.toEpochMilli();
    int admitted = 0;
    for (String role : roles) {
      admitted |= 1 << Roles.number(role);
    }
    int mask = roles.isEmpty() ? -1 : admitted;
    return (thread, role, time, seq) ->
        (mask >> role & 1) != 0 && time >= earliest && time <= latest;
  }
}

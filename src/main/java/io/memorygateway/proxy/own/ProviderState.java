package io.memorygateway.proxy.own;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * State of a provider on this node.
 *
 * @param endpoints that it serves
 * @param translated that it answers by translation
 * @param baseUrl without user and password
 * @param models that the configuration names
 * @param keyRefusedSince time since which it refuses the gateway's own key; null while it does not
 * @param circuits of its models that are targets of routes
 */
public record ProviderState(
    String name,
    List<String> endpoints,
    List<String> translated,
    boolean hasKey,
    String baseUrl,
    List<String> models,
    LastMinutes lastMinutes,
    @Nullable String lastSuccess,
    @Nullable String lastFailure,
    @Nullable String keyRefusedSince,
    List<CircuitState> circuits) {

  public record LastMinutes(long minutes, long calls, long failures) {}
}

package io.memorygateway.format.call;

/**
 * A model as its provider calls it, and what that provider takes besides what all of them take.
 *
 * @param now seconds since 1970: some of what a provider takes back expires
 */
public record UpstreamModel(String name, ProviderTraits traits, long now) {}

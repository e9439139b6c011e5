package io.memorygateway.format.call;

/** A model as its provider calls it, and what that provider takes besides what all of them take. */
public record UpstreamModel(String name, ProviderTraits traits) {}

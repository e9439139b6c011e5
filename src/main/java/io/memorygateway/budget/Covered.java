package io.memorygateway.budget;

/**
 * Says of an attempt that budgets cover its call.
 *
 * @param target as {@code provider/model}
 * @param last whether the call ends with it
 */
public record Covered(Hold hold, String target, boolean last) {}

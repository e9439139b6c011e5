package io.memorygateway.operator;

/** Answer of an {@link AdminTask} that is not JSON. */
public record TextAnswer(String contentType, String text) {}

package io.memorygateway.operator;

/** An answer of an {@link AdminTask} that is not JSON. */
public record TextAnswer(String contentType, String text) {}

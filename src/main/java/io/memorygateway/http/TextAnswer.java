package io.memorygateway.http;

/** What an {@link AdminTask} answers when it is not JSON. */
public record TextAnswer(String contentType, String text) {}

/**
 * The three endpoint formats: OpenAI Chat Completions, Anthropic Messages, OpenAI Responses. All
 * that differs between them lives behind {@link io.memorygateway.dialect.Dialect}. Pure: no input
 * or output, no server, no other package of the gateway. Bodies and events of others are never
 * re-typed: they are scanned once and edited by splicing bytes (contract §6).
 */
package io.memorygateway.dialect;

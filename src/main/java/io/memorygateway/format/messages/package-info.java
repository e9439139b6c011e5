/** Anthropic Messages. */
package io.memorygateway.format.messages;

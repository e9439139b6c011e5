/**
 * Tokens that the gateway counts itself: of inputs, of answers without usage, and of streams as
 * they are passed on.
 */
package io.memorygateway.proxy.count;

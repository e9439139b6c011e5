/**
 * Calls of the gateway itself to providers, and what operators see and do of providers and
 * circuits.
 */
package io.memorygateway.proxy.own;

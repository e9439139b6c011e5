/**
 * The HTTP client of a provider: connections and their shares, exchanges, failures, and the turns
 * that fast streams take.
 */
package io.memorygateway.proxy.upstream;

/**
 * Secrets in what an upstream sends: found and masked, whole or spread over the events of a stream.
 */
package io.memorygateway.secret;

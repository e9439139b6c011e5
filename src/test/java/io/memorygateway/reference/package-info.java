/** Holds ops/configuration.md to what the configuration classes say. */
package io.memorygateway.reference;

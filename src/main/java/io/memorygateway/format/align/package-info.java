/**
 * The comparison of a call with its thread: which messages the thread has, and which are new
 * (contract §7).
 */
package io.memorygateway.format.align;

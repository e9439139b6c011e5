/**
 * Threads and their messages, and the {@code /v1/memory} resources over them (contract §5). The
 * thread owns everything below it; its row's lock orders what is stored in it.
 */
package io.memorygateway.memory;

/** Threads on their way from one database to another, as files. */
@org.jspecify.annotations.NullMarked
package io.memorygateway.transfer;

/** What the commands of the gateway have in common. */
@org.jspecify.annotations.NullMarked
package io.memorygateway.cli;

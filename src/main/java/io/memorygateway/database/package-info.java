/** How to reach the database, and what its failures mean. */
@org.jspecify.annotations.NullMarked
package io.memorygateway.database;

/** How to reach the database apart from the pool. */
@org.jspecify.annotations.NullMarked
package io.memorygateway.database;

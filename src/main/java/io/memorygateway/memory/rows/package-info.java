/** Rows of threads and messages and their data access objects. */
package io.memorygateway.memory.rows;
